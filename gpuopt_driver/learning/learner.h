// What is known of the ways in which a launch can run, and which of them the next one gets. Plain C++11 without CUDA:
// the rule is simulated and tested as it stands (docs/learning.md). Pasted behind runtime.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

// Count, mean and sum of squared deviations (Welford), of logarithms.
struct tally {
  unsigned n;
  double mean, m2;
  void add(double x) {
    const double delta = x - mean;
    mean += delta / ++n;
    m2 += delta * (x - mean);
  }
  void pool(const tally &o) {  // Chan, Golub and LeVeque
    if (!o.n) return;
    const double delta = o.mean - mean, all = (double)n + o.n;
    m2 += o.m2 + delta * delta * n * o.n / all;
    mean += delta * o.n / all;
    n += o.n;
  }
  // As much as so many samples say at most: what was measured long ago must not outvote what is.
  void forget(unsigned most) {
    if (n <= most) return;
    m2 = m2 * most / n;
    n = most;
  }
};

enum learner_limits { MOST_ARMS = 16, MOST_LIVE = 8, MOST_ROUNDS = 16, MOST_PAIRS = 64 };
static const double ACCEPTED = 0.0198026, TOO_SLOW = -0.4054651, TIE = 0.00995033;  // ln 1.02, -ln 1.5, ln 1.01
static const double MEASURING = 6000;  // ns that a measured launch takes longer
static const double FIRST_LOOK = 2e4;  // ns of the first look that count
static const double ADVANCE = 1e6;     // ns of the budget that may be lost before they are earned, at most
// Parts of the budget; the rest is for arms that are slower than expected. Looks and events are nothing to kernels that
// take longer than LONG, ns.
static const double EARLY = 0.6, TRYING = 0.8, LOOKING = 0.1, LONG = 3e5;

// Student's t for n - 1 degrees of freedom at 1 - 0.005 / 14: 14 looks, and an error in two hundred for each arm and
// direction over all of them (Bonferroni).
static inline double student(unsigned n) {
  static const unsigned looks[] = { 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128 };
  static const double values[] = { GPUOPT_RT_STUDENT };
  unsigned i = 0;
  while (i < 13 && looks[i + 1] <= n) ++i;
  return values[i];
}

// Half of the confidence interval of a mean; samples that agree by chance say no more than 0.3 % does.
static inline double half_width(const tally &t) {
  if (t.n < 3) return 1e9;
  const double s = sqrt(t.m2 / (t.n - 1));
  return student(t.n) * (s > 0.003 ? s : 0.003) / sqrt((double)t.n);
}

// One way to run a launch; arm 0 is the program's own kernel. `pairs`: ln(time of the original / time of this), for
// arm 0 ln(ns); `firsts`: ln(ns) of the first measured launch of each process. `own...`: measured here since the last
// record was written.
struct arm {
  unsigned long long id;
  unsigned number;         // the plugin's own for this candidate
  char version[96], what[80];
  double expected, worst;  // speed-up that the model expects; how many times as long it may take
  tally pairs, firsts, own_pairs, own_firsts;
  bool present, dropped;   // offered in this process; out of the running
  unsigned open;           // rounds under way
};

// A candidate and what it is compared with, measured one beside the other in random order.
struct round {
  int arm, reference;  // arm < 0: free
  double time[2];      // ln(ns) of arm and reference; 0: not measured yet
  unsigned left;       // samples to come
  bool spoilt;
  bool second;         // the arm is out, by one launch alone, and gets another
};

struct learner {
  unsigned long long key, launches, random, told_launches;
  arm a[MOST_ARMS];
  unsigned count, leader;
  unsigned siblings;                // other launches of the kernel that were known before: what may be lost early is shared
  bool settled, warm;               // warm: the first launch of this process was given out
  round r[MOST_ROUNDS];
  int half;                         // a round of which one launch is still to be given out, -1: none
  bool half_is_arm;
  unsigned spoilt;                  // rounds in a row of which nothing could be told
  double host;                      // ns that the host takes for a launch that is looked at
  unsigned again;                   // an arm that gets a round although all is settled, 0: none
  double total, lost, saved, reserved, told_lost, told_saved;  // ns
  char kernel[200], device[96], launch[112];  // for records
  unsigned long long digest;
  learner *next;

  void start(unsigned long long key_) {
    memset((void *)this, 0, sizeof(*this));
    key = key_;
    random = key_ | 1;
    half = -1;
    for (unsigned i = 0; i < MOST_ROUNDS; ++i) r[i].arm = -1;
  }
  unsigned draw() {  // xorshift64*
    random ^= random >> 12; random ^= random << 25; random ^= random >> 27;
    return (unsigned)(random * 2685821657736338717ULL >> 33);
  }
  // The arm of this identity, made if there is room; -1 where there is none.
  int arm_of(unsigned long long id) {
    for (unsigned i = 0; i < count; ++i) if (a[i].id == id) return (int)i;
    if (count == MOST_ARMS) return -1;
    a[count].id = id;
    a[count].expected = 1; a[count].worst = 2;
    return (int)count++;
  }
  // ns of the original; 0: not known.
  double plain() const {
    return a[0].pairs.n ? exp(a[0].pairs.mean) : a[0].firsts.n ? exp(a[0].firsts.mean) : 0;
  }
  // Gain over the original as a logarithm, and how far off it may be.
  double gain(unsigned k, double &half_) const {
    const arm &o = a[k], &p = a[0];
    half_ = 1e9;
    if (!k) { half_ = 0; return 0; }
    if (o.pairs.n >= 3 || (o.pairs.n && (o.firsts.n < 3 || p.firsts.n < 3))) {
      half_ = half_width(o.pairs);
      return o.pairs.mean;
    }
    if (!o.firsts.n || !p.firsts.n) return 0;
    const unsigned least = o.firsts.n < p.firsts.n ? o.firsts.n : p.firsts.n;
    if (least >= 3) {  // Welch, with the fewer degrees of freedom
      const double s = o.firsts.m2 / (o.firsts.n - 1), t = p.firsts.m2 / (p.firsts.n - 1);
      const double floor = 0.003 * 0.003;
      half_ = student(least) * sqrt((s > floor ? s : floor) / o.firsts.n + (t > floor ? t : floor) / p.firsts.n);
    }
    return p.firsts.mean - o.firsts.mean;
  }
  bool paired() const {
    for (unsigned k = 1; k < count; ++k) if (a[k].pairs.n) return true;
    return false;
  }
  bool known(unsigned k) const { return a[k].pairs.n || (a[k].firsts.n && a[0].firsts.n); }

  // Leader, who is dropped, and whether anything is left to find out.
  void judge() {
    double best = 0, best_half = 0, half_;
    leader = 0;
    for (unsigned k = 1; k < count; ++k) {
      const double mean = gain(k, half_);
      if (a[k].present && mean - half_ > ACCEPTED && mean > best) { best = mean; best_half = half_; leader = k; }
    }
    unsigned live = 0;
    for (unsigned k = 1; k < count; ++k) {
      const double mean = gain(k, half_);
      const unsigned pairs = a[k].pairs.n > a[k].firsts.n ? a[k].pairs.n : a[k].firsts.n;
      bool out = false;
      if (known(k)) {
        out = mean < TOO_SLOW || mean + half_ < ACCEPTED || (pairs >= MOST_PAIRS && mean - half_ <= ACCEPTED);
        out = out || (leader && k != leader && mean - best + sqrt(half_ * half_ + best_half * best_half) < TIE);
        out = out || (leader && k != leader && pairs >= MOST_PAIRS);
      }
      a[k].dropped = out;
      live += a[k].present && !out && k != leader;
    }
    settled = !live && plain() > 0;
  }

  // Whether arms are in the running only because the leader is not known as well as they are, and to find that out
  // takes fewer pairs (of leader and original) than they would get otherwise.
  bool doubted() const {
    double half_, best_half;
    const unsigned own = a[leader].pairs.n + a[leader].open;
    unsigned asked = own, spared = 0;
    if (!leader) return false;
    const double best = gain(leader, best_half);
    for (unsigned k = 1; k < count; ++k) {
      const unsigned n = a[k].pairs.n;
      if (!a[k].present || a[k].dropped || k == leader || n <= own || n >= MOST_PAIRS) continue;
      if (gain(k, half_) - best + sqrt(2.0) * half_ >= TIE) continue;
      spared += MOST_PAIRS - n;
      asked = n > asked ? n : asked;
    }
    return spared > asked - own;
  }

  // Whether an arm has shown itself so much faster that another launch of it gains more than measuring costs.
  bool pays(unsigned k) const {
    double half_;
    return k != leader && known(k) && plain() * (1 - 1.1 * exp(-gain(k, half_))) > 4 * MEASURING;
  }
  // What launches get that are not measured: the leader. Without one, an arm that is not accepted yet, but was seen
  // twice so much faster that noise of 5 % does not explain it (three standard errors): who launches a kernel twice in
  // a run, or never waits for one, gains before ten pairs are there.
  unsigned favourite(const unsigned char *offered) const {
    if (leader) return offered[leader] ? leader : 0;
    unsigned best = 0;
    double most = 0;
    for (unsigned k = 1; k < count; ++k) {
      const double mean = offered[k] && !a[k].dropped ? seen(k) : 0;
      if (mean > most) { most = mean; best = k; }
    }
    return best;
  }
  // The gain that two launches or more have shown, less what noise may do; 0: none.
  double seen(unsigned k) const {
    const arm &o = a[k], &p = a[0];
    const double first = o.firsts.n && p.firsts.n ? p.firsts.mean - o.firsts.mean : 0;
    const unsigned firsts = first > 0 ? (o.firsts.n < p.firsts.n ? o.firsts.n : p.firsts.n) : 0;
    double mean = 0, s = 0.05;
    unsigned n = 0;
    if (o.pairs.n > 1) {
      mean = o.pairs.mean; n = o.pairs.n;
      s = sqrt(o.pairs.m2 / (n - 1));
    } else if (o.pairs.n == 1 && firsts) {
      mean = o.pairs.mean < first ? o.pairs.mean : first; n = 2;
    } else if (firsts > 1 && !p.pairs.n) {  // what is cold says nothing of launches that are not
      mean = first; n = firsts;
    }
    const double less = n ? mean - 3 * (s > 0.05 ? s : 0.05) / sqrt((double)n) : 0;
    return less > ACCEPTED ? less : 0;
  }
  // What the next launch of an arm may lose, ns.
  double risk(unsigned k) const {
    const double base = plain();
    if (!k || k == leader || pays(k)) return 0;
    if (!known(k)) return base * (a[k].worst - 1);
    double half_;
    const double slower = 1.1 * exp(-gain(k, half_)) - 1;
    return base * (slower > 0.02 ? slower : 0.02);
  }
  // `first`, `later`: parts of the budget, for what is lost before it is earned, and then.
  bool affords(double more, double budget, double first, double later) const {
    const double may = early(first * budget), earned = later * budget * total;
    return lost + reserved + more <= (may > earned ? may : earned) + 0.5 * saved;
  }
  // What may be lost before it is earned, ns: what a thousand launches earn.
  double early(double budget) const {
    const double may = 1000 * budget * plain() / (1 + siblings);
    return may < ADVANCE ? may : ADVANCE;
  }

  // The candidate that is to be measured next, 0: none. Those that nobody knows first, in the model's order; then
  // those that may be best.
  unsigned candidate(const unsigned char *offered, double budget, bool first) const {
    unsigned best = 0, live = 0;
    double most = -1e30;
    const unsigned usual = favourite(offered);  // is launched anyway: knowing it better costs what measuring does
    for (unsigned k = 1; k < count; ++k) {
      const arm &o = a[k];
      if (!offered[k] || o.dropped || (k == leader && !first)) continue;
      if (++live > MOST_LIVE) break;
      const unsigned n = first ? o.firsts.n : o.pairs.n + o.open;
      double half_, score;
      if (first) {
        if (n > a[0].firsts.n || n >= MOST_PAIRS) continue;
        score = -(double)n + o.expected * 1e-3;
      } else {
        // Of an arm that nobody knows one launch is under way: what that shows is known before the next one.
        if (o.open && (!known(k) || (n < 3 && o.open >= (pays(k) ? 4u : 2u)))) continue;
        score = known(k) ? gain(k, half_) + 0.3 / sqrt((double)(n ? n : 1)) : 100 + o.expected;
      }
      const bool may = k == usual ? affords(MEASURING, budget, 1, 1)
                                  : affords(risk(k) + MEASURING, budget, EARLY, plain() < LONG ? TRYING : 1);
      if (score > most && (pays(k) || may)) { most = score; best = k; }
    }
    return best;
  }

  // Which arm this launch gets. `offered`: by arm, whether it can run here; `measurable`: whether it may be timed.
  // `in` is the round that its time belongs to: -1: not measured, -2: the first of this process. `held` is put aside
  // of what may be lost, until `sampled` gives it back.
  unsigned choose(const unsigned char *offered, bool measurable, double budget, int &in, double &held) {
    ++launches;
    total += plain();
    in = -1;
    unsigned take = offered[leader] ? leader : 0;
    if (measurable && !warm) {  // caches, clocks and code are cold: compared with other first launches only
      warm = true;
      if (!settled && !paired()) {
        in = -2;
        const unsigned other = a[0].firsts.n ? candidate(offered, budget, true) : 0;
        take = other ? other : 0;
      }
    } else if (measurable && (!settled || again || half >= 0)) {
      if (half >= 0 && is_unwanted(offered)) {
        const int now = half;
        half = -1;
        r[now].spoilt = true;
        end(now);
      }
      if (half >= 0) {
        take = (unsigned)(half_is_arm ? r[half].arm : r[half].reference);
        in = half;
        half = -1;
      } else if (!settled || again) {
        begin(offered, budget, take, in);
      }
    }
    held = in != -1 ? risk(take) + MEASURING : 0;
    reserved += held;
    double half_;
    if (in == -1 && take) saved += plain() * (1 - exp(-gain(take, half_)));
    return in == -1 && !take ? favourite(offered) : take;
  }
  // Launches that went by without a look.
  void pass(unsigned passed) {
    double half_;
    launches += passed;
    total += passed * plain();
    if (leader) saved += passed * plain() * (1 - exp(-gain(leader, half_)));
  }
  // How many launches are to go by, so that looking at one (`cost`, ns) takes LOOKING of the budget of them at most; none as
  // long as it comes out of what may be lost early, or runs of a few launches would never learn. What the first look of
  // a process costs, which makes events, says nothing about the next ones.
  unsigned pause(double cost, double budget) {
    host = host > 0 ? 0.9 * host + 0.1 * cost : cost < FIRST_LOOK ? cost : FIRST_LOOK;
    if (half >= 0) return 0;  // its partner is to follow
    if (lost + reserved + host <= 0.5 * early(EARLY * budget)) { lost += host; return 0; }
    const double base = plain(), share = LOOKING * (budget < 1 ? budget : 1) * base;
    return affordable(host, share, 4096);
  }
  // What a launch of the leader gains over the original, ns.
  double gains() const {
    double half_;
    return leader ? plain() * (1 - exp(-gain(leader, half_))) : 0;
  }
  static unsigned affordable(double cost, double share, unsigned most) {
    const double n = share > 0 ? cost / share : 16;
    return n < most ? (unsigned)n : most;
  }
  // Whether the launch that a round lacks cannot be made, or is of an arm that has shown itself slow since.
  bool is_unwanted(const unsigned char *offered) const {
    const int lacks = half_is_arm ? r[half].arm : r[half].reference;
    double half_;
    return !offered[lacks] || (lacks && !r[half].second && known((unsigned)lacks) && gain((unsigned)lacks, half_) < TOO_SLOW);
  }
  void begin(const unsigned char *offered, double budget, unsigned &take, int &in) {
    int free = -1;
    if (spoilt > 8 && draw() % (8 * spoilt)) return;
    for (unsigned i = 0; i < MOST_ROUNDS && free < 0; ++i) if (r[i].arm < 0) free = (int)i;
    if (free < 0) return;
    bool second = false;
    const bool base = a[0].pairs.n == 0;  // nothing can be afforded before it is known what the original takes
    unsigned other = base ? 0 : candidate(offered, budget, false);
    if (again && offered[again] && !base) { other = again == take ? 0 : again; if (!other) { other = take; take = 0; } again = 0; second = a[other].dropped; }
    else if (!base && take && take == leader && offered[0] && doubted()) { other = take; take = 0; }
    if (!other && !(base && !a[0].open)) return;
    round &now = r[free];
    now.arm = (int)other; now.reference = (int)take; now.time[0] = now.time[1] = 0; now.spoilt = false; now.second = second;
    now.left = other ? 2 : 1;
    ++a[other].open;
    in = free;
    if (!other) { take = 0; return; }
    const bool pays_ = pays(other) && a[other].pairs.n < 3;  // the run may end before the second one
    const bool arm_first = (draw() & 1) != 0 || pays_;
    half = free; half_is_arm = !arm_first;
    take = arm_first ? other : take;
  }

  // A launch was timed (ns; 0: it cannot be told, or was not made).
  void sampled(unsigned k, int in, double ns, double held) {
    reserved = reserved > held ? reserved - held : 0;
    lost += MEASURING;
    const double base = in == -2 && a[0].firsts.n ? exp(a[0].firsts.mean) : plain();  // first launches are slow anyway
    if (ns > 0 && k && base > 0) {
      const double more = ns - base;
      if (more > 0) lost += more; else saved -= more;
    }
    if (in == -2) {
      if (ns > 0) { a[k].firsts.add(log(ns)); a[k].own_firsts.add(log(ns)); judge(); }
      return;
    }
    if (ns <= 0) r[in].spoilt = true;
    else r[in].time[(int)k == r[in].arm ? 0 : 1] = log(ns);
    end(in);
  }
  // One launch less of a round is to come.
  void end(int in) {
    round &now = r[in];
    if (--now.left) return;
    const int arm_ = now.arm, reference = now.reference;
    --a[arm_].open;
    now.arm = -1;
    spoilt = now.spoilt ? spoilt + (spoilt < 1000) : 0;
    if (now.spoilt) return;
    if (!arm_ || !reference) level(now.time[arm_ ? 1 : 0]);
    if (arm_) {
      double half_;
      const double d = gain((unsigned)reference, half_) + now.time[1] - now.time[0];
      a[arm_].pairs.add(d); a[arm_].own_pairs.add(d);
      a[arm_].pairs.forget(4 * MOST_PAIRS);
    }
    judge();
  }
  // The process ends. An arm that was timed and whose partner was not launched any more is compared with what the
  // original usually takes; as nobody knows how far off that is, 2 % more noise is taken for it.
  void finish() {
    const int cut = half;
    if (cut < 0 || half_is_arm || r[cut].reference || r[cut].spoilt || r[cut].time[0] == 0 || !a[0].pairs.n) return;
    const int arm_ = r[cut].arm;
    const double d = a[0].pairs.mean - r[cut].time[0];
    half = r[cut].arm = -1;
    --a[arm_].open;
    a[arm_].pairs.add(d); a[arm_].own_pairs.add(d);
    a[arm_].pairs.m2 += 0.02 * 0.02; a[arm_].own_pairs.m2 += 0.02 * 0.02;
    judge();
  }
  void level(double log_ns) {
    a[0].pairs.add(log_ns); a[0].own_pairs.add(log_ns);
    a[0].pairs.forget(MOST_PAIRS);
  }
  // The arm that one launch alone has put out, the fastest of several, 0: none. Something else may have held that up
  // (local memory that grows, another process).
  unsigned held_up() const {
    unsigned found = 0;
    for (unsigned k = 1; k < count; ++k) {
      const unsigned pairs = a[k].pairs.n > a[k].firsts.n ? a[k].pairs.n : a[k].firsts.n;
      if (a[k].present && k != leader && pairs == 1 && known(k) && a[k].dropped && (!found || risk(k) < risk(found))) found = k;
    }
    return found;
  }
  // After how many launches the settled choice is looked at again: `most`, or once what leads has saved twice what was
  // lost and ten times what a second launch of such an arm may cost.
  unsigned rest(unsigned most) const {
    const unsigned k = leader ? held_up() : 0;
    if (!k) return most;
    const double missing = 10 * risk(k) + 2 * (lost + reserved) - saved;
    return 1 + affordable(missing > 0 ? missing : 0, gains(), most - 1);
  }
  // The settled choice is looked at again: a round of such an arm, of the leader, or of the best of those that were not
  // slow. What was measured long ago counts for less from now on.
  void reopen() {
    const unsigned second = leader ? held_up() : 0;
    if (second) { again = second; return; }
    unsigned best = leader;
    double most = -1e30, half_;
    for (unsigned k = 1; k < count && !leader; ++k) {
      const double mean = gain(k, half_);
      if (a[k].present && known(k) && mean > TOO_SLOW && mean > most) { most = mean; best = k; }
    }
    a[best].pairs.forget(MOST_PAIRS / 2);
    again = best;
  }
};

} }
