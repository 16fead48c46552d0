"""The run-time part: C++11 definitions that all versions (device) and guards (host) of the plugin share.

They stand once per translation unit in `gpuopt_rt::plugin_vtb`, beside `plan`, `launch`, `choice` and the GPUs' table.
`decide.py` is the host part's twin in Python; a test holds the two against each other.
"""

from __future__ import annotations

import re

from . import decide

# Slots of the plan: factor, form, blocks along the axis that is cut into virtual blocks (low and high half), axis,
# depth of a virtual block.
DEVICE = """\
// Barrier `number` + 1, by a constant: the compiler counts the barriers that a block uses, and an SM has few of them.
template <unsigned ID> struct named {
  static __device__ void sync(unsigned number, unsigned threads) {
    if (number + 1 == ID) asm volatile("bar.sync %0, %1;" :: "n"(ID), "r"(threads) : "memory");
    else named<ID - 1>::sync(number, threads);
  }
  static __device__ int count(unsigned number, unsigned threads, int predicate) {
    if (number + 1 != ID) return named<ID - 1>::count(number, threads, predicate);
    int found;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, %2, %3, p; }"
                 : "=r"(found) : "r"(predicate), "n"(ID), "r"(threads) : "memory");
    return found;
  }
};
template <> struct named<0> {
  static __device__ void sync(unsigned, unsigned) {}
  static __device__ int count(unsigned, unsigned, int) { return 0; }
};

// The virtual block of the calling thread, and its place in it. All that a kernel knows of its block comes from here.
// MOST virtual blocks at most; 0: each is one warp.
template <unsigned MOST> struct place {
  uint3 thread, block;
  dim3 size, grid;
  unsigned number, factor, threads;  // which virtual block of the launched one, of how many; threads of each
  bool exists, pipe;
  unsigned *turn;
  __device__ explicit place(const plan &p, unsigned *t = 0)
      : size(1, 1, p.n[5]), factor(p.n[0]), pipe(p.n[1] != 0), turn(t) {
    thread.x = threadIdx.x; thread.y = threadIdx.y;
    block.x = blockIdx.x; block.y = blockIdx.y; block.z = blockIdx.z;
    size.x = blockDim.x; size.y = blockDim.y;
    grid.x = gridDim.x; grid.y = gridDim.y; grid.z = gridDim.z;
    const unsigned depth = p.n[5], all = p.n[2] | (unsigned)p.n[3] << 16;
    number = depth == 1 ? threadIdx.z : threadIdx.z / depth;
    thread.z = threadIdx.z - number * depth;
    threads = blockDim.x * blockDim.y * depth;
    unsigned &along = p.n[4] == 0 ? block.x : p.n[4] == 1 ? block.y : block.z;
    along = along * factor + number;
    exists = along < all;
    (p.n[4] == 0 ? grid.x : p.n[4] == 1 ? grid.y : grid.z) = all;
    if (pipe && turn) {
      if (threadIdx.x + threadIdx.y + threadIdx.z == 0) *turn = 0;
      __syncthreads();
    }
  }
  __device__ bool first() const { return thread.x + thread.y + thread.z == 0; }

  // Barriers of the virtual block: whole warps, so one of a single warp needs no barrier of the block's.
  __device__ void sync() const {
    if (MOST == 0 || threads == 32) __syncwarp();
    else named<MOST>::sync(number, threads);
  }
  __device__ int count(int predicate) const {
    if (MOST != 0 && threads != 32) return named<MOST>::count(number, threads, predicate);
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
  // pipe (VTB_pipe): whoever is ready takes the memory, and goes on with private work as soon as it is through.
  __device__ void enter() const {
    if (!pipe) {
      pass(0, number);
      return;
    }
    if (first()) {
      while (atomicCAS(turn, 0u, 1u) != 0u) __nanosleep(20);
      __threadfence_block();
    }
    sync();
  }
  __device__ void leave() const {
    if (!pipe) {
      pass(number, factor);
      return;
    }
    sync();
    if (first()) {
      __threadfence_block();
      atomicExch(turn, 0u);
    }
  }
};
"""

HOST = """\
// What a kernel's statements cost one warp that runs alone (phase_cost.py); memory: cycles of a load;
// entries: how often regions are entered.
struct phases { double outside, inside, instructions, scattered, serial, loads, memory, entries; };

// What the policy says. form 0: turns, 1: pipe, 2: either; factor 0: the best up to `most`.
struct rules { unsigned form, factor, most; double margin; };

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
                            double l1, bool pipe) {
  const double waiting = factor == 1 ? 0 : p.entries * (pipe ? TAKE : TURN * factor);
  const double alone = p.outside + p.inside + waiting, turns = factor * (p.inside + waiting);
  const double life = p.entries > 1.5 && pipe ? (alone > turns ? alone : turns) : p.outside + turns;
  double time = waves(all / factor, blocks * sms) * life;
  const double issued = all / sms * warps * p.instructions / ISSUE;
  if (issued > time) time = issued;
  double lines = (WARP * p.scattered + SECTORS * p.loads) / LINES_IN_FLIGHT;
  if (l1 > 0) lines += WARP * p.serial / (l1 / 128);
  const double fetched = all / sms * warps * p.memory * lines;
  return fetched > time ? fetched : time;
}

// What the environment asks for instead, to measure candidates with one program: GPUOPT_VTB="FACTOR FORM", FORM 0 or 1;
// factor 1 is the original.
static inline rules asked(rules r) {
  const char *text = getenv("GPUOPT_VTB");
  if (!text || *text < '1' || *text > '9') return r;
  r.factor = 0;
  while (*text >= '0' && *text <= '9') r.factor = 10 * r.factor + (unsigned)(*text++ - '0');
  if (*text == ' ' && (text[1] == '0' || text[1] == '1')) r.form = (unsigned)(text[1] - '0');
  if (r.most < r.factor) r.most = r.factor < 15 ? r.factor : 15;
  return r;
}

// L1 beside the smallest configuration that holds `blocks` blocks, and the preference that asks for it. A preference of
// the program's own stays.
static inline double beside(const gpu &g, const launch &l, unsigned blocks, int &percent) {
  const size_t use = blocks * (l.static_shared + l.shared + g.reserved);
  size_t taken = 0, most = 0;
  for (unsigned i = 0; i < 12; ++i) {
    if (g.split[i] > most) most = g.split[i];
    if (taken < use) taken = g.split[i] > taken ? g.split[i] : taken;
  }
  if (l.carveout_set || !most) return (double)l.l1_bytes;
  percent = (int)(taken * 100 / most);
  const size_t left = g.unified > taken ? g.unified - taken : 0;
  return (double)((left > g.capacity ? g.capacity : left) * g.usable / 1000);
}

// Picks factor and form; false: the original.
static inline bool choose(const launch &l, choice &c, const phases &p, const rules &wanted) {
  const rules r = asked(wanted);
  const unsigned depth = l.block.z, axis = l.grid.x > 1 ? 0 : l.grid.y > 1 ? 1 : l.grid.z > 1 ? 2 : 0;
  const unsigned along = axis == 0 ? l.grid.x : axis == 1 ? l.grid.y : l.grid.z;
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  if (l.threads % 32 || !l.resident_blocks || depth > 32) return false;
  const gpu *g = gpu_of(l.capability);
  if (!g && !r.factor) return false;
  const double plain = cycles(p, all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false);
  double best = 0;
  for (unsigned k = 2; k <= r.most; ++k) {
    const unsigned threads = l.threads * k;
    if ((r.factor ? k != r.factor : (k & (k - 1)) != 0) || threads > 1024 || depth * k > 64 || (k > along && !r.factor))
      continue;
    const unsigned blocks = residency(l, threads, l.shared);
    if (!blocks) continue;
    int percent = -1;
    const double l1 = g ? beside(*g, l, blocks, percent) : 0;
    for (unsigned form = 0; form < 2; ++form) {
      if (r.form != 2 && r.form != form) continue;
      const double found = cycles(p, all, l.sms, blocks, k, l.warps, l1, form == 1);
      if (best > 0 && found > best * 0.98) continue;
      best = found;
      c.n[0] = (unsigned short)k; c.n[1] = (unsigned short)form; c.carveout = percent;
    }
  }
  if (best == 0 || (!r.factor && best * r.margin > plain)) return false;
  const unsigned k = c.n[0];
  c.n[2] = (unsigned short)along; c.n[3] = (unsigned short)(along >> 16);
  c.n[4] = (unsigned short)axis; c.n[5] = (unsigned short)depth;
  (axis == 0 ? c.grid.x : axis == 1 ? c.grid.y : c.grid.z) = along / k + (along % k != 0);
  c.block.z = depth * k;
  return true;
}
"""

_NAMES = r"\b(LINES_IN_FLIGHT|WARP|SECTORS|ISSUE|TURN|TAKE)\b"
SUPPORT = DEVICE + re.sub(_NAMES, lambda match: str(float(vars(decide)[match.group()])), HOST)
