// gpu: h200; policy: form="agents", direction="y"
// run: grid=dim3(4,5) block=dim3(16,16) n=64 a=80*n b=n*n c=80*n
// Lambdas with a default capture see the block whose work is done.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const unsigned *a, const unsigned *b, unsigned *c, int n)
{
    auto row = [=] { return blockIdx.y * 16 + threadIdx.y; };
    auto column = [&](auto i) { return blockIdx.x * 16 + threadIdx.x + i; };
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += a[row() * n + k] * b[k * n + column(0)];
    c[row() * n + column(0)] = sum;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *a, const unsigned *b, unsigned *c, int n);
void run(const unsigned *a, const unsigned *b, unsigned *c, int n) { kernel__gpuopt_launch(::gpuopt_rt::config(dim3(16, 16), dim3(16, 16)), a, b, c, n); }
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
namespace gpuopt_rt { inline namespace VERSION { namespace plugin_cta_mapping {
// Orders of blocks, and agents: shared by the plugins that change the order in which blocks run; block_costs.h follows.
// Python's side of it: block_orders.py; tests hold the two together.

// One step of `place`: the tile along axis A that block `number` of what is left lies in.
template <int A, class T>
inline __host__ __device__ T outer(T number, const unsigned (&tiles)[3], unsigned (&extent)[3], unsigned (&at)[3]) {
  const unsigned whole = extent[A];
  if (!tiles[A] || tiles[A] >= whole) return number;
  const T layer = (T)extent[(A + 1) % 3] * extent[(A + 2) % 3];
  at[A] = (unsigned)(number / (layer * tiles[A])) * tiles[A];
  extent[A] = whole - at[A] < tiles[A] ? whole - at[A] : tiles[A];
  return number - at[A] * layer;
}
template <int A, class T>
inline __host__ __device__ T inner(T number, const unsigned (&extent)[3], unsigned (&at)[3]) {
  const T rest = number / extent[A];
  at[A] += (unsigned)(number - rest * extent[A]);
  return rest;
}
// The block that comes as `number`-th: tiles (0: the whole extent) with axis O0 fastest, inside them I0 fastest.
template <int O0, int O1, int O2, int I0, int I1, class T>
inline __host__ __device__ void place(T number, const unsigned (&grid)[3], const unsigned (&tiles)[3], unsigned (&at)[3]) {
  unsigned extent[3] = { grid[0], grid[1], grid[2] };
  at[0] = at[1] = at[2] = 0;
  number = outer<O2>(number, tiles, extent, at);
  number = outer<O1>(number, tiles, extent, at);
  number = outer<O0>(number, tiles, extent, at);
  number = inner<I0>(number, extent, at);
  number = inner<I1>(number, extent, at);
  at[3 - I0 - I1] += (unsigned)number;
}
// The block that is the w-th of cluster i when `blocks` blocks are divided into `clusters` balanced clusters
// (Li et al., eq. 8), and the blocks of a cluster.
inline __host__ __device__ unsigned invert(unsigned blocks, unsigned clusters, unsigned w, unsigned i) {
  const unsigned longer = blocks % clusters;
  return i * (blocks / clusters + 1) + w - (i > longer ? i - longer : 0);
}
inline __host__ __device__ unsigned cluster_size(unsigned blocks, unsigned clusters, unsigned i) {
  return blocks / clusters + (i < blocks % clusters ? 1 : 0);
}
// The block whose work the calling one does: n[0..2] the tile; n[3] > 1: so many clusters, to which blocks are bound as
// if the GPU gave them to its SMs in turn (Li et al., eq. 8 and 9).
template <int O0, int O1, int O2, int I0, int I1> inline __device__ uint3 redirected(const plan &p) {
  const unsigned grid[3] = { gridDim.x, gridDim.y, gridDim.z }, tiles[3] = { p.n[0], p.n[1], p.n[2] };
  unsigned at[3];
  const unsigned long long row = real::block_y() + (unsigned long long)grid[1] * real::block_z();
  const unsigned long long number = real::block_x() + grid[0] * row;
  if ((unsigned long long)grid[0] * grid[1] * grid[2] >> 32) place<O0, O1, O2, I0, I1>(number, grid, tiles, at);
  else {
    unsigned turn = (unsigned)number;
    if (p.n[3] > 1) turn = invert(grid[0] * grid[1] * grid[2], p.n[3], turn / p.n[3], turn % p.n[3]);
    place<O0, O1, O2, I0, I1>(turn, grid, tiles, at);
  }
  return make_uint3(at[0], at[1], at[2]);
}

// A block in the GPU's own order: what orders of the policy's own are written in.
struct numbered {
  long long n, x, y, z, gx, gy, gz;
  __host__ __device__ numbered(long long a, long long b, long long c, const dim3 &g)
      : n(a + g.x * (b + (long long)g.y * c)), x(a), y(b), z(c), gx(g.x), gy(g.y), gz(g.z) {}
};
inline __device__ numbered usual() { return numbered(real::block_x(), real::block_y(), real::block_z(), gridDim); }
// Whether an order gives every block of a grid to somebody: each is marked once.
struct marks {
  unsigned char *bits;
  dim3 grid;
  explicit marks(const dim3 &g) : bits(new unsigned char[((size_t)g.x * g.y * g.z + 7) / 8]()), grid(g) {}
  ~marks() { delete[] bits; }
  bool once(long long x, long long y, long long z) {
    if (x < 0 || y < 0 || z < 0 || x >= grid.x || y >= grid.y || z >= grid.z) return false;
    const size_t at = (size_t)x + grid.x * ((size_t)y + (size_t)grid.y * (size_t)z);
    const unsigned char bit = (unsigned char)(1 << at % 8);
    if (bits[at / 8] & bit) return false;
    bits[at / 8] = (unsigned char)(bits[at / 8] | bit);
    return true;
  }
 private:
  marks(const marks &);
  marks &operator=(const marks &);
};

// The w-th block of SM i where rows of `width` blocks go to SMs whole as long as all SMs can have as many, and the rest
// is split evenly (Liu et al., algorithm 3): `height` rows. False where the SM has no such block.
inline __host__ __device__ bool row_mapped(unsigned width, unsigned height, unsigned sms, unsigned w, unsigned i,
                                           unsigned &number) {
  const unsigned whole = height / sms * width, rest = (height - height / sms * sms) * width;
  const unsigned share = (rest + sms - 1) / sms;
  if (w < whole) { number = i * whole + w; return true; }
  const unsigned extra = i * share + (w - whole);
  if (w - whole >= share || extra >= rest) return false;
  number = whole * sms + extra;
  return true;
}

// A persistent block that does the work of many (Li et al., agent-based clustering). The plan: n[0..3] the grid of the
// original (x in two halves), n[4] clusters, n[5] active agents per SM, n[6] and n[7] the tile; scratch: a counter of
// arrivals and one of blocks taken per cluster. An agent serves the cluster of the SM that it runs on, then what is left
// of the others, so that all blocks are run wherever the agents are (MPS, MIG, other kernels on the device).
template <bool Mapped, bool Columns> struct agent {
  dim3 grid;
  unsigned *counters;
  unsigned blocks, clusters, cluster, tried, active, follower, tiles[3];
  bool followed;
  __device__ explicit agent(const plan &p)
      : grid(p.n[0] | (unsigned)p.n[1] << 16, p.n[2], p.n[3]), counters((unsigned *)p.scratch),
        blocks(grid.x * grid.y * grid.z), clusters(p.n[4]), cluster(0), tried(0), active(p.n[5]), follower(0), followed(false) {
    tiles[0] = p.n[6]; tiles[1] = p.n[7]; tiles[2] = 1;
    if (threadIdx.x | threadIdx.y | threadIdx.z) return;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    cluster = sm % clusters;
    if (atomicAdd(counters + cluster, 1u) >= p.n[5]) tried = clusters;  // throttled
  }
  __device__ bool has(unsigned w, unsigned &number) const {
    // The rows of all layers along z, in turn.
    if (Mapped) return row_mapped(Columns ? grid.y : grid.x, (Columns ? grid.x : grid.y) * grid.z, clusters, w, cluster, number);
    number = invert(blocks, clusters, w, cluster);
    return w < cluster_size(blocks, clusters, cluster);
  }
  __device__ uint3 block_of(unsigned number) const {
    const unsigned extent[3] = { grid.x, grid.y, grid.z }, column[3] = { Columns ? 1u : 0u, Columns ? 0u : 1u, 1u };
    unsigned at[3];
    if (Mapped) place<0, 1, 2, 0, 1>(number, extent, column, at);
    else place<0, 1, 2, 0, 1>(number, extent, tiles, at);
    return make_uint3(at[0], at[1], at[2]);
  }
  // Takes a block; false where none is left. All threads of the agent call it together.
  __device__ bool next(uint3 &block) {
    __shared__ unsigned taken, after;
    __shared__ bool some, more;
    __syncthreads();
    if (!(threadIdx.x | threadIdx.y | threadIdx.z)) {
      for (some = false; tried < clusters && !some;) {
        const unsigned w = atomicAdd(counters + clusters + cluster, 1u);
        unsigned number = 0;
        some = has(w, number);
        taken = number;
        if (some) { more = has(w + active, number); after = number; break; }
        cluster = cluster + 1 == clusters ? 0 : cluster + 1;
        ++tried;
      }
    }
    __syncthreads();
    if (!some) return false;
    block = block_of(taken);
    followed = more;
    follower = after;
    return true;
  }
  // The block that this agent gets next if all agents of the SM are equally fast.
  __device__ bool follows(uint3 &block) const {
    if (followed) block = block_of(follower);
    return followed;
  }
};
// A hint: the line at an address will be read soon.
inline __device__ void soon(const void *address) { asm volatile("prefetch.global.L1 [%0];" : : "l"(address)); }

// What boxes and orders of blocks cost in memory traffic, for decisions at a launch.
// Python's side of it: block_traffic.py, block_choice.py; tests hold the two together.

// What the accesses of one index form touch: thread and loop dimensions as (bytes per step, steps), and bytes per step
// along the axes of the grid.
struct form {
  long long bytes, requests;  // of one access; accesses of a warp in a block
  unsigned count;
  long long step[24], trips[24], block[3];
  form() : bytes(1), requests(0), count(0) { block[0] = block[1] = block[2] = 0; }
  void walk(long long by, long long times) {
    if (count < 24) { step[count] = by < 0 ? -by : by; trips[count++] = times; }
  }
};

// What a box of blocks touches through a form: dimensions by rising step, each either extends a run of bytes or copies it.
inline void spread(const form &f, const long long (&box)[3], long long sector, double &run, double &copies) {
  long long step[27], trips[27];
  unsigned n = 0;
  for (unsigned k = 0; k < f.count + 3; ++k) {
    const long long by = k < f.count ? f.step[k] : f.block[k - f.count] < 0 ? -f.block[k - f.count] : f.block[k - f.count];
    const long long times = k < f.count ? f.trips[k] : box[k - f.count];
    if (!by || times <= 1) continue;
    unsigned at = n++;
    for (; at && step[at - 1] > by; --at) { step[at] = step[at - 1]; trips[at] = trips[at - 1]; }
    step[at] = by; trips[at] = times;
  }
  run = (double)f.bytes; copies = 1;
  for (unsigned k = 0; k < n; ++k) {
    if ((double)step[k] <= (run > (double)sector ? run : (double)sector)) run += (double)step[k] * (double)(trips[k] - 1);
    else copies *= (double)trips[k];
  }
}
inline double in_sectors(double bytes, long long sector) {
  return (double)((long long)((bytes + (double)(sector - 1)) / (double)sector) * sector);
}
inline double touched(const form &f, const long long (&box)[3], long long sector) {
  double run, copies;
  spread(f, box, sector, run, copies);
  return copies * in_sectors(run, sector);
}

// Warps that go first (Liu et al., algorithm 2): what each load of a loop touches in one turn.
struct warp_forms {
  long long bytes[32], thread[32][3], block[32][3];
  unsigned count;
  warp_forms() : count(0) {}
  void add(long long size, long long x, long long y, long long z, long long u, long long v, long long w) {
    const long long steps[6] = { x, y, z, u, v, w };
    for (int a = 0; a < 3; ++a) { thread[count][a] = steps[a]; block[count][a] = steps[a + 3]; }
    bytes[count++] = size;
  }
  // Lines, in bytes, that the first `w` warps along an axis of the grid (eq. 7 and 8) touch in one turn.
  double lines(const dim3 &threads, int axis, long long w, long long line) const {
    const long long size[3] = { threads.x, threads.y, threads.z }, all = (size[0] * size[1] * size[2] + 31) / 32;
    long long box[3] = { 1, 1, 1 };
    box[axis] = (w + all - 1) / all;
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) {
      form f;
      f.bytes = bytes[k];
      long long left = (w < all ? w : all) * 32;
      for (int a = 0; a < 3; ++a) {
        const long long part = left < size[a] ? left : size[a];
        f.walk(thread[k][a], part);
        f.block[a] = block[k][a];
        left = (left + part - 1) / part;
      }
      sum += touched(f, box, line);
    }
    return sum;
  }
  // How many warps touch no more than L1 holds; 0: `most` do.
  long long fitting(const dim3 &threads, int axis, long long most, long long l1, long long line) const {
    const long long all = ((long long)threads.x * threads.y * threads.z + 31) / 32;
    long long last = 1;
    for (long long w = 1; w <= most; w += w < all ? 1 : all) {
      if (lines(threads, axis, w, line) > (double)l1) return last;
      last = w;
    }
    return 0;
  }
};

const long long USUAL_WIDTH = 32;  // blocks: close to the best of all widths on an H200 (docs/cta.md)
// What decisions go by. `sector`: bytes that L2 asks memory for at once; `margin`, `share`, `reserve` in thousandths: how
// many times less must be waited, part of the time that must be saved, part of L2 that cannot be counted on; `l2` 0: what
// the GPU has. `unit`: bytes that L1 asks L2 for at once; `l1`: its bytes, 0: it keeps nothing for other blocks;
// `l2_rate`: bytes per cycle that an SM gets from L2.
struct rules { long long sector, margin, share, reserve, l2, unit, l1, l2_rate; };
// A box of blocks that run together, the axis along which the next ones follow (-1: all are in it), and how far they go.
struct wave { long long now[3], most; int grows; };
// Bytes from beyond L2, and those that all L1s ask L2 for (0: not looked at).
struct bytes { double memory, asked; };
// The decision among orders for one launch.
struct orders {
  const launch &l;
  const rules &r;
  form forms[32];
  unsigned count;
  bool whole;  // all forms are known
  orders(const launch &l_, const rules &r_) : l(l_), r(r_), count(0), whole(true) {}
  form &add() { if (count == 32) { whole = false; --count; } return forms[count++]; }
  double box(long long x, long long y, long long z) const {
    const long long size[3] = { x, y, z };
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += touched(forms[k], size, r.sector);
    return sum;
  }
  static long long least(long long a, long long b) { return a < b ? a : b; }
  double blocks() const { return (double)l.grid.x * (double)l.grid.y * (double)l.grid.z; }
  // The blocks that run together in tiles of (w, h, d).
  wave together(long long w, long long h, long long d) const {
    const long long g[3] = { l.grid.x, l.grid.y, l.grid.z };
    const long long t[3] = { least(w ? w : g[0], g[0]), least(h ? h : g[1], g[1]), least(d ? d : g[2], g[2]) };
    wave v = { { 1, 1, 1 }, 1, -1 };
    long long left = (long long)l.sms * l.blocks_per_sm;
    for (int pass = 0; pass < 2; ++pass)
      for (int a = 0; a < 3; ++a) {
        const long long most = pass ? g[a] : t[a];
        if (v.grows >= 0 || v.now[a] == most) continue;
        const long long times = least((most + v.now[a] - 1) / v.now[a], left < 1 ? 1 : left);
        left /= times;
        v.now[a] = least(v.now[a] * times, most);
        if (v.now[a] < most) { v.grows = a; v.most = most; }
      }
    return v;
  }
  wave followed(const wave &v) const {
    wave two = v;
    if (v.grows >= 0) two.now[v.grows] = least(2 * v.now[v.grows], v.most);
    return two;
  }
  // What all blocks bring into a cache: `one` and `two` are what a wave, and a wave and the next one, touch. All of that
  // comes once where two fit. Else blocks are not in step: what one has brought is there for another one as far as the
  // cache holds what the wave touches, and the rest comes for each block (`own`).
  double brought(const wave &v, double waves, double one, double two, double own, double room) const {
    const double part = one > room ? room / one : 1;
    if (two > room || v.grows < 0) return waves * (part * one + (1 - part) * own);
    const double steps = (double)v.most / (double)v.now[v.grows], rows = waves / steps;
    return rows * (one + (steps - 1) * (two - one));
  }
  // Bytes that `held` blocks of an SM, any of `v`, touch: blocks go where room is, not in turn (docs/cta.md).
  double near_box(unsigned held, const wave &v) const {
    const long long one[3] = { 1, 1, 1 };
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) {
      double choices = 1, none = 1;
      for (int a = 0; a < 3; ++a) if (forms[k].block[a]) choices *= (double)v.now[a];
      for (unsigned i = 0; i < held; ++i) none *= 1 - 1 / choices;
      sum += touched(forms[k], one, r.unit) * choices * (1 - none);
    }
    return sum;
  }
  double each(long long unit) const {
    const long long one[3] = { 1, 1, 1 };
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += touched(forms[k], one, unit);
    return sum;
  }
  // What L1s and L2 bring when blocks run in tiles of (w, h, d).
  bytes traffic(long long w, long long h, long long d) const {
    const wave v = together(w, h, d), next = followed(v);
    const double now = (double)v.now[0] * (double)v.now[1] * (double)v.now[2], waves = blocks() / now;
    bytes found = { 0, 0 };
    double own = now * each(r.sector);
    if (near()) {
      const double one = near_box(l.blocks_per_sm, v), two = near_box(2 * l.blocks_per_sm, next);
      const double sms = now / l.blocks_per_sm;  // that hold a wave
      found.asked = sms * brought(v, waves, one, two, l.blocks_per_sm * each(r.unit), (double)r.l1);
      own = least_of(own, found.asked / waves);
    }
    const double room = (double)(r.l2 ? r.l2 : (long long)l.l2_bytes) * (double)(1000 - r.reserve) / 1000;
    const double one = box(v.now[0], v.now[1], v.now[2]), two = box(next.now[0], next.now[1], next.now[2]);
    found.memory = brought(v, waves, one, two, own > one ? own : one, room);
    return found;
  }
  static double least_of(double a, double b) { return a < b ? a : b; }
  bool near() const { return r.l1 && r.unit && r.l2_rate; }
  // The tile of up to `fit` blocks that share most, and what it touches per block; what is given (rows or columns: 0 is
  // the whole extent) unless another one touches 1.1 times less, as halos do not show here.
  double gather(unsigned fit, unsigned &w, unsigned &h) const {
    const unsigned given = w == 1 ? 1 : fit;
    double best = 0;
    for (unsigned turn = 0; turn <= fit; ++turn) {
      const unsigned wide = turn ? turn : given;
      const long long x = least(wide, l.grid.x), y = least(fit / wide, l.grid.y);
      const double each = box(x, y, 1) / (double)(x * y);
      if (!turn) best = each / 1.1;
      else if (each < best) { best = each; w = (unsigned)x; h = (unsigned)y; }
    }
    return w && h ? best : best * 1.1;
  }
  // The same of the blocks that an SM has at once where they are dealt out in turns.
  double dealt(unsigned fit) const {
    const long long all = (long long)l.grid.x * l.grid.y * l.grid.z, one[3] = { 1, 1, 1 };
    double sum = 0;
    unsigned blocks = 0;
    for (unsigned k = 0; k < count; ++k) {
      const form &f = forms[k];
      long long starts[64];
      double run, copies, bytes = 0, end = 0, begin = 0;
      for (blocks = 0; blocks < fit && blocks < 64 && (long long)blocks * l.sms < all; ++blocks) {
        const long long n = (long long)blocks * l.sms, x = n % l.grid.x, y = n / l.grid.x % l.grid.y, z = n / l.grid.x / l.grid.y;
        const long long start = x * f.block[0] + y * f.block[1] + z * f.block[2];
        unsigned at = blocks;
        for (; at && starts[at - 1] > start; --at) starts[at] = starts[at - 1];
        starts[at] = start;
      }
      spread(f, one, r.sector, run, copies);
      for (unsigned i = 0; i < blocks; ++i) {
        const double start = (double)starts[i];
        if (i && start <= end) { end = start + run > end ? start + run : end; continue; }
        if (i) bytes += in_sectors(end - begin, r.sector);
        begin = start; end = start + run;
      }
      sum += copies * (bytes + in_sectors(end - begin, r.sector));
    }
    return blocks ? sum / blocks : 0;
  }
  // Warp-level accesses of the whole grid.
  double requests() const {
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += (double)forms[k].requests;
    return sum * blocks() * (double)l.warps;
  }
  // Whether there are blocks that have to wait for others to end.
  bool waits() const {
    return l.sms && l.blocks_per_sm && blocks() > (double)l.sms * l.blocks_per_sm && blocks() < 2147483648.0;
  }
  // Cycles that SMs wait, all together, beyond those in which loads are issued: for memory, or for L2 where that takes
  // longer (`for_l2`). `ratio`: bytes per cycle from memory.
  double waited(long long w, long long h, long long d, long long ratio, bool *for_l2 = 0) const {
    const bytes found = traffic(w, h, d);
    const double memory = found.memory * (double)l.sms / (double)ratio;
    const double l2 = near() ? found.asked / (double)r.l2_rate - requests() : 0;
    if (for_l2) *for_l2 = l2 > memory;
    return l2 > memory ? l2 : memory;
  }
  // Bands of columns, in a grid of layers also rows through all of them: the usual width, or the one where least is
  // waited if that saves enough; false where the order saves too little. Where L2 would be waited for in the new
  // order, the whole time has to be so much less: what blocks out of step find in L1 is known less well (docs/cta.md).
  bool choose(choice &c, long long ratio) const {
    if (!whole || !count || !waits()) return false;
    bool for_l2;
    const double usual = waited(USUAL_WIDTH, 0, 1, ratio, &for_l2), base = waited(0, 1, 1, ratio);
    const double enough = requests() * (double)r.share / 1000;
    long long tile[3] = { USUAL_WIDTH, 0, 1 };
    double best = usual;
    for (long long d = 1; d >= 0 && (d || l.grid.z > 1); --d)
      for (long long w = 1; w < 65536 && w <= (long long)l.grid.x; w *= 2) {
        const long long h = d ? 0 : 1;
        bool by_l2;
        const double now = waited(w, h, d, ratio, &by_l2);
        if (now < best && usual - now >= enough) { best = now; for_l2 = by_l2; tile[0] = w; tile[1] = h; tile[2] = d; }
      }
    for (unsigned k = 0; k < 3; ++k) c.n[k] = (unsigned short)tile[k];
    const double counted = for_l2 ? requests() : 0;
    return (counted + base) * 1000.0 >= (counted + best) * (double)r.margin && base - best >= enough;
  }
};

} } }
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif
#line 4
static __global__ void kernel__gpuopt_cta_mapping(::gpuopt_rt::plan gpuopt_plan, const unsigned *a, const unsigned *b, unsigned *c, int n)
{ auto gpuopt_body = [&](const uint3 blockIdx, const dim3 gridDim, const unsigned *a, const unsigned *b, unsigned *c, int n) -> void { (void)blockIdx; (void)gridDim; {
    auto row = [=] { return blockIdx.y * 16 + threadIdx.y; };
    auto column = [&](auto i) { return blockIdx.x * 16 + threadIdx.x + i; };
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += a[row() * n + k] * b[k * n + column(0)];
    c[row() * n + column(0)] = sum;
} }; ::gpuopt_rt::plugin_cta_mapping::agent<true, true> gpuopt_a(gpuopt_plan); uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, a, b, c, n); } }
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O1")
#endif
static bool kernel__gpuopt_cta_mapping_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &c, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)a; (void)b; (void)c; (void)n; 
  if (gpuopt_l.grid.z != 1) return false;
  const dim3 &cta_g = gpuopt_l.grid;
  const unsigned long long cta_all = (unsigned long long)cta_g.x * cta_g.y * cta_g.z;
  unsigned cta_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!cta_fit || cta_all < 2 || cta_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned cta_most = (unsigned)((cta_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (cta_fit > cta_most) cta_fit = cta_most;
  unsigned cta_a = cta_fit, cta_w = 1, cta_h = 1;
  gpuopt_c.n[0] = (unsigned short)(cta_g.x & 65535); gpuopt_c.n[1] = (unsigned short)(cta_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)cta_g.y; gpuopt_c.n[3] = (unsigned short)cta_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)cta_a;
  gpuopt_c.n[6] = (unsigned short)cta_w; gpuopt_c.n[7] = (unsigned short)cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (size_t)gpuopt_l.sms;
  gpuopt_c.grid = dim3((unsigned)gpuopt_l.sms * cta_fit, 1, 1);
  return true;
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
  unsigned long long gpuopt_h, unsigned long long gpuopt_d, const unsigned *a, const unsigned *b, unsigned *c, int n) {
  static const char *const gpuopt_names[] = { "original", "cta_mapping" };
  const void *const gpuopt_of[] = { gpuopt_rt::address(kernel), gpuopt_rt::address(kernel__gpuopt_cta_mapping) };
  gpuopt_rt::launch gpuopt_l;
  gpuopt_e = gpuopt_m.take(gpuopt_e, gpuopt_c, gpuopt_h, gpuopt_d);
  if (!gpuopt_rt::describe(gpuopt_l, gpuopt_c, gpuopt_rt::address(kernel))) return gpuopt_e;
  gpuopt_rt::arms gpuopt_k(*gpuopt_e, gpuopt_l, gpuopt_of, gpuopt_names);
  unsigned long long gpuopt_u = 14695981039346656037ULL;
  gpuopt_u = gpuopt_rt::mix(gpuopt_u, gpuopt_rt::about(n));
  if (!gpuopt_k.find("kernel", "", 0x850253B149873357ULL, gpuopt_h, gpuopt_u)) {
    gpuopt_rt::search gpuopt_s(*gpuopt_e, gpuopt_l, gpuopt_of);
      { static const signed char gpuopt_t[] = { 1, -1 };
        static const unsigned gpuopt_a[] = { 0 };
        gpuopt_s.ask("cta_mapping", gpuopt_t, gpuopt_a, 0u, [&](const gpuopt_rt::launch &gpuopt_y, gpuopt_rt::choice &gpuopt_z) {
          return kernel__gpuopt_cta_mapping_guard(gpuopt_y, gpuopt_z, a, b, c, n);
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
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *a, const unsigned *b, unsigned *c, int n) {
// The launch of a version or of the original is here.
}
#endif
