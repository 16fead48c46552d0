// The launch-time part of gpuopt: picks the version of a kernel that a launch gets. Pasted at the end of patched
// files, between asked.h and remembered.h; plain C++11 CUDA, no library behind it. `config` is declared in front of the first patched kernel.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

// What a version gets as its first parameter.
struct plan { unsigned short n[8]; void *scratch; };

// What a guard may know of a launch. Sizes in bytes; blocks and warps are counts.
struct launch {
  const void *kernel, *version;           // the original, and the version that is being decided on
  dim3 grid, block;
  size_t shared, static_shared;           // dynamic and static shared memory of a block
  int device, capability, sms, registers; // capability: 90 for 9.0; registers per thread
  unsigned threads, warps;                // of a block
  unsigned resident_blocks;               // of an SM, by occupancy
  unsigned blocks_per_sm;                 // the same, or fewer where the grid is small
  size_t l1_bytes;                        // L1 data cache that a kernel can use here; 0: GPU not known
  size_t l1_total, shared_reserved;       // L1 and shared memory together; taken by the system for every block
  size_t l2_bytes;                        // L2 cache of the device
  bool carveout_set;                      // the program, or an earlier version's guard, set a carve-out preference
  int carveout = -1;                      // percent that an earlier version's guard chose, -1: none
  const unsigned *away = 0;               // loads that an earlier version sends past L1, by their offset in the source
  unsigned aways = 0;
  bool past_l1(unsigned offset) const {
    for (unsigned i = 0; i < aways; ++i) if (away[i] == offset) return true;
    return false;
  }
};

// What a guard gets in place of a pointer or a floating-point number: launches that differ in these share its answer.
struct unread {
  template <class T> unread(const T &) {}
};

// What a guard decides; it starts as the launch itself.
struct choice {
  dim3 grid, block;
  size_t shared;   // dynamic
  size_t scratch;  // bytes, zeroed and ordered on the stream, handed over as plan.scratch
  int carveout;    // percent of shared memory, -1: no preference
  unsigned short n[8];
  bool gives_way;  // a later version that takes the launch as it was is to be preferred
  bool fewer_blocks;  // no block waits for another: fewer of them may be resident than of the original's
};

struct trial;

// A decision taken for a kernel: by context, configuration and scalar arguments.
struct entry {
  bool known, again;         // again: what was learned is to be looked at once more
  unsigned left;             // launches until then; 0: never
  unsigned skip, passed;     // launches that are not looked at where others are measured: to come, and since the last one
  trial *tried;              // where launches are measured
  int pick, device;          // the version picked
  int limit, preference;     // attributes of the original when it was picked
  cudaFunction_t original, picked;  // as the driver knows them in that context
  int told_limit, told_preference;  // what it said of the original's attributes then
  dim3 grid, block;
  size_t shared;
  unsigned long long key, context;
  choice chosen;
  void reset(const config &c) {
    pick = 0; limit = 0; preference = -1; device = -1; original = picked = 0;
    chosen.grid = c.grid; chosen.block = c.block; chosen.shared = c.shared; chosen.scratch = 0; chosen.carveout = -1;
    for (unsigned k = 0; k < 8; ++k) chosen.n[k] = 1;
    chosen.gives_way = chosen.fewer_blocks = false;
  }
};
struct gpu { int capability; size_t unified, capacity; unsigned usable, statics; size_t reserved, usual; size_t split[12]; };
static const gpu gpus[] = { GPUOPT_RT_GPUS };

static inline const gpu *gpu_of(int capability) {
  for (unsigned i = 0; i < sizeof(gpus) / sizeof(gpus[0]); ++i)
    if (gpus[i].capability == capability) return &gpus[i];
  return 0;
}

// L1 bytes beside the smallest shared-memory configuration that holds `use` bytes.
static inline size_t l1_beside(const gpu &g, size_t use) {
  size_t taken = 0;
  if (use < g.usual) use = g.usual;
  for (unsigned i = 0; i < 12 && (i == 0 || g.split[i]); ++i) { taken = g.split[i]; if (taken >= use) break; }
  size_t left = g.unified > taken ? g.unified - taken : 0;
  if (left > g.capacity) left = g.capacity;
  return left * g.usable / 1000;
}

static inline int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

// What the calling thread's last device is; asked once.
struct machine { int device, capability, sms; size_t l2, shared; };
static inline const machine &machine_of(int device) {
  static thread_local machine m = { -1, 0, 0, 0, 0 };
  if (m.device != device) {
    m.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                   attribute(cudaDevAttrComputeCapabilityMinor, device);
    m.sms = attribute(cudaDevAttrMultiProcessorCount, device);
    m.l2 = (size_t)attribute(cudaDevAttrL2CacheSize, device);
    m.shared = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    m.device = device;
  }
  return m;
}

// Facts of a launch; false (and no error left behind) where they cannot be had.
static inline bool describe(launch &l, const config &c, const void *kernel) {
  cudaFuncAttributes a;
  int blocks = 0;
  l.kernel = l.version = kernel; l.grid = c.grid; l.block = c.block; l.shared = c.shared;
  l.threads = c.block.x * c.block.y * c.block.z;
  l.warps = (l.threads + 31) / 32;
  if (!l.threads || cudaGetDevice(&l.device) != cudaSuccess || cudaFuncGetAttributes(&a, kernel) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)l.threads, c.shared) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  const machine &m = machine_of(l.device);
  l.capability = m.capability; l.sms = m.sms; l.l2_bytes = m.l2;
  l.registers = a.numRegs; l.static_shared = a.sharedSizeBytes;
  l.resident_blocks = (unsigned)blocks;
  const unsigned long long all = (unsigned long long)c.grid.x * c.grid.y * c.grid.z;
  const unsigned long long each = l.sms ? (all + l.sms - 1) / l.sms : all;
  l.blocks_per_sm = each < l.resident_blocks ? (unsigned)each : l.resident_blocks;
  l.carveout_set = a.preferredShmemCarveout >= 0;
  l.l1_bytes = l.l1_total = l.shared_reserved = 0;
  if (const gpu *g = gpu_of(l.capability)) {
    const size_t one = l.static_shared + c.shared + g->reserved;
    size_t use = (one + (g->statics - 1) * l.static_shared) * l.resident_blocks;  // what the driver makes room for
    if (l.carveout_set) {
      const size_t wish = m.shared * (size_t)a.preferredShmemCarveout / 100;
      if (wish > use) use = wish;
    }
    l.l1_bytes = l1_beside(*g, use);
    l.l1_total = g->unified; l.shared_reserved = g->reserved;
  }
  return blocks > 0 && c.shared <= (size_t)a.maxDynamicSharedSizeBytes;  // what must fail is left to fail
}

// Give a version the attributes that its original has; false where the version has no body (nvcc/ptx.c gives those that
// are refused one thread per block), where it cannot run as chosen, or where fewer
// of its blocks would be resident although its guard did not ask for that, with other shared memory, other blocks, a
// carve-out or `fewer_blocks` (whoever asked for the original's occupancy may rely on it).
static inline bool prepare(const launch &l, const void *version, entry &e) {
  const choice &c = e.chosen;
  cudaFuncAttributes from, to;
  int blocks = 0;
  bool good = cudaFuncGetAttributes(&from, l.kernel) == cudaSuccess &&
              cudaFuncGetAttributes(&to, version) == cudaSuccess && to.maxThreadsPerBlock > 1;
  // What the program raised is handed on; the usual 48 KB with the static part are what every kernel has.
  const bool raised = good && (size_t)from.maxDynamicSharedSizeBytes + from.sharedSizeBytes > 49152;
  size_t limit = raised ? (size_t)from.maxDynamicSharedSizeBytes : 0;
  if (limit < c.shared) limit = c.shared;
  if (good && (size_t)to.maxDynamicSharedSizeBytes < limit)
    good = cudaFuncSetAttribute(version, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)limit) == cudaSuccess;
  const int carveout = good && c.carveout >= 0 ? c.carveout : good ? from.preferredShmemCarveout : -1;
  if (good && to.preferredShmemCarveout != carveout)
    good = cudaFuncSetAttribute(version, cudaFuncAttributePreferredSharedMemoryCarveout, carveout) == cudaSuccess;
  const bool same_grid = c.grid.x == l.grid.x && c.grid.y == l.grid.y && c.grid.z == l.grid.z;
  const bool same_block = c.block.x == l.block.x && c.block.y == l.block.y && c.block.z == l.block.z;
  // A guard that asked for another grid counts on as many of its blocks being resident as the original has.
  const unsigned long long all = (unsigned long long)c.grid.x * c.grid.y * c.grid.z;
  const unsigned long long each = same_grid || !l.sms ? l.blocks_per_sm : (all + l.sms - 1) / l.sms;
  if (good && c.carveout == l.carveout && c.shared == l.shared && same_block && !c.fewer_blocks)
    good = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, version, (int)l.threads, c.shared) == cudaSuccess &&
           (unsigned)blocks >= (each < l.blocks_per_sm ? (unsigned)each : l.blocks_per_sm);
  if (!good) { cudaGetLastError(); return false; }
  e.limit = from.maxDynamicSharedSizeBytes;
  e.preference = from.preferredShmemCarveout;
  return true;
}

// Blocks of the version that an SM would hold, for blocks of `threads` threads with `shared` bytes of dynamic shared
// memory; 0 where it cannot run so.
static inline unsigned residency(const launch &l, unsigned threads, size_t shared) {
  cudaFuncAttributes a;
  int blocks = 0;
  bool good = cudaFuncGetAttributes(&a, l.version) == cudaSuccess && threads <= (unsigned)a.maxThreadsPerBlock;
  if (good && (size_t)a.maxDynamicSharedSizeBytes < shared)
    good = cudaFuncSetAttribute(l.version, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared) == cudaSuccess;
  good = good &&
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l.version, (int)threads, shared) == cudaSuccess;
  if (!good) cudaGetLastError();
  return good && blocks > 0 ? (unsigned)blocks : 0;
}

// The launch as a choice leaves it to later versions: L1 beside the carve-out, and the blocks that fit.
static inline void leave(launch &l, const choice &c) {
  const gpu *g = gpu_of(l.capability);
  l.grid = c.grid; l.block = c.block; l.shared = c.shared;
  if (c.carveout == l.carveout || c.carveout < 0) return;
  l.carveout = c.carveout;
  l.carveout_set = true;
  if (!g) { l.l1_bytes = 0; return; }
  size_t most = 0, size = 0;
  for (unsigned i = 0; i < 12; ++i) if (g->split[i] > most) most = g->split[i];
  for (unsigned i = 0; i < 12 && (i == 0 || g->split[i]); ++i) {
    size = g->split[i];
    if (size * 100 >= most * (size_t)c.carveout) break;
  }
  l.l1_bytes = l1_beside(*g, size);
  const size_t each = (l.static_shared + l.shared + g->reserved + 127) / 128 * 128;
  const unsigned fit = each ? (unsigned)(size / each) : l.resident_blocks;
  if (fit < l.resident_blocks) l.resident_blocks = fit;
  if (fit < l.blocks_per_sm) l.blocks_per_sm = fit;
}

// What a version is asked: a function object that fills in a choice or offers. One type for all of them, so that what
// asks is compiled once.
struct question {
  const void *about;
  bool (*ask)(const void *about, const launch &, void *filled);
  template <class Filled, class Function> static question of(const Function &function) {
    struct call {
      static bool made(const void *about, const launch &l, void *filled) {
        return (*(const Function *)about)(l, *(Filled *)filled);
      }
    };
    return question{ &function, call::made };
  }
};

// Finds the pick of a launch: versions are asked in their order, each for the launch as those before it leave it.
// `to` says by the pick so far which pick a version makes of it, -1: none. Where a pick gives way, a version is asked
// for the launch without it first. Cold, and so are the guards that are called from here only: a decision is remembered,
// and guards make up most of what a host compiler would have to optimise.
struct search {
  entry &e;
  const void *const *of;  // functions by pick
  launch now, before;     // as the pick leaves it; as it was before the pick that gives way
  choice chosen, kept;
  int pick, under;
  search(entry &e_, const launch &l, const void *const *of_)
      : e(e_), of(of_), now(l), before(l), chosen(e_.chosen), kept(e_.chosen), pick(0), under(0) {}
  __attribute__((cold))
  bool attempt(launch l, const choice &c, int to, const unsigned *away, unsigned aways, const question &guard) {
    if (to < 0) return false;
    e.chosen = c;
    e.chosen.gives_way = false;
    l.version = of[to];
    if (!guard.ask(guard.about, l, &e.chosen) || !prepare(l, l.version, e)) return false;
    if (e.chosen.gives_way) { before = l; kept = c; }
    leave(l, e.chosen);
    if (aways) { l.away = away; l.aways = aways; }
    pick = to; now = l; chosen = e.chosen;
    return true;
  }
  __attribute__((cold))
  void ask(const char *name, const signed char *to, const unsigned *away, unsigned aways, const question &guard) {
    if (!wanted(name)) return;
    const launch l = now;
    const choice c = chosen;
    const int from = pick;
    if (c.gives_way && attempt(before, kept, to[under], away, aways, guard)) return;
    if (attempt(l, c, to[from], away, aways, guard) && chosen.gives_way) under = from;
  }
  void end() { e.chosen = chosen; e.pick = pick; e.device = now.device; }
};

// Distinct lines of `bytes` that the 32 lanes of one warp touch, for offset(x, y, z) of an access of `size` bytes;
// the larger of the block's first and middle warp.
template <class Offset> static inline unsigned lines(const launch &l, unsigned bytes, unsigned size, Offset offset) {
  unsigned most = 0;
  for (unsigned pass = 0; pass < 2; ++pass) {
    long long seen[64];
    unsigned count = 0;
    const unsigned first = pass ? l.warps / 2 * 32 : 0;
    for (unsigned t = first; t < first + 32 && t < l.threads; ++t) {
      const long long at = offset((long long)(t % l.block.x), (long long)(t / l.block.x % l.block.y),
                                  (long long)(t / (l.block.x * l.block.y)));
      for (unsigned end = 0; end < 2; ++end) {
        const long long byte = at + (end ? (long long)size - 1 : 0);
        const long long line = (byte >= 0 ? byte : byte - (long long)bytes + 1) / (long long)bytes;
        unsigned i = 0;
        while (i < count && seen[i] != line) ++i;
        if (i == count) seen[count++] = line;
      }
    }
    if (count > most) most = count;
  }
  return most;
}

// The launch's own built-in variables, for versions that give these another meaning. In inline assembly with a mark, so
// that whatever else reads them in such a version is known to have been missed (ptx/registers.py). The emulator has
// no special registers.
namespace real {
#ifdef GPUOPT_EMU_LAUNCH_H
#define GPUOPT_RT_REAL(builtin, axis, place) return builtin.axis;
#else
#define GPUOPT_RT_REAL(builtin, axis, place) unsigned v; asm("mov.u32 %0, %%" place "." #axis "; // gpuopt" : "=r"(v)); return v;
#endif
inline __device__ unsigned thread_x() { GPUOPT_RT_REAL(threadIdx, x, "tid") }
inline __device__ unsigned thread_y() { GPUOPT_RT_REAL(threadIdx, y, "tid") }
inline __device__ unsigned thread_z() { GPUOPT_RT_REAL(threadIdx, z, "tid") }
inline __device__ unsigned block_x() { GPUOPT_RT_REAL(blockIdx, x, "ctaid") }
inline __device__ unsigned block_y() { GPUOPT_RT_REAL(blockIdx, y, "ctaid") }
inline __device__ unsigned block_z() { GPUOPT_RT_REAL(blockIdx, z, "ctaid") }
inline __device__ unsigned threads_x() { GPUOPT_RT_REAL(blockDim, x, "ntid") }
inline __device__ unsigned threads_y() { GPUOPT_RT_REAL(blockDim, y, "ntid") }
inline __device__ unsigned blocks_x() { GPUOPT_RT_REAL(gridDim, x, "nctaid") }
inline __device__ unsigned blocks_y() { GPUOPT_RT_REAL(gridDim, y, "nctaid") }
inline __device__ unsigned blocks_z() { GPUOPT_RT_REAL(gridDim, z, "nctaid") }
#undef GPUOPT_RT_REAL
}

// The group that a thread's warp belongs to when a block's warps are divided into `groups` equal parts.
inline __device__ unsigned warp_group(unsigned groups) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  return thread / 32 * groups / warps;
}

} }
