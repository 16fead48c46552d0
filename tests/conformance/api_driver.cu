// The driver API beside the runtime: devices, contexts, memory, streams, events, launches of the program's own kernels.
// flags: -std=c++17 -lcuda
#include <cuda.h>

#include "api_print.h"

#define RESULT(call)                                       \
    do {                                                   \
        const char *name_ = nullptr;                       \
        cuGetErrorName(call, &name_);                      \
        printf("%s: %s\n", #call, name_ ? name_ : "?");    \
    } while (0)

__global__ void scale(int *p, int by) { p[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void exchange(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

static void devices()
{
    int count = 0, version = 0, value = 0;
    RESULT(cuDeviceGetCount(&count));
    RESULT(cuInit(1));
    RESULT(cuInit(0));
    RESULT(cuDriverGetVersion(&version));
    printf("%d\n", version >= 9000);
    RESULT(cuDriverGetVersion(nullptr));
    RESULT(cuDeviceGetCount(&count));
    printf("%d\n", count > 0);
    CUdevice device = -1;
    RESULT(cuDeviceGet(&device, count));
    RESULT(cuDeviceGet(&device, -1));
    RESULT(cuDeviceGet(nullptr, 0));
    RESULT(cuDeviceGet(&device, 0));
    printf("%d\n", (int)device);
    char name[64] = "";
    RESULT(cuDeviceGetName(name, sizeof name, device));
    printf("%d\n", strstr(name, "H200") != nullptr);
    RESULT(cuDeviceGetName(name, 4, device));
    printf("%zu\n", strlen(name));
    RESULT(cuDeviceGetName(nullptr, 4, device));
    size_t bytes = 0;
    RESULT(cuDeviceTotalMem(&bytes, device));
    printf("%d\n", bytes > 0);
    RESULT(cuDeviceTotalMem(nullptr, device));
    RESULT(cuDeviceTotalMem(&bytes, 99));
    RESULT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    printf("%d\n", value);
    RESULT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    printf("%d\n", value);
    RESULT(cuDeviceGetAttribute(&value, (CUdevice_attribute)9999, device));
    RESULT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
    RESULT(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    int major = 0, minor = 0;
    RESULT(cuDeviceComputeCapability(&major, &minor, device));
    printf("%d.%d\n", major, minor);
    const char *text = nullptr;
    RESULT(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    printf("%s\n", text);
    RESULT(cuGetErrorString((CUresult)12345, &text));
    RESULT(cuGetErrorName((CUresult)12345, &text));
    for (int status = 0; status < 1000; ++status) {
        const char *called = nullptr, *said = nullptr;
        if (cuGetErrorName((CUresult)status, &called) == CUDA_SUCCESS && cuGetErrorString((CUresult)status, &said) == CUDA_SUCCESS)
            printf("%d %s: %s\n", status, called, said);
    }
}

static void contexts()
{
    CUcontext none = (CUcontext)1, primary = nullptr, again = nullptr, popped = nullptr;
    CUdevice device = -1;
    RESULT(cuCtxGetCurrent(&none));
    printf("%d\n", none == nullptr);
    RESULT(cuCtxGetDevice(&device));
    RESULT(cuCtxSynchronize());
    CUdeviceptr at = 0;
    RESULT(cuMemAlloc(&at, 64));
    RESULT(cuDevicePrimaryCtxRetain(&primary, 0));
    RESULT(cuDevicePrimaryCtxRetain(&again, 0));
    printf("%d\n", primary == again);
    RESULT(cuDevicePrimaryCtxRetain(&again, 99));
    RESULT(cuDevicePrimaryCtxRetain(nullptr, 0));
    RESULT(cuCtxSetCurrent(primary));
    RESULT(cuCtxGetCurrent(&again));
    printf("%d\n", primary == again);
    RESULT(cuCtxGetDevice(&device));
    printf("%d\n", device);
    RESULT(cuCtxGetDevice(nullptr));
    RESULT(cuCtxPushCurrent(primary));
    RESULT(cuCtxPopCurrent(&popped));
    printf("%d\n", popped == primary);
    RESULT(cuCtxPopCurrent(&popped));
    RESULT(cuCtxGetCurrent(&again));
    printf("%d\n", again == nullptr);
    RESULT(cuCtxPopCurrent(&popped));
    RESULT(cuCtxSetCurrent(primary));
    unsigned long long id = 0, id_again = 0;
    RESULT(cuCtxGetId(primary, &id));
    RESULT(cuCtxGetId(nullptr, &id_again));
    printf("%d\n", id == id_again);
    unsigned flags = 77;
    int active = -1;
    RESULT(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("%u %d\n", flags, active);
    RESULT(cuCtxGetFlags(&flags));
    printf("%u\n", flags);
    unsigned version = 0;
    RESULT(cuCtxGetApiVersion(primary, &version));
    printf("%d\n", version > 3000);
    RESULT(cuCtxSynchronize());
    RESULT(cuDevicePrimaryCtxRelease(0));
    RESULT(cuMemAlloc(&at, 64));
    RESULT(cuMemFree(at));
    size_t limit = 0;
    RESULT(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    printf("%zu\n", limit);
    RESULT(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    RESULT(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    printf("%zu\n", limit);
    RESULT(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    int least = 0, greatest = 0;
    RESULT(cuCtxGetStreamPriorityRange(&least, &greatest));
    printf("%d %d\n", least, greatest);
    CUfunc_cache cache;
    RESULT(cuCtxGetCacheConfig(&cache));
    printf("%d\n", (int)cache);
}

static void memory()
{
    CUdeviceptr a = 0, b = 0, managed = 0, base = 0;
    size_t bytes = 0, free_bytes = 0, total = 0;
    RESULT(cuMemAlloc(&a, 1000));
    RESULT(cuMemAlloc(&b, 0));
    RESULT(cuMemAlloc(nullptr, 10));
    RESULT(cuMemAlloc(&b, (size_t)1 << 60));
    RESULT(cuMemAlloc(&b, 4096));
    RESULT(cuMemGetAddressRange(&base, &bytes, a + 500));
    printf("%d %zu\n", base == a, bytes);
    RESULT(cuMemGetAddressRange(&base, &bytes, 16));
    RESULT(cuMemGetInfo(&free_bytes, &total));
    printf("%d\n", free_bytes > 0 && free_bytes <= total);
    int host[1024], back[1024];
    for (int i = 0; i < 1024; ++i) host[i] = i;
    RESULT(cuMemcpyHtoD(b, host, sizeof host));
    RESULT(cuMemcpyDtoH(back, b, sizeof back));
    printf("%d %d\n", back[0], back[1023]);
    RESULT(cuMemcpyHtoD(b, nullptr, 0));
    RESULT(cuMemcpyHtoD(0, host, 16));
    RESULT(cuMemcpyDtoD(b, b + 2048, 1024));
    RESULT(cuMemcpyDtoH(back, b, sizeof back));
    printf("%d %d\n", back[0], back[256]);
    RESULT(cuMemsetD8(b, 3, 16));
    RESULT(cuMemsetD16(b + 16, 0x0102, 8));
    RESULT(cuMemsetD32(b + 32, 0x01020304, 4));
    RESULT(cuMemsetD16(b + 1, 5, 1));
    RESULT(cuMemsetD32(b + 2, 5, 1));
    RESULT(cuMemsetD2D8(b + 64, 32, 7, 4, 3));
    RESULT(cuMemsetD2D32(b + 256, 64, 9, 2, 2));
    RESULT(cuMemcpyDtoH(back, b, sizeof back));
    printf("%x %x %x %x %x %x %x %x\n", back[0], back[4], back[8], back[16], back[17], back[24], back[64], back[81]);
    CUstream stream = nullptr;
    RESULT(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    RESULT(cuStreamCreate(&stream, 55));
    RESULT(cuStreamCreate(nullptr, 0));
    RESULT(cuStreamCreate(&stream, 0));
    unsigned flags = 9;
    int priority = 9;
    RESULT(cuStreamGetFlags(stream, &flags));
    RESULT(cuStreamGetPriority(stream, &priority));
    printf("%u %d\n", flags, priority);
    CUstream urgent = nullptr;
    RESULT(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -100));
    RESULT(cuStreamGetPriority(urgent, &priority));
    RESULT(cuStreamGetFlags(urgent, &flags));
    printf("%u %d\n", flags, priority);
    RESULT(cuMemcpyHtoDAsync(b, host, sizeof host, stream));
    RESULT(cuMemcpyDtoDAsync(b + 64, b, 64, stream));
    RESULT(cuMemsetD32Async(b, 11, 4, stream));
    RESULT(cuMemsetD8Async(b + 16, 1, 4, stream));
    RESULT(cuMemcpyDtoHAsync(back, b, sizeof back, stream));
    RESULT(cuStreamSynchronize(stream));
    printf("%d %d %d %d %d\n", back[0], back[3], back[4], back[16], back[17]);
    RESULT(cuStreamQuery(stream));
    RESULT(cuMemcpy(b, b + 64, 64));
    RESULT(cuMemcpyAsync(b, (CUdeviceptr)(size_t)host, 64, stream));
    RESULT(cuStreamSynchronize(stream));
    RESULT(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    RESULT(cuMemAllocManaged(&managed, 4096, 77));
    RESULT(cuMemAllocManaged(&managed, 0, CU_MEM_ATTACH_GLOBAL));
    void *pinned = nullptr;
    RESULT(cuMemAllocHost(&pinned, 4096));
    RESULT(cuMemFreeHost(pinned));
    RESULT(cuMemFreeHost(nullptr));
    RESULT(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    CUdeviceptr mapped = 0;
    RESULT(cuMemHostGetDevicePointer(&mapped, pinned, 0));
    printf("%d\n", mapped == (CUdeviceptr)(size_t)pinned);
    RESULT(cuMemHostGetFlags(&flags, pinned));
    printf("%u\n", flags);
    RESULT(cuMemFreeHost(pinned));
    size_t pitch = 0;
    CUdeviceptr rows = 0;
    RESULT(cuMemAllocPitch(&rows, &pitch, 100, 4, 4));
    printf("%zu\n", pitch);
    RESULT(cuMemAllocPitch(&rows, &pitch, 1000, 4, 16));
    printf("%zu\n", pitch);
    RESULT(cuMemAllocPitch(&rows, &pitch, 1000, 4, 3));
    RESULT(cuMemAllocPitch(&rows, &pitch, 0, 4, 4));
    CUmemorytype type = (CUmemorytype)0;
    RESULT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, b));
    printf("%d\n", (int)type);
    CUcontext owner = nullptr;
    RESULT(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, b));
    RESULT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)host));
    RESULT(cuMemFree(b + 4));
    RESULT(cuMemFree(b));
    RESULT(cuMemFree(0));
    RESULT(cuMemFree(a));
    RESULT(cuStreamDestroy(stream));
    RESULT(cuStreamDestroy(urgent));
}

static void events()
{
    CUevent start = nullptr, stop = nullptr, timeless = nullptr;
    float ms = -1;
    RESULT(cuEventCreate(&start, CU_EVENT_DEFAULT));
    RESULT(cuEventCreate(&stop, CU_EVENT_BLOCKING_SYNC));
    RESULT(cuEventCreate(&timeless, CU_EVENT_DISABLE_TIMING));
    RESULT(cuEventCreate(&timeless, 1 << 10));
    RESULT(cuEventCreate(nullptr, 0));
    RESULT(cuEventQuery(start));
    RESULT(cuEventElapsedTime(&ms, start, stop));
    RESULT(cuEventRecord(start, nullptr));
    RESULT(cuEventRecord(stop, nullptr));
    RESULT(cuEventSynchronize(stop));
    RESULT(cuEventElapsedTime(&ms, start, stop));
    printf("%d\n", ms >= 0);
    RESULT(cuEventRecord(timeless, nullptr));
    RESULT(cuEventSynchronize(timeless));
    RESULT(cuEventElapsedTime(&ms, start, timeless));
    RESULT(cuStreamWaitEvent(nullptr, stop, 0));
    RESULT(cuStreamWaitEvent(nullptr, stop, 3));
    RESULT(cuEventDestroy(start));
    RESULT(cuEventDestroy(stop));
    RESULT(cuEventDestroy(timeless));
    RESULT(cuEventDestroy(nullptr));
}

static void launches()
{
    cudaFunction_t found = nullptr, other = nullptr;
    MUST(cudaGetFuncBySymbol(&found, (const void *)scale));
    MUST(cudaGetFuncBySymbol(&other, (const void *)exchange));
    const CUfunction function = (CUfunction)found, swaps = (CUfunction)other;
    CUdeviceptr p = 0;
    RESULT(cuMemAlloc(&p, 64 * sizeof(int)));
    RESULT(cuMemsetD32(p, 3, 64));
    int by = 5, back[64];
    void *arguments[] = {&p, &by};
    RESULT(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    RESULT(cuCtxSynchronize());
    RESULT(cuMemcpyDtoH(back, p, sizeof back));
    printf("%d %d\n", back[0], back[63]);
    RESULT(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    RESULT(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
    RESULT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 1 << 20, nullptr, arguments, nullptr));
    RESULT(cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    struct {
        CUdeviceptr p;
        int by;
    } packed = {p, 2};
    size_t size = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    RESULT(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
    RESULT(cuCtxSynchronize());
    RESULT(cuMemcpyDtoH(back, p, sizeof back));
    printf("%d %d\n", back[0], back[63]);
    RESULT(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, extra));
    for (int i = 0; i < 64; ++i) back[i] = i;
    RESULT(cuMemcpyHtoD(p, back, sizeof back));
    RESULT(cuLaunchKernel(swaps, 1, 1, 1, 64, 1, 1, 64 * sizeof(int), nullptr, arguments, nullptr));
    RESULT(cuMemcpyDtoH(back, p, sizeof back));
    printf("%d %d\n", back[0], back[63]);
    int value = -1;
    RESULT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    printf("%d\n", value);
    RESULT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    printf("%d\n", value);
    RESULT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, swaps));
    printf("%d\n", value);
    RESULT(cuFuncSetAttribute(swaps, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    RESULT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, swaps));
    printf("%d\n", value);
    RESULT(cuFuncGetAttribute(&value, (CUfunction_attribute)99, function));
    RESULT(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
    RESULT(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
    int blocks = 0, grid = 0;
    RESULT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
    printf("%d\n", blocks);
    RESULT(cuOccupancyMaxPotentialBlockSize(&grid, &blocks, function, nullptr, 0, 0));
    printf("%d %d\n", grid, blocks);
    RESULT(cuMemFree(p));
}

int main()
{
    devices();
    contexts();
    memory();
    events();
    launches();
    return 0;
}
