// Launches that are measured: each is one of the program's own, with whatever version it gets. Times are read from
// events when they are there, never waited for. Pasted behind choices.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

enum trial_limits { LOOK_AGAIN = 1 << 13, MOST_SAMPLES = 64, MOST_KEYS = 24, PER_POLL = 4 };
static const double WRITTEN = 1e9;  // ns of a kernel's launches after which a file is written before the program ends

// What of the driver measuring needs; none of it touches the runtime's last error.
struct timers {
  int (*create)(void **, unsigned), (*record)(void *, cudaStream_t), (*query)(void *), (*destroy)(void *);
  int (*elapsed)(float *, void *, void *), (*capturing)(cudaStream_t, int *), (*exchange)(int *);
  int (*device)(int *), (*name)(char *, int, int), (*version)(int *);
};
static inline const timers *timers_of() {
  static timers t = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  static int state = 0;
  int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
#if CUDART_VERSION >= 12000
  if (!now && cudaPeekAtLastError() == cudaSuccess) {
    timers f = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    now = entry_point("cuEventCreate", f.create) && entry_point("cuEventRecord", f.record) &&
          entry_point("cuEventQuery", f.query) && entry_point("cuEventDestroy", f.destroy) &&
          entry_point("cuEventElapsedTime", f.elapsed) && entry_point("cuStreamIsCapturing", f.capturing) &&
          entry_point("cuThreadExchangeStreamCaptureMode", f.exchange) && entry_point("cuCtxGetDevice", f.device) &&
          entry_point("cuDeviceGetName", f.name) && entry_point("cuDriverGetVersion", f.version) ? 1 : 2;
    if (now == 1) t = f;  // any thread finds the same
    __atomic_store_n(&state, now, __ATOMIC_RELEASE);
  }
#endif
  return now == 1 ? &t : 0;
}

static inline bool is_word(const char *text, const char *word) { return text && gpuopt_io_compare(text, word) == 0; }

// 0: the guards decide; 1: launches are measured; 2: what was learned is used, nothing is tried; 3: GPUOPT_DISPATCH=arm:NUMBER
// names one of the ways in which a launch can run.
GPUOPT_RT_API int learning_mode() {
  static int value = -1;  // any thread finds the same
  if (value < 0) {
    const char *text = getenv("GPUOPT_LEARN");
    const bool on = is_word(text, "on") || is_word(text, "1"), frozen = is_word(text, "frozen");
    const bool off = is_word(text, "off") || is_word(text, "0"), named = on || frozen || off;
    int now = on ? 1 : frozen ? 2 : off ? 0 : GPUOPT_RT_LEARN;
    if (text && *text && !named) leave_aside(8, "GPUOPT_LEARN", text, "on, frozen or off");
    if (mode() && !is_word(getenv("GPUOPT_DISPATCH"), "trace")) now = 0;  // versions were asked for by name
#ifdef GPUOPT_EMU_LAUNCH_H
    const char *emulated = getenv("GPUOPT_EMU_MODE");  // only the model tells times that mean something
    if (!named || !emulated || gpuopt_io_compare(emulated, "model") != 0) now = 0;
#endif
    value = asked_arm() >= 0 ? 3 : now;
  }
  return value;
}
static inline double learning_budget() {
  static double value = -1;
  if (value < 0) {
    const char *text = getenv("GPUOPT_LEARN_BUDGET");
    char *end = 0;
    const double given = text && *text ? gpuopt_io_real(text, &end) : GPUOPT_RT_BUDGET;
    const bool good = given >= 0 && given < 1e12 && (!end || (end != text && !*end));
    if (!good) leave_aside(16, "GPUOPT_LEARN_BUDGET", text, "a part of a kernel's time, 0 to 1, or 1000");
    value = good ? given : GPUOPT_RT_BUDGET;
  }
  return value;
}

// A launch whose time is not known yet. Slots keep their events.
struct sample {
  bool used, ended, spoilt;
  learner *of;
  unsigned arm;
  int in, device;
  double held;
  void *from, *to;
  unsigned long long context;
  cudaStream_t stream;
};
struct learning {
  int lock, process;
  unsigned turn;
  learner *all;
  sample s[MOST_SAMPLES];
};
inline __attribute__((visibility("hidden"))) learning &shared() {  // one for a program or library
  static learning l;
  return l;
}
// Launches never wait for each other: who does not get the lock measures nothing.
struct holding {
  bool good;
  holding() : good(!__atomic_exchange_n(&shared().lock, 1, __ATOMIC_ACQUIRE)) {}
  ~holding() { if (good) __atomic_store_n(&shared().lock, 0, __ATOMIC_RELEASE); }
};

// Reads the times that are there, of the context that is current.
static inline __attribute__((cold)) void poll(learning &all, const timers &t, unsigned long long context, unsigned most) {
  for (unsigned i = 0; i < MOST_SAMPLES && most; ++i) {
    sample &s = all.s[all.turn++ % MOST_SAMPLES];
    if (!s.used || !__atomic_load_n(&s.ended, __ATOMIC_ACQUIRE)) continue;
    if (s.context != context) {
      // Contexts are numbered as they are made: an older one of the same device has ended with its events.
      int device = -1;
      if (s.context > context || t.device(&device) != 0 || device != s.device) continue;
      s.used = false;
      s.from = s.to = 0;
      s.of->sampled(s.arm, s.in, 0, s.held);
      continue;
    }
    --most;
    float milliseconds = 0;
    const int now = t.query(s.to);
    if (now == 600) continue;  // CUDA_ERROR_NOT_READY
    const bool good = now == 0 && !s.spoilt && t.elapsed(&milliseconds, s.from, s.to) == 0 && milliseconds > 0;
    s.used = false;
    s.of->sampled(s.arm, s.in, good ? 1e6 * (double)milliseconds : 0, s.held);
    if (s.of->settled && s.of->total > WRITTEN && s.of->told_launches != s.of->launches) store(*s.of);
  }
}
inline void write_all() {
  learning &all = shared();
  holding lock;
  if (!lock.good || all.process != gpuopt_io_getpid()) return;  // a child of fork has its parent's figures
  unsigned long long context = 0;
  const driver *d = drivers();
  const timers *t = timers_of();
  if (d && t && d->id(0, &context) == 0) poll(all, *t, context, MOST_SAMPLES);
  for (learner *l = all.all; l; l = l->next) { l->finish(); store(*l); }
}

// A launch as one of its arms makes it. A version is loaded by the first question about it, which takes longer than a
// launch: it is made ready when it is wanted, not when it is offered.
struct way {
  unsigned arm;
  int pick;
  bool ready;
  choice chosen;
  int limit, preference, told_limit, told_preference;
  cudaFunction_t original, picked;
  const void *version;
  void keep(const entry &e) {
    pick = e.pick; chosen = e.chosen; limit = e.limit; preference = e.preference; original = e.original;
    told_limit = e.told_limit; told_preference = e.told_preference; picked = e.picked;
  }
  void to(entry &e) const {
    e.pick = pick; e.chosen = chosen; e.limit = limit; e.preference = preference; e.original = original;
    e.told_limit = told_limit; e.told_preference = told_preference; e.picked = picked;
  }
};
struct trial {
  learner *of;
  unsigned count, usual;  // usual: what a launch gets that is not measured
  const char *kernel;
  launch l;               // as the program makes it
  way w[MOST_ARMS];
  unsigned way_of(unsigned arm) const {
    for (unsigned i = 0; i < count; ++i) if (w[i].arm == arm) return i;
    return 0;
  }
  // Have the next launch go this way. False, and the original's way, where that version cannot run so: nobody offers it again.
  bool adopt(entry &e, unsigned i) {
    w[0].to(e);
    way &now = w[i];
    if (!now.ready) {
      if (cudaPeekAtLastError() != cudaSuccess) return false;  // asking would take the program's error away
      entry one = e;
      one.pick = now.pick; one.chosen = now.chosen;
      launch as = l;
      as.version = now.version;
      if (!prepare(as, now.version, one)) {
        of->a[now.arm].present = false;
        for (--count; i < count; ++i) w[i] = w[i + 1];
        usual = 0;
        return false;
      }
      watch(one, l.kernel, now.version);
      now.keep(one);
      now.ready = true;
    }
    now.to(e);
    return true;
  }
};
static inline void forget(entry &e) { gpuopt_io_free(e.tried); e.tried = 0; }

GPUOPT_RT_MEMBER void measured::start(entry &e, const config &c) {
  trial &t = *e.tried;
  const double began = now_ns();
  learning &all = shared();
  const timers *now = timers_of();
  holding lock;
  if (!lock.good || !now) { t.adopt(e, t.w[t.usual].ready ? t.usual : 0); return; }
  int mode = 2, capture = 1;  // relaxed: queries must not end a capture of another thread's
  now->exchange(&mode);
  poll(all, *now, e.context, PER_POLL);
  sample *free_ = 0;
  bool alone = true;  // launches of two streams that are measured at once would tell of each other
  for (unsigned i = 0; i < MOST_SAMPLES; ++i) {
    sample &o = all.s[i];
    if (o.used) alone = alone && (o.context != e.context || o.stream == c.stream);
    else if (!free_ && (!o.from || o.context == e.context)) free_ = &o;
  }
  const bool may = free_ && alone && now->capturing(c.stream, &capture) == 0 && !capture &&
                   (free_->from || (now->create(&free_->from, 0) == 0 && now->create(&free_->to, 0) == 0));
  unsigned char offered[MOST_ARMS] = { 0 };
  for (unsigned i = 0; i < t.count; ++i) offered[t.w[i].arm] = 1;
  int in;
  double held;
  t.of->pass(e.passed);
  e.passed = 0;
  unsigned k = t.of->choose(offered, may, learning_budget(), in, held);
  const double before = t.w[t.way_of(k)].ready ? 0 : now_ns();
  const bool adopted = t.adopt(e, t.way_of(k));
  if (in != -1 && before > 0) t.of->lost += now_ns() - before;  // its code was loaded
  if (!adopted) {
    if (in != -1) t.of->sampled(k, in, 0, held);
    in = -1; k = 0;
  }
  for (unsigned i = 0; i < MOST_ARMS; ++i) offered[i] = 0;
  for (unsigned i = 0; i < t.count; ++i) offered[t.w[i].arm] = 1;
  t.usual = t.way_of(t.of->favourite(offered));
  if (in != -1) {
    const sample made = { true, false, false, t.of, k, in, e.device, held, free_->from, free_->to, e.context, c.stream };
    *free_ = made;
    if (now->record(free_->from, c.stream) == 0) s = free_;
    else { free_->used = false; t.of->sampled(k, in, 0, held); }
    trace(t.kernel, k ? t.of->a[k].version : "original", e, " (measured)");
  } else if (t.of->settled && !t.of->again && t.of->half < 0) {
    trace(t.kernel, k ? t.of->a[k].version : "original", e, " (settled)");
    e.left = t.of->rest(LOOK_AGAIN);
    forget(e);
  } else {
    e.skip = t.of->pause(now_ns() - began, learning_budget());
  }
  now->exchange(&mode);
}
GPUOPT_RT_MEMBER void measured::stop() {
  if (timers_of()->record(s->to, s->stream) != 0) s->spoilt = true;
  __atomic_store_n(&s->ended, true, __ATOMIC_RELEASE);
}

GPUOPT_RT_MEMBER void measured::spoil() { s->spoilt = true; }

} }
