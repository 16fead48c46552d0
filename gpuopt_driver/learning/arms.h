// The arms of a launch: what it can get, found once for each configuration. Pasted behind trials.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

static_assert((int)MOST_OFFERS == (int)MOST_ARMS, "as many candidates of one version as a launch has arms");
GPUOPT_RT_MEMBER bool offers::add(const choice &c, unsigned number, double expected, double worst,
                                  const char *what) {
  if (count == MOST_OFFERS) return false;
  one &o = found[count++];
  o.chosen = c; o.number = number; o.expected = expected; o.worst = worst; o.what = what; o.pick = pick;
  return true;
}

static inline bool same(const choice &a, const choice &b) {
  bool equal = a.grid.x == b.grid.x && a.grid.y == b.grid.y && a.grid.z == b.grid.z && a.block.x == b.block.x &&
               a.block.y == b.block.y && a.block.z == b.block.z && a.shared == b.shared && a.scratch == b.scratch &&
               a.carveout == b.carveout;
  for (unsigned i = 0; i < 8; ++i) equal = equal && a.n[i] == b.n[i];
  return equal;
}

GPUOPT_RT_MEMBER arms::arms(entry &e_, const launch &l_, const void *const *of_, const char *const *names_)
    : e(e_), l(l_), of(of_), names(names_), count(0), began(now_ns()), known(0), kernel("") {
  asked_of_launch(names_, 1, false);
}

GPUOPT_RT_MEMBER arms::~arms() { while (count) delete made[--count]; }

GPUOPT_RT_MEMBER void arms::ask(int pick, const question &offer) {
  if (pick < 0 || count == 8) return;
  if (known && known->settled && !e.again &&  // what else there is need not be known
      (!known->leader || gpuopt_io_compare(known->a[known->leader].version, names[pick]) != 0)) return;
  entry plain;
  plain.reset(config(l.grid, l.block, l.shared));
  offers *o = new offers(l, plain.chosen, pick, of[pick]);
  launch now = l;
  now.version = of[pick];
  offer.ask(now, o);
  made[count++] = o;
}

// The GPU and its driver, in words.
static inline void describe_machine(char *text, size_t room, const launch &l) {
  int device = 0, version = 0;
  char name[64] = "?";
  const timers *t = timers_of();
  if (t && t->device(&device) == 0) t->name(name, (int)sizeof(name) - 1, device);
  if (t) t->version(&version);
  gpuopt_io_print(text, room, "%s;%d SMs;driver %d", name, l.sms, version);
}

// The learner of this key, with what is known of it.
static inline learner *learner_of(unsigned long long key, unsigned long long digest, const char *kernel, const char *machine_,
                           const launch &l, unsigned long long told) {
  learning &all = shared();
  unsigned keys = 0;
  for (learner *o = all.all; o; o = o->next) {
    if (o->key == key) return o;
    keys += o->digest == digest;
  }
  if (keys >= 4 * MOST_KEYS) return 0;
  learner *o = (learner *)gpuopt_io_take(sizeof(learner));
  if (!o) return 0;
  o->start(key);
  o->digest = digest;
  o->siblings = keys;
  gpuopt_io_print(o->device, sizeof(o->device), "%s", machine_);
  gpuopt_io_print(o->launch, sizeof(o->launch), "grid %u,%u,%u block %u,%u,%u shared %zu args %08x", l.grid.x, l.grid.y,
                  l.grid.z, l.block.x, l.block.y, l.block.z, l.shared, (unsigned)told);
  gpuopt_io_print(o->kernel, sizeof(o->kernel), "%s", kernel);
  for (char *at = o->kernel; *at; ++at) if ((unsigned char)*at < ' ') *at = ' ';
  o->arm_of(0);
  o->a[0].present = true;
  o->next = all.all;
  if (learning_mode() != 3) load(*o);
  if (!all.all && learning_mode() != 3) {
    all.process = gpuopt_io_getpid();
    gpuopt_io_at_exit(write_all);
  }
  all.all = o;
  return o;
}

GPUOPT_RT_MEMBER bool arms::find(const char *kernel_, const char *instance, unsigned long long digest,
                                unsigned long long arguments, unsigned long long about) {
  kernel = kernel_;
  if (!learning_mode()) return false;
  holding lock;
  if (!lock.good) return false;
  char name[200];
  const char *with = gpuopt_io_find(instance, '[');
  gpuopt_io_print(name, sizeof(name), "%s%s%s", kernel, with ? " " : "", with ? with : "");
  for (const char *at = name; *at; ++at) digest = mix(digest, (unsigned char)*at);
  char machine_[96];
  describe_machine(machine_, sizeof(machine_), l);
  unsigned long long key = mix(mix(mix(digest, (unsigned)l.capability), l.l2_bytes), (unsigned)l.registers);
  for (const char *at = machine_; *at; ++at) key = mix(key, (unsigned char)*at);
  key = mix(mix(mix(mix(key, l.block.x), l.block.y), l.block.z), l.shared);
  const unsigned long long exact = mix(mix(mix(mix(key, l.grid.x), l.grid.y), l.grid.z), arguments);
  unsigned keys = 0;
  for (learner *p = shared().all; p; p = p->next) {
    keys += p->digest == digest;
    if (p->key == exact) known = p;
  }
  if (!known && keys < MOST_KEYS) known = learner_of(exact, digest, name, machine_, l, arguments);
  const unsigned long long blocks = (unsigned long long)l.grid.x * l.grid.y * l.grid.z;
  if (!known) known = learner_of(mix(mix(key, bucket(blocks)) + 1, about), digest, name, machine_, l, about);
  return known && known->settled && !e.again && !(known->leader && known->a[known->leader].number >> 31);
}

GPUOPT_RT_MEMBER void arms::end() {
  if (!learning_mode()) return;
  unsigned total = 0;
  for (unsigned i = 0; i < count; ++i) total += made[i]->count;
  if (!e.pick && !total) {
    if (known && known->settled && learning_mode() == 1) e.left = LOOK_AGAIN;
    e.again = false;
    return;
  }
  holding lock;
  if (!lock.good || !known) { original(); return; }
  build(known, total);
}

GPUOPT_RT_MEMBER void arms::build(learner *o, unsigned total) {
  trial *t = (trial *)gpuopt_io_take(sizeof(trial));
  if (!t) { original(); return; }
  memset((void *)t, 0, sizeof(*t));
  t->of = o; t->kernel = kernel; t->l = l;
  const entry model = e;
  original();
  t->w[0].keep(e);
  t->w[0].ready = true;
  t->count = 1;
  if (model.pick) {  // what the guards say first
    const offers::one *twin = 0;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned k = 0; k < made[i]->count; ++k)
        if (made[i]->found[k].pick == model.pick && same(made[i]->found[k].chosen, model.chosen)) twin = &made[i]->found[k];
    unsigned number = 0;
    if (twin) number = twin->number;
    else for (unsigned i = 0; i < 8; ++i) number = number * 31 + model.chosen.n[i];
    put(t, model, twin ? number : number | 0x80000000u, 100, 1.1, twin ? twin->what : "", true);
  }
  for (unsigned place = 0; place < MOST_ARMS && total; ++place)  // the first of each version, then the second
    for (unsigned i = 0; i < count; ++i) {
      if (place >= made[i]->count) continue;
      const offers::one &f = made[i]->found[place];
      if (model.pick == f.pick && same(model.chosen, f.chosen)) continue;
      entry one = e;
      one.pick = f.pick; one.chosen = f.chosen; one.picked = 0;
      put(t, one, f.number, f.expected, f.worst, f.what, false);
    }
  if (learning_mode() == 3) {
    const unsigned long wanted = (unsigned long)asked_arm();
    const unsigned there = t->count;
    const bool has = t->adopt(e, wanted < there ? (unsigned)wanted : 0) && wanted < there;
    asked_of_launch(0, there, has);
    gpuopt_io_free(t);
    return;
  }
  o->judge();
  unsigned char offered[MOST_ARMS] = { 0 };
  for (unsigned i = 0; i < t->count; ++i) offered[t->w[i].arm] = 1;
  t->usual = t->way_of(o->favourite(offered));
  t->adopt(e, t->usual);
  if (learning_mode() == 2 || (o->settled && !e.again)) {
    e.left = learning_mode() == 2 ? 0 : (unsigned)LOOK_AGAIN;
    gpuopt_io_free(t);
    return;
  }
  if (o->settled) o->reopen();
  e.again = false;
  e.tried = t;
}

GPUOPT_RT_MEMBER double arms::took() const { return now_ns() - began; }

GPUOPT_RT_MEMBER bool arms::worth() const { return known && known->leader && known->gains() > took(); }

GPUOPT_RT_MEMBER const char *arms::how() const {
  const int now = learning_mode();
  return (now == 1 || now == 2) && known && known->settled && !e.tried ? " (settled)" : "";
}

GPUOPT_RT_MEMBER void arms::put(trial *t, const entry &one, unsigned number, double expected, double worst, const char *what,
                                bool ready) {
  learner &o = *t->of;
  const int k = o.arm_of(identity(names[one.pick], number));
  if (k < 0 || t->count == MOST_ARMS) return;
  for (unsigned i = 0; i < t->count; ++i) if (t->w[i].arm == (unsigned)k) return;
  arm &a = o.a[k];
  a.number = number; a.expected = expected; a.worst = worst; a.present = true;
  gpuopt_io_print(a.version, sizeof(a.version), "%s", names[one.pick]);
  const choice &c = one.chosen;
  gpuopt_io_print(a.what, sizeof(a.what), "%s%sn=%u,%u,%u,%u shared=%zu carveout=%d", what, *what ? " " : "", c.n[0], c.n[1],
                  c.n[2], c.n[3], c.shared, c.carveout);
  for (char *at = a.what; *at; ++at) if (*at == ':' || (unsigned char)*at < ' ') *at = ' ';
  way &w = t->w[t->count++];
  w.keep(one);
  w.arm = (unsigned)k; w.version = of[one.pick]; w.ready = ready;
}

GPUOPT_RT_MEMBER void arms::original() {
  const int device = e.device;
  const config c(e.grid, e.block, e.shared);
  e.reset(c);
  e.device = device;
  watch(e, l.kernel, l.kernel);
}

GPUOPT_RT_API entry *decided(memo &m, entry *e, const config &c, unsigned long long key, unsigned long long context,
                             const told &t, question q) {
  launch l;
  e = m.take(e, c, key, context);
  if (!describe(l, c, t.of[0])) return e;
  arms k(*e, l, t.of, t.names);
  const bool is_known = k.find(t.kernel, t.instance, t.digest, key, t.about);
  const asked *const first = t.questions;
  if (!is_known && first->to) {  // guards come before offers
    search s(*e, l, t.of);
    for (const asked *at = first; at->name; ++at) {
      q.number = (unsigned)(at - first);
      if (at->to && (!at->fact || t.facts >> (at->fact - 1) & 1)) s.ask(at->name, at->to, at->away, at->aways, q);
    }
    s.end();
  }
  e->device = l.device;
  watch(*e, t.of[0], t.of[e->pick]);
  if (learning_mode()) {
    for (const asked *at = first; at->name; ++at) {
      q.number = (unsigned)(at - first);
      if (!at->to && (!at->fact || t.facts >> (at->fact - 1) & 1)) k.ask(at->pick, q);
    }
    k.end();
  }
  e->known = true;
  m.note(e->pick || e->tried, k.took(), k.worth());
  trace(t.kernel, t.names[e->pick], *e, k.how());
  return e;
}

} }
