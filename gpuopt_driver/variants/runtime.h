// What is known of a launch and its GPU, and what becomes of it: the version that a launch gets. Pasted behind asked.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

static const gpu gpus[] = { GPUOPT_RT_GPUS };

GPUOPT_RT_API const gpu *gpu_of(int capability) {
  for (unsigned i = 0; i < sizeof(gpus) / sizeof(gpus[0]); ++i)
    if (gpus[i].capability == capability) return &gpus[i];
  return 0;
}

// L1 bytes beside the smallest shared-memory configuration that holds `use` bytes.
GPUOPT_RT_API size_t l1_beside(const gpu &g, size_t use) {
  size_t taken = 0;
  if (use < g.usual) use = g.usual;
  for (unsigned i = 0; i < 12 && (i == 0 || g.split[i]); ++i) { taken = g.split[i]; if (taken >= use) break; }
  size_t left = g.unified > taken ? g.unified - taken : 0;
  if (left > g.capacity) left = g.capacity;
  return left * g.usable / 1000;
}

GPUOPT_RT_API int attribute(cudaDeviceAttr which, int device) {
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
GPUOPT_RT_API bool describe(launch &l, const config &c, const void *kernel) {
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

// Give a version that is a copy the attributes that its original has; false where the version has no body (nvcc/ptx.c gives those that
// are refused one thread per block), where it cannot run as chosen (the kernel itself with a carve-out of the launch's
// own: by drivers of CUDA 12.5 and later), or where fewer
// of its blocks would be resident although its guard did not ask for that, with other shared memory, other blocks, a
// carve-out or `fewer_blocks` (whoever asked for the original's occupancy may rely on it).
GPUOPT_RT_API bool prepare(const launch &l, const void *version, entry &e) {
  const choice &c = e.chosen;
  cudaFuncAttributes from, to;
  int blocks = 0;
  const unsigned threads = c.block.x * c.block.y * c.block.z;
  bool good = cudaFuncGetAttributes(&from, l.kernel) == cudaSuccess &&
              cudaFuncGetAttributes(&to, version) == cudaSuccess && to.maxThreadsPerBlock > 1 &&
              threads <= (unsigned)to.maxThreadsPerBlock;
  // What the program raised is handed on; the usual 48 KB with the static part are what every kernel has.
  const bool raised = good && (size_t)from.maxDynamicSharedSizeBytes + from.sharedSizeBytes > 49152;
  size_t limit = raised ? (size_t)from.maxDynamicSharedSizeBytes : 0;
  if (limit < c.shared) limit = c.shared;
  const bool copied = version != l.kernel;
  if (good && (size_t)to.maxDynamicSharedSizeBytes < limit)
    good = copied && cudaFuncSetAttribute(version, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)limit) == cudaSuccess;
  const int carveout = good && c.carveout >= 0 ? c.carveout : good ? from.preferredShmemCarveout : -1;
  if (good && copied && to.preferredShmemCarveout != carveout)
    good = cudaFuncSetAttribute(version, cudaFuncAttributePreferredSharedMemoryCarveout, carveout) == cudaSuccess;
  int driver = 0;
  if (good && !copied && c.carveout >= 0) good = cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12050;
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
GPUOPT_RT_API unsigned residency(const launch &l, unsigned threads, size_t shared) {
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

GPUOPT_RT_MEMBER bool search::attempt(launch l, const choice &c, int to, const unsigned *away,
    unsigned aways, const question &guard) {
  if (to < 0) return false;
  e.chosen = c;
  e.chosen.gives_way = false;
  l.version = of[to];
  if (!guard.ask(l, &e.chosen) || !prepare(l, l.version, e)) return false;
  if (e.chosen.gives_way) { before = l; kept = c; }
  leave(l, e.chosen);
  if (aways) { l.away = away; l.aways = aways; }
  pick = to; now = l; chosen = e.chosen;
  return true;
}

GPUOPT_RT_MEMBER void search::ask(const char *name, const signed char *to, const unsigned *away,
    unsigned aways, const question &guard) {
  if (!wanted(name)) return;
  const launch l = now;
  const choice c = chosen;
  const int from = pick;
  if (c.gives_way && attempt(before, kept, to[under], away, aways, guard)) return;
  if (attempt(l, c, to[from], away, aways, guard) && chosen.gives_way) under = from;
}

} }
