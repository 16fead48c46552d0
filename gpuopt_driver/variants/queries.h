// Occupancy queries and attributes of kernels that have versions: what the program asks or sets reaches all of them.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

typedef bool (*asked_function)(const launch &, choice &);

// A kernel and its versions; `asked` picks a version for a grid that fills the device, 0 where it cannot say.
struct versions {
  const void *of[9];
  asked_function asked[9];
  unsigned count;
  versions() : count(0) {}
  void add(const void *function, asked_function picks) { of[count] = function; asked[count++] = picks; }
};
template <class F> static inline versions versions_of(F list) { return ((versions (*)())list)(); }

// Blocks of the program's that an SM holds at once when a launch fills the device: `resident` unless a version says more.
// Where launches are measured, any of them may get the original: then it is the original's.
static inline int answer(const versions &v, int resident, int threads, size_t shared) {
  if (mode() == 1 || learning_mode() || threads <= 0 || resident <= 0 || cudaPeekAtLastError() != cudaSuccess) return resident;
  for (unsigned i = 1; i < v.count; ++i) {
    launch l;
    entry e;
    int device = 0, now = 0;
    if (!v.asked[i] || cudaGetDevice(&device) != cudaSuccess) continue;
    const int sms = attribute(cudaDevAttrMultiProcessorCount, device);
    const config c(dim3((unsigned)(resident * sms)), dim3((unsigned)threads), shared);
    e.reset(c);
    if (!describe(l, c, v.of[0])) continue;
    l.version = v.of[i];
    if (!v.asked[i](l, e.chosen) || !prepare(l, v.of[i], e)) continue;
    const choice &x = e.chosen;
    const int size = (int)(x.block.x * x.block.y * x.block.z);
    const unsigned long long mine = (unsigned long long)x.grid.x * x.grid.y * x.grid.z;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&now, v.of[i], size, x.shared) == cudaSuccess && now > 0 && mine)
      return (int)((unsigned long long)now * c.grid.x / mine);
    cudaGetLastError();
  }
  return resident;
}

static inline cudaError_t to_all(const versions &v, cudaError_t error, cudaError_t (*set)(const void *, int, int), int a,
                                 int b) {
  if (error != cudaSuccess || cudaPeekAtLastError() != cudaSuccess) return error;
  for (unsigned i = 1; i < v.count; ++i)
    if (v.of[i] != v.of[0] && set(v.of[i], a, b) != cudaSuccess) cudaGetLastError();
  return error;
}
struct same_size {
  size_t bytes;
  __host__ __device__ size_t operator()(int) const { return bytes; }
};

// The twins have a namespace of their own: what is passed to the runtime must not bring them into its own lookups.
namespace all {
template <class F> static inline cudaError_t
cudaFuncSetAttribute(F kernel, cudaFuncAttribute which, int value) {
  const versions v = versions_of(kernel);
  return to_all(v, ::cudaFuncSetAttribute(v.of[0], which, value), [](const void *one, int a, int b) {
    return ::cudaFuncSetAttribute(one, (cudaFuncAttribute)a, b); }, (int)which, value);
}
template <class F> static inline cudaError_t
cudaFuncSetCacheConfig(F kernel, cudaFuncCache which) {
  const versions v = versions_of(kernel);
  return to_all(v, ::cudaFuncSetCacheConfig(v.of[0], which), [](const void *one, int a, int) {
    return ::cudaFuncSetCacheConfig(one, (cudaFuncCache)a); }, (int)which, 0);
}
template <class F> static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, F kernel, int threads, size_t shared, unsigned flags) {
  const versions v = versions_of(kernel);
  const cudaError_t error =
      ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, v.of[0], threads, shared, flags);
  if (error == cudaSuccess) *blocks = answer(v, *blocks, threads, shared);
  return error;
}
template <class F> static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F kernel, int threads, size_t shared) {
  const versions v = versions_of(kernel);
  const cudaError_t error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, v.of[0], threads, shared);
  if (error == cudaSuccess) *blocks = answer(v, *blocks, threads, shared);
  return error;
}
template <class F, class S> static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, F kernel, S shared, int limit,
                                                        unsigned flags) {
  const versions v = versions_of(kernel);
  int device = 0, resident = 0;
  const cudaError_t error =
      ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, v.of[0], shared, limit, flags);
  if (error != cudaSuccess || cudaGetDevice(&device) != cudaSuccess) return error;
  const int sms = attribute(cudaDevAttrMultiProcessorCount, device);
  resident = sms ? *grid / sms : 0;
  const int now = answer(v, resident, *block, (size_t)shared(*block));
  if (now != resident) *grid = now * sms;
  return error;
}
template <class F, class S> static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, F kernel, S shared, int limit) {
  return gpuopt_rt::all::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared, limit, 0);
}
template <class F> static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, F kernel, size_t shared, int limit, unsigned flags) {
  return gpuopt_rt::all::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      grid, block, kernel, same_size{shared}, limit, flags);
}
template <class F> static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F kernel, size_t shared, int limit) {
  return gpuopt_rt::all::cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared, limit, 0);
}

} } }
