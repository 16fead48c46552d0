"""The run-time part: C++11 definitions that all versions (device) and guards (host) of the plugin share.

They stand once per translation unit in `gpuopt_rt::plugin_vtb`, beside `plan`, `launch`, `choice` and the GPUs' table.
`decide.py` is the host part's twin in Python; a test holds the two against each other.
"""

from __future__ import annotations

import re

from . import decide

# Slots of the plan: factor; form (bit 0: pipe) and axis; blocks along the axis that is cut into virtual blocks (low and
# high half); where the virtual blocks' own shared memory begins, in 16 bytes; depth of a virtual block; its width and
# height where it is no multiple of a warp (else 0).
DEVICE = """\
// Barrier `number` + 1. Since Hopper by a constant: the compiler counts those that a block uses, and an SM has few.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
enum { ANY_BARRIER = 1 };
#else
enum { ANY_BARRIER = 0 };
#endif
template <unsigned ID, unsigned LEFT> struct named {
  static __device__ void sync(unsigned number, unsigned threads) {
    if (ANY_BARRIER) asm volatile("bar.sync %0, %1;" :: "r"(number + ID), "r"(threads) : "memory");
    else if (LEFT == 1 || number + 1 == ID) asm volatile("bar.sync %0, %1;" :: "n"(ID), "r"(threads) : "memory");
    else named<ID + 1, LEFT - 1>::sync(number, threads);
  }
  static __device__ void arrive(unsigned number, unsigned threads) {
    if (ANY_BARRIER) asm volatile("bar.arrive %0, %1;" :: "r"(number + ID), "r"(threads) : "memory");
    else if (LEFT == 1 || number + 1 == ID) asm volatile("bar.arrive %0, %1;" :: "n"(ID), "r"(threads) : "memory");
    else named<ID + 1, LEFT - 1>::arrive(number, threads);
  }
  static __device__ int count(unsigned number, unsigned threads, int predicate) {
    if (LEFT != 1 && number + 1 != ID) return named<ID + 1, LEFT - 1>::count(number, threads, predicate);
    int found;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, %2, %3, p; }"
                 : "=r"(found) : "r"(predicate), "n"(ID), "r"(threads) : "memory");
    return found;
  }
};
template <unsigned ID> struct named<ID, 0> {
  static __device__ void sync(unsigned, unsigned) {}
  static __device__ void arrive(unsigned, unsigned) {}
  static __device__ int count(unsigned, unsigned, int) { return 0; }
};

// The virtual block of the calling thread, and its place in it. All that a kernel knows of its block comes from here.
// MOST virtual blocks at most; 0: each is one warp. ALIKE: all blocks of a launch enter regions equally often.
template <unsigned MOST, bool ALIKE> struct place {
  enum { IDS = MOST == 0 ? 2 : MOST < 4 ? 4 : MOST };  // of barriers: virtual blocks' own, then those of a pipe's turns
  uint3 thread, block;
  dim3 size, grid;
  unsigned number, factor, threads, lanes;  // which virtual block of the launched one, of how many; threads of each,
  bool exists, pipe;                        // and with those that fill its last warp (they do not exist)
  unsigned *gone, base, present;            // one bit for each that comes no more; how many there are
  __device__ explicit place(const plan &p, unsigned *g = 0)
      : size(1, 1, p.n[5]), factor(p.n[0]), pipe((p.n[1] & 1) != 0), gone(g), base(p.n[4] * 16u) {
    thread.x = threadIdx.x; thread.y = threadIdx.y;
    block.x = blockIdx.x; block.y = blockIdx.y; block.z = blockIdx.z;
    size.x = blockDim.x; size.y = blockDim.y;
    grid.x = gridDim.x; grid.y = gridDim.y; grid.z = gridDim.z;
    const unsigned depth = p.n[5], all = p.n[2] | (unsigned)p.n[3] << 16, axis = p.n[1] >> 1;
    if (p.n[6]) {  // threads in a row, filled up to whole warps
      size.x = p.n[6]; size.y = p.n[7];
      number = threadIdx.z;
      threads = size.x * size.y * depth; lanes = blockDim.x;
      thread.x = threadIdx.x % size.x; thread.y = threadIdx.x / size.x % size.y;
      thread.z = threadIdx.x / size.x / size.y;
    } else {
      number = depth == 1 ? threadIdx.z : threadIdx.z / depth;
      thread.z = threadIdx.z - number * depth;
      threads = lanes = blockDim.x * blockDim.y * depth;
    }
    unsigned &along = axis == 0 ? block.x : axis == 1 ? block.y : block.z;
    present = min(factor, all - along * factor);
    along = along * factor + number;
    exists = along < all && (!p.n[6] || threadIdx.x < threads);
    (axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z) = all;
  }
  __device__ bool first() const { return thread.x + thread.y + thread.z == 0; }
  __device__ unsigned rank() const { return thread.x + size.x * (thread.y + size.y * thread.z); }
  // The virtual block's own `bytes` of dynamic shared memory, from byte `at` on.
  __device__ unsigned char *own(uint4 *memory, unsigned bytes, unsigned at) const {
    return reinterpret_cast<unsigned char *>(memory) + base + number * bytes + at;
  }

  // Barriers of the virtual block: whole warps, so one of a single warp needs no barrier of the block's.
  __device__ void sync() const {
    if (MOST == 0 || lanes == 32) __syncwarp();
    else named<1, IDS>::sync(number, lanes);
  }
  __device__ int count(int predicate) const {
    if (MOST != 0 && lanes != 32) return named<1, IDS>::count(number, lanes, predicate);
    const int found = __popc(__ballot_sync(0xffffffffu, predicate));
    __syncwarp();
    return found;
  }
  __device__ int all(int predicate) const { return count(predicate) == (int)threads; }
  __device__ int any(int predicate) const { return count(predicate) != 0; }

  // The turns of others (and one's own, once it is over).
  static __device__ void pass(unsigned turn, unsigned end) {
    for (; turn < end; ++turn) __syncthreads();
  }

  // A shared-memory access region. In turns (VTB): everybody waits until all virtual blocks have had theirs. As a
  // pipe (VTB_pipe): one after the other, in rounds; who is through goes on with private work at once.
  __device__ void begin() const {
    if (!pipe) return;
    if (!ALIKE) {
      if (threadIdx.x + threadIdx.y + threadIdx.z == 0) *gone = 0;
      __syncthreads();
    }
    if (number == present - 1) hand(0);
  }
  __device__ void enter() const {
    if (!pipe) pass(0, number);
    else named<1, IDS>::sync(turn_of(number), 2 * lanes);
  }
  __device__ void leave() const {
    if (!pipe) pass(number, factor);
    else hand(next());
  }
  // The virtual block comes no more. (Where all come equally often, nobody waits for it then.)
  __device__ void over() const {
    if (ALIKE || !pipe) return;
    enter();
    const unsigned to = next();
    sync();
    if (first()) *gone |= 1u << number;
    if (to != number) hand(to);
  }
  // Whose turn is the next: its own where nobody else comes any more.
  __device__ unsigned next() const {
    const unsigned none = ALIKE ? 0 : *gone;
    unsigned to = number;
    do to = to + 1 == present ? 0 : to + 1;
    while (!ALIKE && to != number && (none >> to & 1));
    return to;
  }
  // The barrier of a virtual block's turns: who had the memory comes there, and who gets it waits there.
  __device__ unsigned turn_of(unsigned who) const { return MOST == 0 ? who : factor + who; }
  __device__ void hand(unsigned to) const {
    __threadfence_block();
    named<1, IDS>::arrive(turn_of(to), 2 * lanes);
  }
};

// An array of which the first rows are the virtual block's own and the others are shared in turns (CO-VTB).
template <class A> struct row_of;
template <class R, size_t N> struct row_of<R[N]> { typedef R type; };
template <class R, unsigned CUT> struct divided {
  R *own, *common;
  template <class I> __device__ R &operator[](I i) const {
    typedef decltype(i + 0) wide;
    return (wide)i < (wide)CUT ? own[(wide)i] : common[(wide)i - (wide)CUT];
  }
};
"""

HOST = """\
// What a kernel's statements cost one warp that runs alone (phase_cost.py); memory: cycles of a load;
// entries: how often regions are entered; meeting: serial loads whose chains stay together where they meet; near_: the
// same where all loads meet in L2.
struct phases {
  double outside, inside, instructions, scattered, serial, loads, memory, entries, meeting;
  double near_outside, near_inside, near_memory;
};

// The phases where what is loaded lies in L2, and those that are expected.
static inline phases near_of(phases p) {
  p.outside = p.near_outside; p.inside = p.near_inside; p.memory = p.near_memory;
  return p;
}
static inline phases usual(const phases &p) { return p.meeting >= MEETS ? near_of(p) : p; }

// What the policy says. forms, added up: 1 turns, 2 pipe, 4 and 8 the same with own memory, 16: no fewer of the
// program's blocks may be resident; factor 0: the best up to `most`, as a pipe up to `pipes`.
struct rules { unsigned forms, factor, most, pipes; double margin; };

// Shared memory of a version: what virtual blocks take turns on, static, and what each has of its own, bytes.
struct part { size_t common, own; };

// How often the device has to be filled for `all` blocks, `resident` of which it holds.
static inline double waves(double all, double resident) {
  const double exact = all / resident;
  if (exact >= 4) return exact;
  const double whole = (double)(unsigned long long)exact;
  return whole < exact ? whole + 1 : whole;
}

// Cycles that a launch of `all` blocks of `warps` warps takes on `sms` SMs, each of which holds `blocks` times `factor`
// of them and leaves `l1` bytes: as long as one lives, times the waves of them, or as long as instructions and memory
// need.
static inline double cycles(const phases &p, double all, double sms, unsigned blocks, unsigned factor, unsigned warps,
                            double l1, bool pipe, double rate = PLACES) {
  const double waiting = factor == 1 ? 0 : p.entries * (pipe ? TAKE : TURN * factor);
  const double alone = p.outside + p.inside + waiting, turns = factor * (p.inside + waiting);
  const double life = p.entries > 1.5 && pipe ? (alone > turns ? alone : turns) : p.outside + turns;
  double time = waves(all / factor, blocks * sms) * life;
  const double issued = all / sms * warps * p.instructions / ISSUE;
  if (issued > time) time = issued;
  double lines = (WARP * p.scattered + SECTORS * p.loads) / LINES_IN_FLIGHT;
  if (l1 > 0 && WARP * p.serial / (l1 / HELD) > lines) lines = WARP * p.serial / (l1 / HELD);
  const double fetched = all / sms * warps * p.memory * lines;
  if (fetched > time) time = fetched;
  const double places = all / sms * warps * WARP * p.scattered / rate;
  return places > time ? places : time;
}

// What the environment asks for instead, to measure candidates with one program: GPUOPT_VTB="FACTOR FORM", FORM 0 or 1
// (turns, pipe), 2 or 3 (the same with own memory); factor 1 is the original.
static inline rules asked(rules r) {
  const char *text = getenv("GPUOPT_VTB");
  if (!text || *text < '1' || *text > '9') return r;
  r.factor = 0;
  while (*text >= '0' && *text <= '9') r.factor = 10 * r.factor + (unsigned)(*text++ - '0');
  if (*text == ' ' && text[1] >= '0' && text[1] <= '3') r.forms = (r.forms & 16) | 1u << (text[1] - '0');
  if (r.most < r.factor) r.most = r.factor < 15 ? r.factor : 15;
  return r;
}

// L1 beside the smallest configuration that holds `use` bytes, and the preference that asks for it. A preference of the
// program's own stays.
static inline double beside(const gpu &g, const launch &l, size_t use, int &percent) {
  size_t taken = 0, most = 0;
  bool several = false;
  for (unsigned i = 0; i < 12; ++i) {
    several = several || (g.split[i] && most && g.split[i] != most);
    if (g.split[i] > most) most = g.split[i];
    if (taken < use) taken = g.split[i] > taken ? g.split[i] : taken;
  }
  if (l.carveout_set || !several) return (double)l.l1_bytes;
  percent = (int)(taken * 100 / most);
  const size_t left = g.unified > taken ? g.unified - taken : 0;
  return (double)((left > g.capacity ? g.capacity : left) * g.usable / 1000);
}

static inline size_t up16(size_t bytes) { return (bytes + 15) / 16 * 16; }

// Threads of a virtual block, its last warp filled up.
static inline unsigned filled(const launch &l) { return l.warps * 32; }

// The best factor and form that does not lose where loads meet in L2 either (unless the policy wants all that there
// is), in c.n[0], c.n[1] and c.carveout, and the cycles it takes; 0: none. `dynamic` is what the version under decision
// asks for beside its own static memory so that it has what the candidate would have.
static inline double fastest(const launch &l, choice &c, const phases &p, const rules &r, const part &s, unsigned forms,
                             size_t dynamic) {
  const unsigned axis = l.grid.x > 1 ? 0 : l.grid.y > 1 ? 1 : l.grid.z > 1 ? 2 : 0;
  const unsigned along = axis == 0 ? l.grid.x : axis == 1 ? l.grid.y : l.grid.z;
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const gpu *g = gpu_of(l.capability);
  const phases expected = usual(p), near = near_of(p);
  const bool safe = !r.factor && r.margin > 0;
  const double plain = cycles(near, all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false,
                              FASTEST);
  double best = 0;
  for (unsigned k = 2; k <= r.most; ++k) {
    const unsigned threads = filled(l) * k, deep = l.threads % 32 ? k : l.block.z * k;
    if ((r.factor ? k != r.factor : (k & (k - 1)) != 0) || threads > 1024 || deep > 64 || (k > along && !r.factor))
      continue;
    const unsigned blocks = residency(l, threads, dynamic + k * s.own);
    if (!blocks || ((r.forms & 16) && blocks * k < l.resident_blocks)) continue;
    int percent = -1;
    const size_t use = s.common + (s.own ? up16(l.shared) + k * s.own : l.shared);
    const size_t each = (use + 4 + 127) / 128 * 128;
    const double l1 = g ? beside(*g, l, blocks * (each + g->reserved), percent) : 0;
    for (unsigned form = 0; form < 2; ++form) {
      if (!(forms >> form & 1) || (form == 1 && k > r.pipes)) continue;
      const double found = cycles(expected, all, l.sms, blocks, k, l.warps, l1, form == 1);
      if (best > 0 && found > best * 0.95) continue;
      if (safe && cycles(near, all, l.sms, blocks, k, l.warps, l1, form == 1, FASTEST) > plain * LOSES) continue;
      best = found;
      c.n[0] = (unsigned short)k; c.n[1] = (unsigned short)form; c.carveout = percent;
    }
  }
  return best;
}

// Whether what was found is taken, and the launch that it means.
static inline bool settled(const launch &l, choice &c, const phases &p, const rules &r, size_t own, double best) {
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const double plain = cycles(usual(p), all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false);
  if (best == 0 || (!r.factor && best * r.margin > plain)) return false;
  const unsigned axis = l.grid.x > 1 ? 0 : l.grid.y > 1 ? 1 : l.grid.z > 1 ? 2 : 0, k = c.n[0];
  const unsigned along = axis == 0 ? l.grid.x : axis == 1 ? l.grid.y : l.grid.z;
  c.n[1] = (unsigned short)(c.n[1] | axis << 1);
  c.n[2] = (unsigned short)along; c.n[3] = (unsigned short)(along >> 16);
  c.n[4] = (unsigned short)(own ? up16(l.shared) / 16 : 0); c.n[5] = (unsigned short)l.block.z;
  c.n[6] = c.n[7] = 0;
  (axis == 0 ? c.grid.x : axis == 1 ? c.grid.y : c.grid.z) = along / k + (along % k != 0);
  if (l.threads % 32) {
    c.n[6] = (unsigned short)l.block.x; c.n[7] = (unsigned short)l.block.y;
    c.block.x = filled(l); c.block.y = 1; c.block.z = k;
  } else {
    c.block.z = l.block.z * k;
  }
  if (own) c.shared = up16(l.shared) + k * own;
  return true;
}

static inline bool possible(const launch &l, const rules &r) {
  return l.resident_blocks && l.block.z <= 32 && (gpu_of(l.capability) || r.factor);
}

// Picks factor and form of VTB and VTB_pipe; false: the original.
static inline bool choose(const launch &l, choice &c, const phases &p, const rules &wanted) {
  const rules r = asked(wanted);
  if (!possible(l, r) || !(r.forms & 3)) return false;
  const part s = { l.static_shared, 0 };
  return settled(l, c, p, r, 0, fastest(l, c, p, r, s, r.forms & 3, l.shared));
}

// Picks CO-VTB where it is better than VTB (phases `v`); false: the next version decides.
static inline bool divide(const launch &l, choice &c, const phases &v, const phases &p, const part &s,
                          const rules &wanted) {
  const rules r = asked(wanted);
  if (!possible(l, r) || !(r.forms & 12)) return false;
  choice other = c;
  const part whole = { l.static_shared, 0 };
  const size_t more = l.static_shared > s.common ? l.static_shared - s.common : 0;
  const double turns = r.forms & 3 ? fastest(l, other, v, r, whole, r.forms & 3, l.shared + more) : 0;
  const double best = fastest(l, c, p, r, s, r.forms >> 2, up16(l.shared));
  if (turns > 0 && best > 0.95 * turns) return false;
  return settled(l, c, p, r, s.own, best);
}
"""

_NAMES = r"\b(LINES_IN_FLIGHT|HELD|PLACES|FASTEST|MEETS|LOSES|WARP|SECTORS|ISSUE|TURN|TAKE)\b"
SUPPORT = DEVICE + re.sub(_NAMES, lambda match: str(float(vars(decide)[match.group()])), HOST)
