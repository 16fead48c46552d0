// policy: factor=2, form="turns"
// run: grid=4 block=64 x=256 y=256
// Lambdas with a default capture see the virtual block.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const int *x, int *y)
{
    __shared__ int s[64];
    auto at = [=](int i) { return (i ^ threadIdx.x) % 64; };
    auto mine = [&](auto i) { auto inner = [&, i] { return blockIdx.x * 64 + threadIdx.x + i; }; return inner(); };
    auto own = [t = threadIdx.x](int i) { return (int)t + i; };
    s[threadIdx.x] = x[mine(0)] + own(1);
    __syncthreads();
    y[mine(0)] = s[at(1)];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y);
void run(const int *x, int *y) { kernel__gpuopt_launch(::gpuopt_rt::config(4, 64), x, y); }
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// What the runtime needs of the C library, under names of its own: no header is included, so that a list of dependencies
// names what it named, and nothing that the program declares is in the way. Pasted first.
extern "C" {
int gpuopt_io_open(const char *, int, ...) __asm__("open");
long gpuopt_io_read(int, void *, size_t) __asm__("read");
long gpuopt_io_write(int, const void *, size_t) __asm__("write");
int gpuopt_io_close(int) __asm__("close");
int gpuopt_io_mkdir(const char *, unsigned) __asm__("mkdir");
int gpuopt_io_rename(const char *, const char *) __asm__("rename");
int gpuopt_io_unlink(const char *) __asm__("unlink");
int gpuopt_io_getpid() __asm__("getpid");
unsigned gpuopt_io_geteuid() __asm__("geteuid");
long gpuopt_io_time(long *) __asm__("time");
int gpuopt_io_print(char *, size_t, const char *, ...) __asm__("snprintf");
int gpuopt_io_statx(int, const char *, int, unsigned, void *) __asm__("statx") __attribute__((weak));
int gpuopt_io_clock(int, void *) __asm__("clock_gettime");
char *gpuopt_io_find(const char *, int) __asm__("strchr");
unsigned long gpuopt_io_whole(const char *, char **, int) __asm__("strtoul");
double gpuopt_io_real(const char *, char **) __asm__("strtod");
int gpuopt_io_compare(const char *, const char *) __asm__("strcmp");
size_t gpuopt_io_length(const char *) __asm__("strlen");
void *gpuopt_io_take(size_t) __asm__("malloc");
void gpuopt_io_free(void *) __asm__("free");
int gpuopt_io_at_exit(void (*)()) __asm__("atexit");
}
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
// The launch-time part of gpuopt: picks the version of a kernel that a launch gets. Pasted at the end of patched
// files, before remembered.h; plain C++11 CUDA, no library behind it. `config` is declared in front of the first patched kernel.
namespace gpuopt_rt { inline namespace VERSION {

extern "C" int dprintf(int, const char *, ...);

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
};

// GPUOPT_DISPATCH: 1 "original" (never a version), 2 "trace" or "only:NAME" (decisions on stderr), 0 otherwise.
static inline int mode() {
  static int value = -1;  // no guard of the compiler's around it: any thread finds the same
  if (value < 0) {
    const char *text = getenv("GPUOPT_DISPATCH");
    value = !text ? 0 : text[0] == 'o' && text[1] == 'r' ? 1 : text[0] == 't' || text[0] == 'o' ? 2 : 0;
  }
  return value;
}

// Whether a version may be taken: GPUOPT_DISPATCH=only:NAME leaves those whose name begins with NAME.
static inline bool wanted(const char *version) {
  const char *text = getenv("GPUOPT_DISPATCH");
  if (!text || text[0] != 'o' || text[1] != 'n' || text[2] != 'l' || text[3] != 'y' || text[4] != ':') return true;
  for (text += 5; *text; ++text, ++version)
    if (*text != *version) return false;
  return true;
}

struct trial;

// A decision taken for a kernel: by context, configuration and scalar arguments.
struct entry {
  bool known, again;         // again: what was learned is to be looked at once more
  unsigned left;             // launches until then; 0: never
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
    chosen.gives_way = false;
  }
};
struct gpu { int capability; size_t unified, capacity; unsigned usable, statics; size_t reserved, usual; size_t split[12]; };
static const gpu gpus[] = { { 13, 0u, 0u, 1000u, 1u, 0u, 0u, { 0u } }, { 20, 65536u, 49152u, 1000u, 1u, 0u, 49152u, { 16384u, 49152u } }, { 30, 65536u, 49152u, 1000u, 1u, 0u, 49152u, { 16384u, 32768u, 49152u } }, { 35, 65536u, 49152u, 1000u, 1u, 0u, 49152u, { 16384u, 32768u, 49152u } }, { 52, 24576u, 24576u, 1000u, 1u, 0u, 0u, { 0u } }, { 60, 24576u, 24576u, 1000u, 1u, 0u, 0u, { 0u } }, { 70, 131072u, 131072u, 1000u, 1u, 0u, 0u, { 0u, 8192u, 16384u, 32768u, 65536u, 98304u } }, { 75, 98304u, 65536u, 1000u, 1u, 0u, 32768u, { 32768u, 65536u } }, { 80, 196608u, 196608u, 1000u, 1u, 1024u, 32768u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u, 135168u, 167936u } }, { 86, 131072u, 131072u, 1000u, 1u, 1024u, 16384u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u } }, { 87, 196608u, 196608u, 1000u, 1u, 1024u, 16384u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u, 135168u, 167936u } }, { 89, 131072u, 131072u, 1000u, 1u, 1024u, 32768u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u } }, { 90, 262144u, 262144u, 980u, 2u, 1024u, 32768u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u, 135168u, 167936u, 200704u, 233472u } }, { 100, 262144u, 262144u, 1000u, 1u, 1024u, 32768u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u, 135168u, 167936u, 200704u, 233472u } }, { 120, 131072u, 131072u, 1000u, 1u, 1024u, 32768u, { 0u, 8192u, 16384u, 32768u, 65536u, 102400u } } };

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

// Give a version the attributes that its original has; false where the version cannot run as chosen, or where fewer
// of its blocks would be resident although its guard did not ask for that, with other shared memory, other blocks or a
// carve-out (whoever asked for the original's occupancy may rely on it).
static inline bool prepare(const launch &l, const void *version, entry &e) {
  const choice &c = e.chosen;
  cudaFuncAttributes from, to;
  int blocks = 0;
  bool good = cudaFuncGetAttributes(&from, l.kernel) == cudaSuccess &&
              cudaFuncGetAttributes(&to, version) == cudaSuccess;
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
  if (good && c.carveout == l.carveout && c.shared == l.shared && same_block)
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
  template <class Guard> __attribute__((cold))
  bool attempt(launch l, const choice &c, int to, const unsigned *away, unsigned aways, Guard guard) {
    if (to < 0) return false;
    e.chosen = c;
    e.chosen.gives_way = false;
    l.version = of[to];
    if (!guard(l, e.chosen) || !prepare(l, l.version, e)) return false;
    if (e.chosen.gives_way) { before = l; kept = c; }
    leave(l, e.chosen);
    if (aways) { l.away = away; l.aways = aways; }
    pick = to; now = l; chosen = e.chosen;
    return true;
  }
  template <class Guard> __attribute__((cold))
  void ask(const char *name, const signed char *to, const unsigned *away, unsigned aways, Guard guard) {
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
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
// The part of every launch: what was decided before is found, and still holds. One copy of each function serves all
// kernels: a call costs a nanosecond, a copy in each launch function a tenth of a second of the compiler's. Pasted behind runtime.h.
namespace gpuopt_rt { inline namespace VERSION {

// Decisions already taken for a kernel.
struct memo {
  entry e[8];
  unsigned next, calm, rest;   // decisions for the original in a row; launches that are not looked at
  unsigned long long blocks;  // of the launches that these were about
  __attribute__((noinline)) entry *find(const config &c, unsigned long long key, unsigned long long context) {
    for (unsigned i = 0; i < 8; ++i) {
      const entry &o = e[i];
      if (o.known && o.key == key && o.context == context && o.shared == c.shared && o.grid.x == c.grid.x &&
          o.grid.y == c.grid.y && o.grid.z == c.grid.z && o.block.x == c.block.x && o.block.y == c.block.y &&
          o.block.z == c.block.z)
        return &e[i];
    }
    return 0;
  }
  __attribute__((noinline)) entry *take(entry *o, const config &c, unsigned long long key, unsigned long long context) {
    if (!o) { o = &e[next++ % 8]; o->again = false; }
    gpuopt_io_free(o->tried);
    o->tried = 0; o->left = 0;
    o->known = false; o->context = context; o->grid = c.grid; o->block = c.block; o->shared = c.shared; o->key = key;
    o->reset(c);
    return o;
  }
  // Arguments that change with every launch: after many decisions for the original in a row, most launches of about
  // the same size get it unasked.
  __attribute__((noinline)) bool rests(const config &c) {
    const unsigned long long now = (unsigned long long)c.grid.x * c.grid.y * c.grid.z;
    if (now > 2 * blocks || 2 * now < blocks) { blocks = now; calm = rest = 0; }
    return mode() != 2 && rest && rest--;
  }
  void note(int pick) {
    calm = pick ? 0 : calm + 1;
    rest = calm < 16 ? 0 : calm < 256 ? calm : 256;
  }
};

// What the driver says itself takes it a tenth of the runtime's time, and no pending error is in its way. From CUDA 12
// on: before that the device that was set may not have had a context yet, and another one's was the current one.
struct driver {
  int (*id)(void *, unsigned long long *);            // cuCtxGetId: of the current context; no other ever has it
  int (*attribute)(int *, int, cudaFunction_t);        // cuFuncGetAttribute
  int (*launch)(cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cudaStream_t,
                void **, void **);                     // cuLaunchKernel, with this unit's default stream
};
#if CUDART_VERSION >= 12000
template <class F> static inline bool entry_point(const char *name, F &function) {
  void *found = 0;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, 12000, 0);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &found, 0);
#endif
  if (error != cudaSuccess) cudaGetLastError();
  function = (F)found;
  return error == cudaSuccess && found;
}
#endif
static inline const driver *drivers() {
  static driver d = { 0, 0, 0 };
  static int state = 0;  // 1: known, 2: not to be had
#if CUDART_VERSION >= 12000
  int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (!now && cudaPeekAtLastError() == cudaSuccess) {
    driver found = { 0, 0, 0 };
    now = entry_point("cuCtxGetId", found.id) && entry_point("cuFuncGetAttribute", found.attribute) &&
          entry_point("cuLaunchKernel", found.launch) ? 1 : 2;
    if (now == 1) d = found;  // any thread finds the same
    __atomic_store_n(&state, now, __ATOMIC_RELEASE);
  }
  return now == 1 ? &d : 0;
#else
  return 0;
#endif
}

// Which context a launch of the calling thread goes to: a device, from its start or last reset on. False where versions
// must not be used: asked for, or an error is in the way.
__attribute__((noinline)) static bool current(unsigned long long &context, const void *original) {
  if (mode() == 1) return false;
  const driver *d = drivers();
  if (d && d->id(0, &context) == 0) return true;
  cudaFuncAttributes a;
  int device = 0;
  if (cudaPeekAtLastError() != cudaSuccess) return false;
  if ((d ? cudaFuncGetAttributes(&a, original) : cudaGetDevice(&device)) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  context = ~(unsigned long long)device;
  return !d || d->id(0, &context) == 0;  // there was no context yet
}

static inline cudaFunction_t function_of(const void *symbol) {
  cudaFunction_t function = 0;
  if (cudaGetFuncBySymbol(&function, symbol) == cudaSuccess) return function;
  cudaGetLastError();
  return 0;
}

// From now on `started` launches what was picked, and `stale` compares with what the original's attributes are.
__attribute__((noinline)) static void watch(entry &e, const void *original, const void *picked) {
  const driver *d = drivers();
  if (!d) return;
  e.picked = function_of(picked);
  if (e.pick) e.original = function_of(original);
  if (e.original &&
      (d->attribute(&e.told_limit, 8, e.original) || d->attribute(&e.told_preference, 9, e.original))) e.original = 0;
}

// Launches what was picked. The driver is told the function; the runtime would look it up by its address first, and
// `arguments` are the addresses that it would hand on. False where it did not: the runtime then says why.
__attribute__((noinline)) static bool started(const entry &e, cudaStream_t stream, void **arguments) {
  const choice &c = e.chosen;
  return e.picked && drivers()->launch(e.picked, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
                                       (unsigned)c.shared, stream, arguments, 0) == 0;
}

// Whether the program changed attributes of the original since a version was prepared. How much dynamic shared memory
// it may have says nothing about launches without any.
__attribute__((noinline)) static bool stale(const entry &e, const void *original) {
  if (e.original) {
    const driver *d = drivers();
    int limit = e.told_limit, preference = -1;
    return d->attribute(&preference, 9, e.original) || preference != e.told_preference ||
           (e.shared && d->attribute(&limit, 8, e.original)) || limit != e.told_limit;
  }
  cudaFuncAttributes now;
  if (cudaPeekAtLastError() != cudaSuccess) return true;
  if (cudaFuncGetAttributes(&now, original) != cudaSuccess) { cudaGetLastError(); return true; }
  return now.maxDynamicSharedSizeBytes != e.limit || now.preferredShmemCarveout != e.preference;
}

// The carve-out is an attribute of a function in a context, and a choice is of a launch: set where the last launch there,
// of whichever thread, wanted another. By device: context and percentage plus 2; 0: nothing was set.
struct arranged {
  unsigned long long last[64];
  __attribute__((noinline)) void want(const void *version, const entry &e) {
    const int percent = e.chosen.carveout >= 0 ? e.chosen.carveout : e.preference;
    const unsigned long long wish = e.context << 7 | (unsigned)(percent + 2);
    unsigned long long *now = e.device >= 0 && e.device < 64 ? last + e.device : nullptr;
    if (now && __atomic_load_n(now, __ATOMIC_RELAXED) == wish) return;
    if (cudaPeekAtLastError() != cudaSuccess) return;
    if (cudaFuncSetAttribute(version, cudaFuncAttributePreferredSharedMemoryCarveout, percent) != cudaSuccess)
      cudaGetLastError();
    if (now) __atomic_store_n(now, wish, __ATOMIC_RELAXED);
  }
};

static inline unsigned long long mix(unsigned long long h, unsigned long long v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
  return h ^ h >> 32;
}
inline unsigned long long key(const float &) { return 0; }
inline unsigned long long key(const double &) { return 0; }
template <class T> static inline unsigned long long key(T *const &) { return 0; }
template <class T> static inline unsigned long long key(T *__restrict__ const &) { return 0; }
template <class T> static inline unsigned long long key(const T &value) {  // its bytes, eight at a time
  typedef unsigned long long __attribute__((may_alias, aligned(1))) word;
  const volatile unsigned char *bytes = &reinterpret_cast<const volatile unsigned char &>(value);
  unsigned long long h = 0, rest = 0;
  for (size_t i = 0; i < sizeof(T) / 8; ++i) h = mix(h, *reinterpret_cast<const volatile word *>(bytes + 8 * i));
  for (size_t i = sizeof(T) / 8 * 8; i < sizeof(T); ++i) rest = rest << 8 | bytes[i];
  return sizeof(T) % 8 ? mix(h, rest) : h;
}
template <class T> static inline void *place(T &argument) {  // whatever its operator& does
  return (void *)&(const volatile char &)argument;
}
template <class F> static inline const void *address(F *function) { return reinterpret_cast<const void *>(function); }

// Whether what was learned of a launch is to be looked at once more.
static inline bool due(entry &e) { return e.left && !--e.left && (e.again = true); }

__attribute__((noinline)) static void trace(const char *kernel, const char *version, const entry &e, const char *how = "") {
  if (mode() == 2)
    dprintf(2, "gpuopt: %s<<<(%u,%u,%u),(%u,%u,%u),%zu>>>: %s n=%u,%u,%u,%u shared=%zu%s\n", kernel, e.grid.x, e.grid.y,
            e.grid.z, e.block.x, e.block.y, e.block.z, e.shared, version, e.chosen.n[0], e.chosen.n[1], e.chosen.n[2],
            e.chosen.n[3], e.chosen.shared, how);
}

// A launch's plan: numbers, and scratch that lives and dies in stream order (safe in capture and under concurrency).
struct scratch {
  plan p;
  cudaStream_t stream;
  bool good;
  __attribute__((noinline)) scratch(const choice &c, cudaStream_t s) : stream(s), good(true) {
    for (unsigned k = 0; k < 8; ++k) p.n[k] = c.n[k];
    p.scratch = 0;
    if (!c.scratch) return;
    if (cudaPeekAtLastError() != cudaSuccess) { good = false; return; }
    good = cudaMallocAsync(&p.scratch, c.scratch, s) == cudaSuccess;
    if (good && cudaMemsetAsync(p.scratch, 0, c.scratch, s) != cudaSuccess) { cudaFreeAsync(p.scratch, s); good = false; }
    if (!good) { cudaGetLastError(); p.scratch = 0; }
  }
  ~scratch() { if (p.scratch) cudaFreeAsync(p.scratch, stream); }
};

} }
// The part of every launch: whether it is measured. Pasted behind remembered.h.
namespace gpuopt_rt { inline namespace VERSION {

struct sample;

// One launch that is being made; its time is that between construction and destruction, on its stream.
struct measured {
  sample *s;
  measured(entry *e, const config &c) : s(0) {
    if (!e || !e->known) return;
    if (e->tried) start(*e, c);
  }
  ~measured() { if (s) stop(); }
  void not_made() { if (s) spoil(); }
  __attribute__((cold)) void start(entry &, const config &);
  __attribute__((cold)) void stop();
  __attribute__((cold)) void spoil();
private:
  measured(const measured &);
  measured &operator=(const measured &);
};

} }
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
// What is known of the ways in which a launch can run, and which of them the next one gets. Plain C++11 without CUDA:
// the rule is simulated and tested as it stands (docs/learning.md). Pasted behind runtime.h.
namespace gpuopt_rt { inline namespace VERSION {

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

enum { MOST_ARMS = 16, MOST_LIVE = 8, MOST_ROUNDS = 16, MOST_PAIRS = 64 };
static const double ACCEPTED = 0.0198026, TOO_SLOW = -0.4054651, TIE = 0.00995033;  // ln 1.02, -ln 1.5, ln 1.01
static const double MEASURING = 6000;  // ns that a measured launch takes longer
static const double ADVANCE = 1e6;     // ns of the budget that may be lost before they are earned, at most

// Student's t for n - 1 degrees of freedom at 1 - 0.005 / 14: 14 looks, and an error in two hundred for each arm and
// direction over all of them (Bonferroni).
static inline double student(unsigned n) {
  static const unsigned looks[] = { 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128 };
  static const double values[] = { 37.3965, 14.4787, 9.3983, 7.3884, 5.7282, 5.0249, 4.642, 4.2391, 3.9037, 3.757, 3.6222, 3.559, 3.4983, 3.4689 };
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
  char version[48], what[80];
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
};

struct learner {
  unsigned long long key, launches, random, told_launches;
  arm a[MOST_ARMS];
  unsigned count, leader;
  bool settled, warm;               // warm: the first launch of this process was given out
  round r[MOST_ROUNDS];
  int half;                         // a round of which one launch is still to be given out, -1: none
  bool half_is_arm;
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

  // What the next launch of an arm may lose, ns.
  double risk(unsigned k) const {
    const double base = plain();
    if (!k || k == leader) return 0;
    if (!known(k)) return base * (a[k].worst - 1);
    double half_;
    const double slower = 1.1 * exp(-gain(k, half_)) - 1;
    return base * (slower > 0.02 ? slower : 0.02);
  }
  bool affords(double more, double budget) const {
    const double early = 1000 * budget * plain(), earned = budget * total;  // of a thousand launches
    const double may = early < ADVANCE ? early : ADVANCE;
    return lost + reserved + more <= (may > earned ? may : earned) + 0.5 * saved;
  }

  // The candidate that is to be measured next, 0: none. Those that nobody knows first, in the model's order; then
  // those that may be best.
  unsigned candidate(const unsigned char *offered, double budget, bool first) const {
    unsigned best = 0, live = 0;
    double most = -1e30;
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
        if (o.open && n < 3 && o.open >= 2) continue;
        score = known(k) ? gain(k, half_) + 0.3 / sqrt((double)(n ? n : 1)) : 100 + o.expected;
      }
      if (score > most && affords(risk(k) + MEASURING, budget)) { most = score; best = k; }
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
      if (!settled && !a[0].pairs.n) {
        in = -2;
        const unsigned other = a[0].firsts.n ? candidate(offered, budget, true) : 0;
        take = other ? other : 0;
      }
    } else if (measurable && (!settled || again)) {
      if (half >= 0 && !offered[half_is_arm ? r[half].arm : r[half].reference]) {
        const int now = half;
        half = -1;
        r[now].spoilt = true;
        end(now);
      }
      if (half >= 0) {
        take = (unsigned)(half_is_arm ? r[half].arm : r[half].reference);
        in = half;
        half = -1;
      } else {
        begin(offered, budget, take, in);
      }
    }
    held = in != -1 ? risk(take) + MEASURING : 0;
    reserved += held;
    double half_;
    if (in == -1 && take) saved += plain() * (1 - exp(-gain(take, half_)));
    return take;
  }
  void begin(const unsigned char *offered, double budget, unsigned &take, int &in) {
    int free = -1;
    for (unsigned i = 0; i < MOST_ROUNDS && free < 0; ++i) if (r[i].arm < 0) free = (int)i;
    if (free < 0) return;
    const bool base = a[0].pairs.n == 0;  // nothing can be afforded before it is known what the original takes
    unsigned other = base ? 0 : candidate(offered, budget, false);
    if (again && offered[again] && !base) { other = again == take ? 0 : again; if (!other) { other = take; take = 0; } again = 0; }
    if (!other && !(base && !a[0].open)) return;
    round &now = r[free];
    now.arm = (int)other; now.reference = (int)take; now.time[0] = now.time[1] = 0; now.spoilt = false;
    now.left = other ? 2 : 1;
    ++a[other].open;
    in = free;
    if (!other) { take = 0; return; }
    const bool arm_first = (draw() & 1) != 0;
    half = free; half_is_arm = !arm_first;
    take = arm_first ? other : take;
  }

  // A launch was timed (ns; 0: it cannot be told, or was not made).
  void sampled(unsigned k, int in, double ns, double held) {
    reserved = reserved > held ? reserved - held : 0;
    lost += MEASURING;
    if (ns > 0 && k && plain() > 0) {
      const double more = ns - plain();
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
  void level(double log_ns) {
    a[0].pairs.add(log_ns); a[0].own_pairs.add(log_ns);
    a[0].pairs.forget(MOST_PAIRS);
  }
  // The settled choice is looked at again: a round of the leader, or of the best of those that were not slow. What was
  // measured long ago counts for less from now on.
  void reopen() {
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
// Records of what was measured: read when a kernel is first launched, written at the program's end and when something
// is settled. The format is that of docs/choices.md. Pasted behind learner.h.
namespace gpuopt_rt { inline namespace VERSION {

enum { LONGEST = 4000, MOST_READ = 1 << 24, MOST_KEPT = 1 << 20 };
#if defined(__aarch64__)
enum { NO_LINK = 0x8000 };
#else
enum { NO_LINK = 0x20000 };
#endif
enum { APPEND = 02000, CREATE = 0100, ANEW = 0200, CLOSE_ON_EXEC = 02000000, NEVER_WAIT = 04000, WRITE = 1, READ_WRITE = 2 };

static inline unsigned crc32_of(const char *text, size_t length) {
  unsigned crc = ~0u;
  for (size_t i = 0; i < length; ++i) {
    crc ^= (unsigned char)text[i];
    for (unsigned bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

static inline bool begins(const char *text, const char *with) {
  for (; *with; ++text, ++with) if (*text != *with) return false;
  return true;
}

// What is needed of statx, whose layout is the same on all machines: type and size of a file; false where others than
// the user (or root) may have written it.
struct state { unsigned type; unsigned long long size; };
static inline bool is_own(int file, const char *path, state &s) {
  unsigned char raw[256];
  unsigned owner;
  unsigned short bits;
  if (!gpuopt_io_statx || gpuopt_io_statx(file, path, file < 0 ? 0 : 0x1000, 0x7ffu, raw) != 0) return false;
  memcpy(&owner, raw + 20, 4); memcpy(&bits, raw + 28, 2); memcpy(&s.size, raw + 40, 8);
  s.type = bits & 0170000u;
  return (owner == 0 || owner == gpuopt_io_geteuid()) && !(bits & 022u);
}
static inline bool is_directory(const char *path) {
  unsigned char raw[256];
  unsigned short bits;
  if (!gpuopt_io_statx || gpuopt_io_statx(-100, path, 0, 0x7ffu, raw) != 0) return false;
  memcpy(&bits, raw + 28, 2);
  return (bits & 0170000u) == 0040000u;
}

// Makes a directory for the user alone, and those above it.
static inline void make_directory(const char *path) {
  char part[1024];
  size_t n = gpuopt_io_length(path);
  if (n >= sizeof(part)) return;
  for (size_t i = 1; i <= n; ++i) {
    if (i < n && path[i] != '/') continue;
    memcpy(part, path, i); part[i] = 0;
    gpuopt_io_mkdir(part, 0700);
  }
}

// Where choices of a kernel are kept: GPUOPT_CHOICES, the policy's `choices`, the user's cache. False: nowhere.
static inline bool place_of_choices(unsigned long long digest, char *path, size_t room) {
  const char *named = getenv("GPUOPT_CHOICES"), *under = "";
  char base[1024];
  bool mine = false;
  if (!named || !*named) named = "";
  if (!*named) {
    mine = true;
    if ((named = getenv("GPUOPT_CACHE_DIR")) && *named == '/') under = "/choices";
    else if ((named = getenv("XDG_CACHE_HOME")) && *named == '/') under = "/gpuopt/choices";
    else if ((named = getenv("HOME")) && *named == '/') under = "/.cache/gpuopt/choices";
    else return false;
  }
  const int n = gpuopt_io_print(base, sizeof(base), "%s%s", named, under);
  if (n <= 0 || n >= (int)sizeof(base)) return false;
  if (mine) make_directory(base);
  state s;
  const bool directory = mine || base[n - 1] == '/' || is_directory(base);
  if (mine && !is_own(-100, base, s)) return false;
  const int m = directory ? gpuopt_io_print(path, room, "%s/%016llx.choices", base, digest)
                          : gpuopt_io_print(path, room, "%s", base);
  return m > 0 && m < (int)room;
}

// The whole of a file of choices with a zero behind it, 0 where there is none that can be trusted; to be freed.
static inline char *read_choices(const char *path, size_t &length) {
  const int file = gpuopt_io_open(path, NO_LINK | CLOSE_ON_EXEC | NEVER_WAIT);
  state s;
  length = 0;
  if (file < 0) return 0;
  char *text = 0;
  if (is_own(file, "", s) && s.type == 0100000u && s.size <= MOST_READ && (text = (char *)gpuopt_io_take(s.size + 1)) != 0) {
    long got;
    while (length < s.size && (got = gpuopt_io_read(file, text + length, s.size - length)) > 0) length += (size_t)got;
    text[length] = 0;
  }
  gpuopt_io_close(file);
  return text;
}

// One field of a record and the place behind it; false at the end. Fields end with `mark`.
static inline bool field(char *&at, char mark, char *&found) {
  if (!at) return false;
  found = at;
  char *end = gpuopt_io_find(at, mark);
  if (end) { *end = 0; at = end + 1; } else at = 0;
  return true;
}
static inline bool tally_of(char *&at, tally &t) {
  char *n, *mean, *m2;
  if (!field(at, ':', n) || !field(at, ':', mean) || !field(at, ':', m2)) return false;
  t.n = (unsigned)gpuopt_io_whole(n, 0, 10); t.mean = gpuopt_io_real(mean, 0); t.m2 = gpuopt_io_real(m2, 0);
  return t.n < 1000000000u && t.mean > -100 && t.mean < 100 && t.m2 >= 0 && t.m2 < 1e12;
}
static inline unsigned long long identity(const char *version, unsigned number) {
  unsigned long long h = 14695981039346656037ULL;
  for (; *version; ++version) h = mix(h, (unsigned char)*version);
  return mix(h, number);
}

// A record of this learner's key: what it says is pooled with what is known. Arms that are not offered stay known.
static inline void take_record(learner &l, char *line) {
  char *f[11];
  for (unsigned i = 0; i < 11; ++i) if (!field(line, '\t', f[i])) return;
  if (gpuopt_io_whole(f[6], 0, 16) != l.key) return;
  char *one, *version, *number, *what;
  while (field(line, '\t', one)) {
    tally pairs = { 0, 0, 0 }, firsts = { 0, 0, 0 };
    if (!field(one, ':', version) || !field(one, ':', number) || !field(one, ':', what) || !tally_of(one, pairs) ||
        !tally_of(one, firsts)) return;
    const unsigned n = (unsigned)gpuopt_io_whole(number, 0, 10);
    const bool original = gpuopt_io_compare(version, "original") == 0;
    const int k = original ? 0 : l.arm_of(identity(version, n));
    if (k < 0) continue;
    arm &o = l.a[k];
    o.number = n;
    o.present = true;  // it could run here before
    gpuopt_io_print(o.version, sizeof(o.version), "%s", version);
    gpuopt_io_print(o.what, sizeof(o.what), "%s", what);
    o.pairs.pool(pairs); o.pairs.forget(4 * MOST_PAIRS);
    o.firsts.pool(firsts); o.firsts.forget(4 * MOST_PAIRS);
  }
}
static inline void load(learner &l) {
  char path[1200];
  size_t length;
  if (!place_of_choices(l.digest, path, sizeof(path))) return;
  char *text = read_choices(path, length);
  if (!text) return;
  for (char *line = text, *end; line < text + length; line = end + 1) {
    end = gpuopt_io_find(line, '\n');
    if (!end) break;  // cut, or being written
    *end = 0;
    if (end - line < 40 || end - line > LONGEST || !begins(line, "gpuopt-choices-1\t") || line[25] != '\t')
      continue;
    if ((unsigned)gpuopt_io_whole(line + 17, 0, 16) != crc32_of(line + 26, (size_t)(end - line - 26))) continue;
    take_record(l, line);
  }
  gpuopt_io_free(text);
  l.judge();
}

// Half of a file that has become too large goes, the older lines first.
static inline void shorten(const char *path) {
  char other[1300];
  size_t length;
  char *text = read_choices(path, length);
  if (!text) return;
  gpuopt_io_print(other, sizeof(other), "%s.%d", path, gpuopt_io_getpid());
  const int file = gpuopt_io_open(other, WRITE | CREATE | ANEW | NO_LINK | CLOSE_ON_EXEC, 0600);
  const char *from = length ? gpuopt_io_find(text + length / 2, '\n') : 0;
  if (file >= 0) {
    const size_t rest = from ? length - (size_t)(from + 1 - text) : 0;
    const bool whole = !rest || gpuopt_io_write(file, from + 1, rest) == (long)rest;
    gpuopt_io_close(file);
    if (!whole || gpuopt_io_rename(other, path) != 0) gpuopt_io_unlink(other);
  }
  gpuopt_io_free(text);
}

static inline int print_tally(char *to, size_t room, const tally &t) {
  return gpuopt_io_print(to, room, ":%u:%.6g:%.6g", t.n, t.mean, t.m2);
}
// Appends what this process has measured since its last record; one line, one write.
static inline void store(learner &l) {
  char path[1200], line[LONGEST + 400], arms[LONGEST];
  size_t n = 0;
  bool any = false;
  for (unsigned k = 0; k < l.count; ++k) {
    arm &o = l.a[k];
    if (k && !o.own_pairs.n && !o.own_firsts.n) continue;
    any = any || o.own_pairs.n || o.own_firsts.n;
    n += (size_t)gpuopt_io_print(arms + n, sizeof(arms) - n, "\t%s:%u:%s", k ? o.version : "original", o.number, o.what);
    if (n + 200 > sizeof(arms)) break;
    n += (size_t)print_tally(arms + n, sizeof(arms) - n, o.own_pairs);
    n += (size_t)print_tally(arms + n, sizeof(arms) - n, o.own_firsts);
    if (n + 400 > sizeof(arms)) break;
  }
  if (!any || !place_of_choices(l.digest, path, sizeof(path))) return;
  const double lost = l.lost - l.told_lost, saved = l.saved - l.told_saved;
  char *rest = line + 26;
  int m = gpuopt_io_print(rest, sizeof(line) - 26, "%016llx\t%s\t%s\t%s\t%016llx\t%ld\t%llu\t%.0f\t%.0f%s", l.digest, l.kernel,
                          l.device, l.launch, l.key, gpuopt_io_time(0), l.launches - l.told_launches, lost,
                          saved > 0 ? saved : 0, arms);
  if (m <= 0 || m + 27 > LONGEST) return;
  char head[32];
  gpuopt_io_print(head, sizeof(head), "gpuopt-choices-1\t%08x\t", crc32_of(rest, (size_t)m));
  memcpy(line, head, 26);
  rest[m] = '\n';
  const int file = gpuopt_io_open(path, WRITE | APPEND | CREATE | NO_LINK | CLOSE_ON_EXEC | NEVER_WAIT, 0600);
  state s;
  if (file < 0) return;
  const bool good = is_own(file, "", s) && s.type == 0100000u &&
                    gpuopt_io_write(file, line, (size_t)m + 27) == (long)m + 27;
  gpuopt_io_close(file);
  if (!good) return;
  if (s.size > MOST_KEPT) shorten(path);
  l.told_lost = l.lost; l.told_saved = l.saved > 0 ? l.saved : 0; l.told_launches = l.launches;
  for (unsigned k = 0; k < l.count; ++k) {
    const tally none = { 0, 0, 0 };
    l.a[k].own_pairs = l.a[k].own_firsts = none;
  }
}

} }
// Launches that are measured: each is one of the program's own, with whatever version it gets. Times are read from
// events when they are there, never waited for. Pasted behind choices.h.
namespace gpuopt_rt { inline namespace VERSION {

enum { LOOK_AGAIN = 1 << 13, MOST_SAMPLES = 64, MOST_KEYS = 24, PER_POLL = 4 };

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

// 0: the guards decide; 1: launches are measured; 2: what was learned is used, nothing is tried.
static inline int learning_mode() {
  static int value = -1;  // any thread finds the same
  if (value < 0) {
    const char *text = getenv("GPUOPT_LEARN"), *dispatch = getenv("GPUOPT_DISPATCH");
    const bool named = text && *text;
    int now = 1;
    if (named) now = gpuopt_io_compare(text, "on") == 0 ? 1 : gpuopt_io_compare(text, "frozen") == 0 ? 2 : gpuopt_io_compare(text, "off") == 0 ? 0 : now;
    if (dispatch && *dispatch && gpuopt_io_compare(dispatch, "trace") != 0) now = 0;  // versions were asked for by name
#ifdef GPUOPT_EMU_LAUNCH_H
    const char *emulated = getenv("GPUOPT_EMU_MODE");  // only the model tells times that mean something
    if (!named || !emulated || gpuopt_io_compare(emulated, "model") != 0) now = 0;
#endif
    value = now;
  }
  return value;
}
static inline double learning_budget() {
  static double value = -1;
  if (value < 0) {
    const char *text = getenv("GPUOPT_LEARN_BUDGET");
    const double given = text && *text ? gpuopt_io_real(text, 0) : 0.01;
    value = given >= 0 && given < 1e12 ? given : 0.01;
  }
  return value;
}

// A launch whose time is not known yet. Slots keep their events.
struct sample {
  bool used, ended, mixed;  // mixed: another stream's measured launch ran beside it
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
inline learning &shared() {  // one for all translation units
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
    const bool good = now == 0 && !s.mixed && t.elapsed(&milliseconds, s.from, s.to) == 0 && milliseconds > 0;
    s.used = false;
    s.of->sampled(s.arm, s.in, good ? 1e6 * (double)milliseconds : 0, s.held);
    if (s.of->settled && s.of->told_launches != s.of->launches) store(*s.of);
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
  for (learner *l = all.all; l; l = l->next) store(*l);
}

// A launch as one of its arms makes it.
struct way { unsigned arm; int pick; choice chosen; int limit, preference, told_limit, told_preference; cudaFunction_t original, picked; };
struct trial {
  learner *of;
  unsigned count, usual;  // usual: what a launch gets that is not measured
  const char *kernel;
  way w[MOST_ARMS];
  static void keep(way &w, const entry &e) {
    w.pick = e.pick; w.chosen = e.chosen; w.limit = e.limit; w.preference = e.preference; w.original = e.original;
    w.told_limit = e.told_limit; w.told_preference = e.told_preference; w.picked = e.picked;
  }
  static void adopt(entry &e, const way &w) {
    e.pick = w.pick; e.chosen = w.chosen; e.limit = w.limit; e.preference = w.preference; e.original = w.original;
    e.told_limit = w.told_limit; e.told_preference = w.told_preference; e.picked = w.picked;
  }
  unsigned way_of(unsigned arm) const {
    for (unsigned i = 0; i < count; ++i) if (w[i].arm == arm) return i;
    return 0;
  }
};
static inline void forget(entry &e) { gpuopt_io_free(e.tried); e.tried = 0; }

inline void measured::start(entry &e, const config &c) {
  trial &t = *e.tried;
  learning &all = shared();
  const timers *now = timers_of();
  holding lock;
  if (!lock.good || !now) { trial::adopt(e, t.w[t.usual]); return; }
  int mode = 2, capture = 1;  // relaxed: queries must not end a capture of another thread's
  now->exchange(&mode);
  poll(all, *now, e.context, PER_POLL);
  sample *free_ = 0;
  for (unsigned i = 0; i < MOST_SAMPLES && !free_; ++i)
    if (!all.s[i].used && (!all.s[i].from || all.s[i].context == e.context)) free_ = &all.s[i];
  const bool may = free_ && now->capturing(c.stream, &capture) == 0 && !capture &&
                   (free_->from || (now->create(&free_->from, 0) == 0 && now->create(&free_->to, 0) == 0));
  unsigned char offered[MOST_ARMS] = { 0 };
  for (unsigned i = 0; i < t.count; ++i) offered[t.w[i].arm] = 1;
  int in;
  double held;
  const unsigned k = t.of->choose(offered, may, learning_budget(), in, held);
  t.usual = t.way_of(offered[t.of->leader] ? t.of->leader : 0);
  trial::adopt(e, t.w[t.way_of(k)]);
  if (in != -1) {
    const sample made = { true, false, false, t.of, k, in, e.device, held, free_->from, free_->to, e.context, c.stream };
    *free_ = made;
    for (unsigned i = 0; i < MOST_SAMPLES; ++i) {
      sample &o = all.s[i];
      if (o.used && &o != free_ && o.context == e.context && o.stream != c.stream) o.mixed = free_->mixed = true;
    }
    if (now->record(free_->from, c.stream) == 0) s = free_;
    else { free_->used = false; t.of->sampled(k, in, 0, held); }
    trace(t.kernel, k ? t.of->a[k].version : "original", e, " (measured)");
  } else if (t.of->settled && !t.of->again && t.of->half < 0) {
    trace(t.kernel, k ? t.of->a[k].version : "original", e, " (settled)");
    e.left = LOOK_AGAIN;
    forget(e);
  }
  now->exchange(&mode);
}
inline void measured::stop() {
  if (timers_of()->record(s->to, s->stream) != 0) s->mixed = true;
  __atomic_store_n(&s->ended, true, __ATOMIC_RELEASE);
}

inline void measured::spoil() { s->mixed = true; }

} }
// What a launch can get: the original, what the guards picked, what plugins offer. Pasted behind trials.h.
namespace gpuopt_rt { inline namespace VERSION {

// What plugins offer for a launch: candidates of one version, the likeliest first.
struct offers {
  const launch &l;
  const choice base;
  int pick;
  const void *version;
  struct one { choice chosen; unsigned number; double expected, worst; const char *what; int pick; entry e; };
  one found[MOST_ARMS];
  unsigned count;
  offers(const launch &l_, const choice &c, int pick_, const void *version_)
      : l(l_), base(c), pick(pick_), version(version_), count(0) {}
  // A launch of the version to be filled in.
  choice blank() const { return base; }
  // Another way to run the launch, numbered among those of its version; `expected` speed-up, `worst`: how many times as
  // long it may take. False where it cannot run, or there are too many.
  bool add(const choice &c, unsigned number, double expected = 1, double worst = 2, const char *what = "") {
    if (count == MOST_ARMS) return false;
    one &o = found[count];
    o.e.reset(config(l.grid, l.block, l.shared));
    o.e.chosen = c;
    o.e.device = l.device;
    if (!prepare(l, version, o.e)) return false;
    o.chosen = c; o.number = number; o.expected = expected; o.worst = worst; o.what = what; o.pick = pick;
    ++count;
    return true;
  }
};
static inline bool same(const choice &a, const choice &b) {
  bool equal = a.grid.x == b.grid.x && a.grid.y == b.grid.y && a.grid.z == b.grid.z && a.block.x == b.block.x &&
               a.block.y == b.block.y && a.block.z == b.block.z && a.shared == b.shared && a.scratch == b.scratch &&
               a.carveout == b.carveout;
  for (unsigned i = 0; i < 8; ++i) equal = equal && a.n[i] == b.n[i];
  return equal;
}

// The arms of a launch: the original, what the guards picked, what plugins offer.
struct arms {
  entry &e;
  const launch &l;
  const void *const *of;
  const char *const *names;
  offers *made[8];
  unsigned count;
  double began;
  learner *known;
  const char *kernel;
  static double clock() {
    long long now[2] = { 0, 0 };
    gpuopt_io_clock(1, now);
    return 1e9 * (double)now[0] + (double)now[1];
  }
  arms(entry &e_, const launch &l_, const void *const *of_, const char *const *names_)
      : e(e_), l(l_), of(of_), names(names_), count(0), began(clock()), known(0), kernel("") {}
  ~arms() { while (count) delete made[--count]; }
  template <class Offer> __attribute__((cold)) void ask(int pick, Offer offer) {
    if (pick < 0 || count == 8) return;
    choice c = e.chosen;
    entry plain;
    plain.reset(config(l.grid, l.block, l.shared));
    c = plain.chosen;
    offers *o = new offers(l, c, pick, of[pick]);
    launch now = l;
    now.version = of[pick];
    offer(now, *o);
    made[count++] = o;
  }
  // The learner of this key, with what is known of it.
  static learner *learner_of(unsigned long long key, unsigned long long digest, const char *kernel, const launch &l,
                             unsigned long long told) {
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
    int device = 0, version = 0;
    char name[64] = "?";
    const timers *t = timers_of();
    if (t && t->device(&device) == 0) t->name(name, (int)sizeof(name) - 1, device);
    if (t) t->version(&version);
    gpuopt_io_print(o->device, sizeof(o->device), "%s;%d SMs;driver %d", name, l.sms, version);
    gpuopt_io_print(o->launch, sizeof(o->launch), "grid %u,%u,%u block %u,%u,%u shared %zu args %08x", l.grid.x, l.grid.y,
                    l.grid.z, l.block.x, l.block.y, l.block.z, l.shared, (unsigned)told);
    gpuopt_io_print(o->kernel, sizeof(o->kernel), "%s", kernel);
    for (char *at = o->kernel; *at; ++at) if ((unsigned char)*at < ' ') *at = ' ';
    o->arm_of(0);
    o->a[0].present = true;
    o->next = all.all;
    load(*o);
    if (!all.all) {
      all.process = gpuopt_io_getpid();
      gpuopt_io_at_exit(write_all);
    }
    all.all = o;
    return o;
  }
  // Looks up what is known of this launch. True where that is enough: no guard need be asked what it expects.
  // `instance`: names the instantiation; `arguments`, `about`: the arguments that matter, and roughly.
  __attribute__((cold)) bool find(const char *kernel_, const char *instance, unsigned long long digest,
                                  unsigned long long arguments, unsigned long long about) {
    kernel = kernel_;
    if (!learning_mode()) return false;
    holding lock;
    if (!lock.good) return false;
#ifdef __CUDACC_VER_MAJOR__
    digest = mix(digest, __CUDACC_VER_MAJOR__ * 100000ULL + __CUDACC_VER_MINOR__ * 1000ULL + __CUDACC_VER_BUILD__);
#endif
    char name[200];
    const char *with = gpuopt_io_find(instance, '[');
    gpuopt_io_print(name, sizeof(name), "%s%s%s", kernel, with ? " " : "", with ? with : "");
    for (const char *at = name; *at; ++at) digest = mix(digest, (unsigned char)*at);
    unsigned long long key = mix(mix(mix(mix(digest, (unsigned)l.capability), (unsigned)l.sms), l.l2_bytes),
                                 (unsigned)l.registers);
    key = mix(mix(mix(mix(key, l.block.x), l.block.y), l.block.z), l.shared);
    const unsigned long long exact = mix(mix(mix(mix(key, l.grid.x), l.grid.y), l.grid.z), arguments);
    unsigned keys = 0;
    for (learner *p = shared().all; p; p = p->next) {
      keys += p->digest == digest;
      if (p->key == exact) known = p;
    }
    if (!known && keys < MOST_KEYS) known = learner_of(exact, digest, name, l, arguments);
    const unsigned long long blocks = (unsigned long long)l.grid.x * l.grid.y * l.grid.z;
    if (!known) known = learner_of(mix(mix(key, bucket(blocks)) + 1, about), digest, name, l, about);
    return known && known->settled && !e.again && !(known->leader && known->a[known->leader].number >> 31);
  }
  // Puts the arms behind the entry, or decides by what is known.
  __attribute__((cold)) void end() {
    if (!learning_mode()) return;
    unsigned total = 0;
    for (unsigned i = 0; i < count; ++i) total += made[i]->count;
    if (!e.pick && !total) return;
    holding lock;
    if (!lock.good || !known) { original(); return; }
    build(known, total);
  }
  void build(learner *o, unsigned total) {
    trial *t = (trial *)gpuopt_io_take(sizeof(trial));
    if (!t) { original(); return; }
    memset((void *)t, 0, sizeof(*t));
    t->of = o; t->kernel = kernel;
    const entry model = e;
    original();
    trial::keep(t->w[0], e);
    t->count = 1;
    if (model.pick) {  // what the guards say first
      const offers::one *twin = 0;
      for (unsigned i = 0; i < count; ++i)
        for (unsigned k = 0; k < made[i]->count; ++k)
          if (made[i]->found[k].pick == model.pick && same(made[i]->found[k].chosen, model.chosen)) twin = &made[i]->found[k];
      unsigned number = 0;
      if (twin) number = twin->number;
      else for (unsigned i = 0; i < 8; ++i) number = number * 31 + model.chosen.n[i];
      put(t, model, twin ? number : number | 0x80000000u, 100, 1.1, twin ? twin->what : "");
    }
    for (unsigned place = 0; place < MOST_ARMS && total; ++place)  // the first of each version, then the second
      for (unsigned i = 0; i < count; ++i) {
        if (place >= made[i]->count) continue;
        const offers::one &f = made[i]->found[place];
        if (model.pick == f.pick && same(model.chosen, f.chosen)) continue;
        entry one = e;
        one.pick = f.pick; one.chosen = f.chosen; one.limit = f.e.limit; one.preference = f.e.preference;
        watch(one, l.kernel, of[f.pick]);
        put(t, one, f.number, f.expected, f.worst, f.what);
      }
    o->judge();
    t->usual = t->way_of(o->leader);
    trial::adopt(e, t->w[t->usual]);
    o->lost += clock() - began;
    if (learning_mode() == 2 || (o->settled && !e.again)) {
      e.left = learning_mode() == 2 ? 0 : (unsigned)LOOK_AGAIN;
      gpuopt_io_free(t);
      return;
    }
    if (o->settled) o->reopen();
    e.again = false;
    e.tried = t;
  }
  void put(trial *t, const entry &one, unsigned number, double expected, double worst, const char *what) {
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
    trial::keep(w, one);
    w.arm = (unsigned)k;
  }
  void original() {
    const int device = e.device;
    const config c(e.grid, e.block, e.shared);
    e.reset(c);
    e.device = device;
    watch(e, l.kernel, l.kernel);
  }
  static unsigned bucket(unsigned long long n) {  // two for each power of two
    unsigned power = 0;
    while (n >> power > 1) ++power;
    return 2 * power + (power && (n >> (power - 1) & 1) ? 1u : 0u);
  }
};
// An argument as launches are grouped by, where it changes all the time.
template <class T> static inline unsigned long long about(const T &) { return 0; }
#define GPUOPT_RT_ABOUT(type) \
  inline unsigned long long about(const type &n) { return n < 0 ? ~0ULL : arms::bucket((unsigned long long)n); }
GPUOPT_RT_ABOUT(int) GPUOPT_RT_ABOUT(long) GPUOPT_RT_ABOUT(long long)
GPUOPT_RT_ABOUT(unsigned) GPUOPT_RT_ABOUT(unsigned long) GPUOPT_RT_ABOUT(unsigned long long)
#undef GPUOPT_RT_ABOUT

} }
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif
#ifndef GPUOPT_SUPPORT
#define GPUOPT_SUPPORT
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O1")
#endif
namespace gpuopt_rt { inline namespace VERSION { namespace plugin_vtb {
// Barrier `number` + 1. Since Hopper by a constant: the compiler counts those that a block uses, and an SM has few.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
enum { ANY_BARRIER = 0 };
#else
enum { ANY_BARRIER = 1 };
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
    thread.x = real::thread_x(); thread.y = real::thread_y();
    block.x = real::block_x(); block.y = real::block_y(); block.z = real::block_z();
    size.x = real::threads_x(); size.y = real::threads_y();
    grid.x = real::blocks_x(); grid.y = real::blocks_y(); grid.z = real::blocks_z();
    const unsigned depth = p.n[5], all = p.n[2] | (unsigned)p.n[3] << 16, axis = p.n[1] >> 1;
    if (p.n[6]) {  // threads in a row, filled up to whole warps
      size.x = p.n[6]; size.y = p.n[7];
      number = real::thread_z();
      threads = size.x * size.y * depth; lanes = real::threads_x();
      thread.x = real::thread_x() % size.x; thread.y = real::thread_x() / size.x % size.y;
      thread.z = real::thread_x() / size.x / size.y;
    } else {
      number = depth == 1 ? real::thread_z() : real::thread_z() / depth;
      thread.z = real::thread_z() - number * depth;
      threads = lanes = real::threads_x() * real::threads_y() * depth;
    }
    unsigned &along = axis == 0 ? block.x : axis == 1 ? block.y : block.z;
    present = min(factor, all - along * factor);
    along = along * factor + number;
    exists = along < all && (!p.n[6] || real::thread_x() < threads);
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
      if (real::thread_x() + real::thread_y() + real::thread_z() == 0) *gone = 0;
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

// The type of the object that an expression names (`decltype` says a reference).
template <class T> struct object_of { typedef T type; };
template <class T> struct object_of<T &> { typedef T type; };
template <class T> using value_of = typename object_of<T>::type;

// An array of which the first rows are the virtual block's own and the others are shared in turns (CO-VTB).
template <class A> struct row_of;
template <class R, size_t N> struct row_of<R[N]> { typedef R type; };
template <class R, unsigned CUT> struct divided {
  R *own, *common;
  template <class I> __device__ R &operator[](I i) const {
    typedef decltype(i + 0) wide;
    return (wide)i < (wide)CUT ? own[(wide)i] : common[(wide)i - (wide)CUT];
  }
  // A row that is known to be none of the own ones.
  template <class I> __device__ R &rest(I i) const {
    typedef decltype(i + 0) wide;
    return common[(wide)i - (wide)CUT];
  }
};

// An array of which the first CUT elements are the virtual block's own, and of the others the thread's own one is in a
// register, as long as nobody else touches it (CO-VTB). `get` is an element's value, `at(i)` is to be set.
template <class A> struct element_of { typedef A type; };
template <class R, size_t N> struct element_of<R[N]> { typedef typename element_of<R>::type type; };
template <class T, unsigned CUT> struct column {
  T *own, kept;
  template <class I> struct cell {
    column &of;
    I i;
    __device__ void operator=(T v) const { if (i < (I)CUT) of.own[i] = v; else of.kept = v; }
    __device__ void operator++() const { if (i < (I)CUT) ++of.own[i]; else ++of.kept; }
    __device__ void operator--() const { if (i < (I)CUT) --of.own[i]; else --of.kept; }
    __device__ void operator++(int) const { ++*this; }
    __device__ void operator--(int) const { --*this; }
    template <class V> __device__ void operator+=(V v) const { if (i < (I)CUT) of.own[i] += v; else of.kept += v; }
    template <class V> __device__ void operator-=(V v) const { if (i < (I)CUT) of.own[i] -= v; else of.kept -= v; }
    template <class V> __device__ void operator*=(V v) const { if (i < (I)CUT) of.own[i] *= v; else of.kept *= v; }
    template <class V> __device__ void operator/=(V v) const { if (i < (I)CUT) of.own[i] /= v; else of.kept /= v; }
    template <class V> __device__ void operator%=(V v) const { if (i < (I)CUT) of.own[i] %= v; else of.kept %= v; }
    template <class V> __device__ void operator&=(V v) const { if (i < (I)CUT) of.own[i] &= v; else of.kept &= v; }
    template <class V> __device__ void operator|=(V v) const { if (i < (I)CUT) of.own[i] |= v; else of.kept |= v; }
    template <class V> __device__ void operator^=(V v) const { if (i < (I)CUT) of.own[i] ^= v; else of.kept ^= v; }
    template <class V> __device__ void operator<<=(V v) const { if (i < (I)CUT) of.own[i] <<= v; else of.kept <<= v; }
    template <class V> __device__ void operator>>=(V v) const { if (i < (I)CUT) of.own[i] >>= v; else of.kept >>= v; }
  };
  template <class I> __device__ T get(I i) const { return i < (I)CUT ? own[i] : kept; }
  template <class I> __device__ cell<I> at(I i) { return cell<I>{*this, i}; }
  template <class R> __device__ void put(R *common, unsigned rank) const { reinterpret_cast<T *>(common)[rank] = kept; }
};
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
static inline phases usual(const phases &p) { return p.meeting >= 16.0 ? near_of(p) : p; }

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
                            double l1, bool pipe, double rate = 0.35) {
  const double waiting = factor == 1 ? 0 : p.entries * (pipe ? 80.0 : 40.0 * factor);
  const double alone = p.outside + p.inside + waiting, turns = factor * (p.inside + waiting);
  const double life = p.entries > 1.5 && pipe ? (alone > turns ? alone : turns) : p.outside + turns;
  double time = waves(all / factor, blocks * sms) * life;
  const double issued = all / sms * warps * p.instructions / 4.0;
  if (issued > time) time = issued;
  double lines = (32.0 * p.scattered + 4.0 * p.loads) / 400.0;
  if (l1 > 0 && 32.0 * p.serial / (l1 / 256.0) > lines) lines = 32.0 * p.serial / (l1 / 256.0);
  const double fetched = all / sms * warps * p.memory * lines;
  if (fetched > time) time = fetched;
  const double places = all / sms * warps * 32.0 * p.scattered / rate;
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
                              1.0);
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
      if (safe && cycles(near, all, l.sms, blocks, k, l.warps, l1, form == 1, 1.0) > plain * 1.001) continue;
      best = found;
      c.n[0] = (unsigned short)k; c.n[1] = (unsigned short)form; c.carveout = percent;
    }
  }
  return best;
}

// The launch that c.n[0] blocks in one mean.
static inline void arrange(const launch &l, choice &c, size_t own) {
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
}

// Whether what was found is taken, and the launch that it means.
static inline bool settled(const launch &l, choice &c, const phases &p, const rules &r, size_t own, double best) {
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const double plain = cycles(usual(p), all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false);
  if (best == 0 || (!r.factor && best * r.margin > plain)) return false;
  arrange(l, c, own);
  return true;
}

static inline bool possible(const launch &l, const rules &r) {
  return l.resident_blocks && l.block.z <= 32 && (gpu_of(l.capability) || r.factor);
}

// Factors and forms for measurements to choose from; `number`: of the first form.
static inline void offer(const launch &l, offers &o, const phases &p, const rules &r, const part &s, unsigned forms,
                         size_t dynamic, unsigned number) {
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const double plain = cycles(usual(p), all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false);
  for (unsigned k = 2; k <= r.most; k *= 2)
    for (unsigned form = 0; form < 2; ++form) {
      if (!(forms >> form & 1)) continue;
      rules one = r;
      one.factor = k; one.forms = (r.forms & 16) | 1u << form;
      choice c = o.blank();
      const double found = fastest(l, c, p, one, s, 1u << form, dynamic);
      if (found == 0) continue;
      c.n[0] = (unsigned short)k;
      arrange(l, c, s.own);
      o.add(c, number + 4 * k + form, plain / found, k, form ? "who is ready" : "in turns");
    }
}
static inline void offer_turns(const launch &l, offers &o, const phases &p, const rules &r) {
  const part s = { l.static_shared, 0 };
  if (l.resident_blocks && l.block.z <= 32) offer(l, o, p, r, s, r.forms & 3, l.shared, 0);
}
static inline void offer_divided(const launch &l, offers &o, const phases &p, const part &s, const rules &r) {
  if (l.resident_blocks && l.block.z <= 32) offer(l, o, p, r, s, r.forms >> 2 & 3, up16(l.shared), 2);
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

} } }
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif
#line 4
static __global__ void kernel__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const uint3 threadIdx = gpuopt_at.thread; (void)threadIdx; const uint3 blockIdx = gpuopt_at.block; (void)blockIdx; {
    __shared__ int s[64];
    auto at = [=](int i) { return (i ^ threadIdx.x) % 64; };
    auto mine = [&](auto i) { auto inner = [&, i] { return blockIdx.x * 64 + threadIdx.x + i; }; return inner(); };
    auto own = [t = threadIdx.x](int i) { return (int)t + i; }; gpuopt_at.enter();
    s[threadIdx.x] = x[mine(0)] + own(1);
    gpuopt_at.sync();
    y[mine(0)] = s[at(1)]; gpuopt_at.leave();
}}
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O1")
#endif
static bool kernel__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(660LL) / 10, (double)(7920LL) / 10, (double)(84LL), (double)(0LL), (double)(0LL), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(660LL) / 10 - (double)(0LL) * 406 / 4, (double)(7920LL) / 10 - (double)(4LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
static gpuopt_rt::entry *kernel__gpuopt_decide_launch(gpuopt_rt::memo &gpuopt_m, gpuopt_rt::entry *gpuopt_e, const ::gpuopt_rt::config &gpuopt_c,
  unsigned long long gpuopt_h, unsigned long long gpuopt_d, const int *x, int *y) {
  static const char *const gpuopt_names[] = { "original", "vtb" };
  const void *const gpuopt_of[] = { gpuopt_rt::address(kernel), gpuopt_rt::address(kernel__gpuopt_vtb) };
  gpuopt_rt::launch gpuopt_l;
  gpuopt_e = gpuopt_m.take(gpuopt_e, gpuopt_c, gpuopt_h, gpuopt_d);
  if (!gpuopt_rt::describe(gpuopt_l, gpuopt_c, gpuopt_rt::address(kernel))) return gpuopt_e;
  gpuopt_rt::arms gpuopt_k(*gpuopt_e, gpuopt_l, gpuopt_of, gpuopt_names);
  unsigned long long gpuopt_u = 14695981039346656037ULL;
  gpuopt_u = gpuopt_rt::mix(gpuopt_u, gpuopt_rt::about(x));
  gpuopt_u = gpuopt_rt::mix(gpuopt_u, gpuopt_rt::about(y));
  if (!gpuopt_k.find("kernel", "", 0x516C8D4F553188B7ULL, gpuopt_h, gpuopt_u)) {
    gpuopt_rt::search gpuopt_s(*gpuopt_e, gpuopt_l, gpuopt_of);
      { static const signed char gpuopt_t[] = { 1, -1 };
        static const unsigned gpuopt_a[] = { 0 };
        gpuopt_s.ask("vtb", gpuopt_t, gpuopt_a, 0u, [&](const gpuopt_rt::launch &gpuopt_y, gpuopt_rt::choice &gpuopt_z) {
          return kernel__gpuopt_vtb_guard(gpuopt_y, gpuopt_z, x, y);
        }); }
    gpuopt_s.end();
  }
  gpuopt_e->device = gpuopt_l.device;
  gpuopt_rt::watch(*gpuopt_e, gpuopt_rt::address(kernel), gpuopt_of[gpuopt_e->pick]);
  if (gpuopt_rt::learning_mode()) {
    gpuopt_k.end();
  }
  gpuopt_e->known = true;
  gpuopt_m.note(gpuopt_e->pick || gpuopt_e->tried);
  gpuopt_rt::trace("kernel", gpuopt_names[gpuopt_e->pick], *gpuopt_e);
  return gpuopt_e;
}
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
