// Which error the runtime answers with: bad pointers, directions, sizes, launches, attributes.
#include "api_print.h"

__global__ void small(int *p) { *p = 1; }
__global__ void __launch_bounds__(128) bounded(int *p) { *p = 2; }
__global__ void uses_shared(float *p)
{
    __shared__ float s[3000];
    s[threadIdx.x] = 1;
    *p = s[0];
}
__device__ int variable[16];
__constant__ float table[8];
static int host_variable[4];

static void allocation()
{
    void *p = nullptr, *h = nullptr;
    char *d = nullptr;
    size_t pitch = 0;
    SHOW(cudaMalloc(&p, 0));
    printf("pointer of nothing is null: %d\n", p == nullptr);
    SHOW(cudaMalloc((void **)nullptr, 16));
    SHOW(cudaMalloc(&p, (size_t)1 << 50));
    SHOW(cudaMalloc(&d, 1000));
    SHOW(cudaFree(d + 4));
    SHOW(cudaFree(nullptr));
    SHOW(cudaFree(host_variable));
    SHOW(cudaMallocHost(&h, 64));
    SHOW(cudaFree(h));
    SHOW(cudaFreeHost(d));
    SHOW(cudaFreeHost(host_variable));
    SHOW(cudaFreeHost(nullptr));
    SHOW(cudaFreeHost(h));
    SHOW(cudaFree(d));
    SHOW(cudaFree(d));
    SHOW(cudaMallocManaged(&p, 0));
    SHOW(cudaMallocManaged(&p, 16, 9));
    SHOW(cudaHostAlloc(&h, 16, 1 << 10));
    SHOW(cudaMallocPitch(&p, &pitch, 100, 3));
    printf("pitch %zu\n", pitch);
    SHOW(cudaFree(p));
    SHOW(cudaMallocPitch(&p, &pitch, 513, 3));
    printf("pitch %zu\n", pitch);
    SHOW(cudaFree(p));
}

static void copies()
{
    char *d = nullptr, *other = nullptr, host[64] = {};
    MUST(cudaMalloc(&d, 1024));
    MUST(cudaMalloc(&other, 1024));
    SHOW(cudaMemcpy(d, host, 64, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, host, 64, cudaMemcpyDefault));
    SHOW(cudaMemcpy(host, d, 64, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(d, other, 64, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(host, d, 64, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, host, 64, (cudaMemcpyKind)7));
    SHOW(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, nullptr, 64, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, host, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(d, 16, host, 8, 12, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(d, 8, host, 16, 12, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(d, 16, host, 16, 12, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemset(nullptr, 0, 16));
    SHOW(cudaMemset(d, 0, 16));
    SHOW(cudaMemset2D(d, 8, 0, 12, 2));
    SHOW(cudaMemcpyToSymbol(variable, host, 64));
    SHOW(cudaMemcpyToSymbol(variable, host, 64, 4));
    SHOW(cudaMemcpyToSymbol(table, host, 33));
    SHOW(cudaMemcpyFromSymbol(host, table, 16, 16));
    SHOW(cudaMemcpyFromSymbol(host, table, 16, 17));
    size_t bytes = 0;
    SHOW(cudaGetSymbolSize(&bytes, variable));
    printf("size %zu\n", bytes);
    MUST(cudaFree(d));
    MUST(cudaFree(other));
}

static void launches(int *p)
{
    // CUDA 13 answers cudaErrorInvalidValue where CUDA 12 said cudaErrorInvalidConfiguration.
    const auto name = [](cudaError_t status) {
        return status == cudaErrorInvalidConfiguration || status == cudaErrorInvalidValue ? "refused" : cudaGetErrorName(status);
    };
    const auto show = [&](const char *what) { printf("%s: %s\n", what, name(cudaGetLastError())); };
    small<<<1, 1024>>>(p);
    show("1024 threads");
    small<<<1, 1025>>>(p);
    show("1025 threads");
    small<<<1, dim3(1, 1, 65)>>>(p);
    show("65 deep");
    small<<<0, 1>>>(p);
    show("no blocks");
    small<<<1, 0>>>(p);
    show("no threads");
    small<<<dim3(1, 65536), 1>>>(p);
    show("65536 rows of blocks");
    bounded<<<1, 129>>>(p);
    show("beyond the launch bounds");
    small<<<1, 1, 48 * 1024>>>(p);
    show("48 KB of shared memory");
    small<<<1, 1, 48 * 1024 + 1>>>(p);
    show("more than 48 KB of shared memory");
    uses_shared<<<1, 1, 40 * 1024>>>((float *)p);
    show("too much shared memory together");
    printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    small<<<1, 2000>>>(p);
    printf("peek: %s\n", name(cudaPeekAtLastError()));
    printf("get: %s\n", name(cudaGetLastError()));
    printf("get again: %s\n", cudaGetErrorName(cudaGetLastError()));
    void *none[] = {&p};
    SHOW(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(1), none, 0, 0));
    printf("2000 threads: %s\n", name(cudaLaunchKernel((const void *)small, dim3(1), dim3(2000), none, 0, 0)));
    cudaGetLastError();
    SHOW(cudaLaunchKernel((const void *)small, dim3(1), dim3(1), none, 0, 0));
    SHOW(cudaDeviceSynchronize());
}

static void functions()
{
    cudaFuncAttributes a;
    int blocks = 0;
    SHOW(cudaFuncGetAttributes(&a, small));
    printf("shared %zu, threads %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock);
    SHOW(cudaFuncGetAttributes(&a, bounded));
    printf("threads %d\n", a.maxThreadsPerBlock);
    SHOW(cudaFuncGetAttributes(&a, uses_shared));
    printf("shared %zu, dynamic at most %d\n", a.sharedSizeBytes, a.maxDynamicSharedSizeBytes);
    printf("no kernel: %d\n", cudaFuncGetAttributes(&a, (const void *)&host_variable) != cudaSuccess);
    cudaGetLastError();
    SHOW(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    SHOW(cudaFuncGetAttributes(&a, small));
    printf("dynamic at most %d\n", a.maxDynamicSharedSizeBytes);
    SHOW(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SHOW(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SHOW(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    SHOW(cudaFuncSetAttribute(small, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    SHOW(cudaFuncGetAttributes(&a, small));
    printf("carve-out %d\n", a.preferredShmemCarveout);
    SHOW(cudaFuncSetAttribute(small, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SHOW(cudaFuncSetAttribute(small, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    SHOW(cudaFuncSetAttribute(small, (cudaFuncAttribute)77, 1));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 1024, 0));
    printf("blocks %d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 0, 0));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 2000, 0));
    printf("blocks %d\n", blocks);
    SHOW(cudaFuncSetCacheConfig(small, cudaFuncCachePreferL1));
}

static void device()
{
    cudaDeviceProp properties;
    int value = 0;
    size_t limit = 0;
    SHOW(cudaSetDevice(99));
    SHOW(cudaSetDevice(-1));
    SHOW(cudaGetDeviceProperties(&properties, 99));
    SHOW(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    SHOW(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    SHOW(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    printf("warp %d\n", value);
    SHOW(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    printf("stack %zu\n", limit);
    SHOW(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    printf("heap %zu\n", limit);
    SHOW(cudaDeviceGetLimit(&limit, (cudaLimit)55));
    SHOW(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    SHOW(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    printf("heap %zu\n", limit);
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaDeviceDisablePeerAccess(0));
    SHOW(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
}

static void names()
{
    const int codes[] = {0, 1, 2, 3, 9, 12, 13, 17, 18, 20, 21, 26, 27, 35, 52, 98, 100, 101, 200, 209, 214, 217, 218, 300,
                         301, 304, 400, 401, 500, 600, 700, 701, 702, 704, 705, 708, 709, 710, 711, 712, 713, 714, 715, 716,
                         717, 718, 719, 720, 800, 801, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 999, 12345};
    for (int code : codes)
        printf("%d %s: %s\n", code, cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));
}

int main()
{
    int *p = nullptr;
    MUST(cudaMalloc(&p, 1 << 16));
    allocation();
    copies();
    launches(p);
    functions();
    device();
    names();
}
