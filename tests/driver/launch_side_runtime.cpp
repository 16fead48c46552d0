// As much of a CUDA runtime and driver as a program with versions asks for: kernels do nothing and take a time that
// depends on which of them it is. Prints each launch.
#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

static std::map<const void *, std::string> &names() {  // kernels are registered before anything else is made
  static std::map<const void *, std::string> all;
  return all;
}
static double clock_ms;
static dim3 pushed[2];

static int launched(const void *symbol, unsigned blocks, unsigned threads) {
  const std::string &name = names()[symbol];
  std::printf("%s<<<%u, %u>>>\n", name.c_str(), blocks, threads);
  clock_ms += name.find("gpuopt") == std::string::npos ? 1.0 : name.find("coarsening") != std::string::npos ? 0.5 : 0.8;
  return 0;
}

extern "C" {
void **__cudaRegisterFatBinary(void *) { static void *handle; return &handle; }
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  names()[host] = name;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol) { *kernel = (cudaKernel_t)symbol; return cudaSuccess; }
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **, size_t, cudaStream_t) {
  return (cudaError_t)launched((const void *)kernel, grid.x, block.x);
}
cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **, size_t, cudaStream_t) {
  return (cudaError_t)launched(symbol, grid.x, block.x);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *symbol, void **) {
  return (cudaError_t)launched(symbol, config->gridDim.x, config->blockDim.x);
}
cudaError_t cudaDriverGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t, CUstream_st *) {
  pushed[0] = grid;
  pushed[1] = block;
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  *grid = pushed[0];
  *block = pushed[1];
  *shared = 0;
  *(void **)stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrComputeCapabilityMajor ? 9 : which == cudaDevAttrComputeCapabilityMinor ? 0 : 132;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, const void *) {
  std::memset(a, 0, sizeof(*a));
  a->maxThreadsPerBlock = 1024; a->numRegs = 32; a->maxDynamicSharedSizeBytes = 49152; a->preferredShmemCarveout = -1;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t) { *blocks = 8; return cudaSuccess; }
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) { *function = (cudaFunction_t)symbol; return cudaSuccess; }
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaFreeAsync(void *, cudaStream_t) { return cudaSuccess; }
}

static int launch(cudaFunction_t function, unsigned gx, unsigned, unsigned, unsigned bx, unsigned, unsigned, unsigned,
                  cudaStream_t, void **, void **) {
  return launched((const void *)function, gx, bx);
}
// `sizes`: a CUlaunchConfig begins with those of the grid and of the block.
static int launch_with(const unsigned *sizes, cudaFunction_t function, void **, void **) {
  return launched((const void *)function, sizes[0], sizes[3]);
}
static int id(void *, unsigned long long *context) { *context = 7; return 0; }
static int attribute(int *value, int, cudaFunction_t) { *value = 0; return 0; }
static int create(void **event, unsigned) { *event = new double(0); return 0; }
static int record(void *event, cudaStream_t) { *(double *)event = clock_ms; return 0; }
static int good(void *) { return 0; }
static int elapsed(float *ms, void *from, void *to) { *ms = (float)(*(double *)to - *(double *)from); return 0; }
static int capturing(cudaStream_t, int *now) { *now = 0; return 0; }
static int exchange(int *) { return 0; }
static int device(int *now) { *now = 0; return 0; }
static int called(char *text, int room, int) { std::snprintf(text, (size_t)room, "none"); return 0; }
static int version(int *now) { *now = 13000; return 0; }

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned, unsigned long long,
                                                        cudaDriverEntryPointQueryResult *) {
  static const std::map<std::string, void *> all = {
      { "cuCtxGetId", (void *)id }, { "cuFuncGetAttribute", (void *)attribute }, { "cuLaunchKernel", (void *)launch },
      { "cuLaunchKernelEx", (void *)launch_with },
      { "cuEventCreate", (void *)create }, { "cuEventRecord", (void *)record }, { "cuEventQuery", (void *)good },
      { "cuEventDestroy", (void *)good }, { "cuEventElapsedTime", (void *)elapsed },
      { "cuStreamIsCapturing", (void *)capturing }, { "cuThreadExchangeStreamCaptureMode", (void *)exchange },
      { "cuCtxGetDevice", (void *)device }, { "cuDeviceGetName", (void *)called }, { "cuDriverGetVersion", (void *)version },
  };
  const auto one = all.find(name);
  *found = one == all.end() ? nullptr : one->second;
  return *found ? cudaSuccess : cudaErrorNotSupported;
}
