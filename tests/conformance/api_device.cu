// Devices, their attributes and limits, what kernels are told to be like, occupancy, entry points.
// flags: -std=c++17
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "api_print.h"

struct Attribute {
    const char *name;
    cudaDeviceAttr number;
};
#define ONE(name) {#name, cudaDevAttr##name}
static const Attribute attributes[] = {
    ONE(MaxThreadsPerBlock), ONE(MaxBlockDimX), ONE(MaxBlockDimY), ONE(MaxBlockDimZ), ONE(MaxGridDimX), ONE(MaxGridDimY),
    ONE(MaxGridDimZ), ONE(MaxSharedMemoryPerBlock), ONE(TotalConstantMemory), ONE(WarpSize), ONE(MaxPitch),
    ONE(MaxRegistersPerBlock), ONE(ClockRate), ONE(TextureAlignment), ONE(GpuOverlap), ONE(MultiProcessorCount),
    ONE(KernelExecTimeout), ONE(Integrated), ONE(CanMapHostMemory), ONE(ComputeMode), ONE(MaxTexture1DWidth),
    ONE(MaxTexture2DWidth), ONE(MaxTexture2DHeight), ONE(MaxTexture3DWidth), ONE(MaxTexture3DHeight),
    ONE(MaxTexture3DDepth), ONE(MaxTexture2DLayeredWidth), ONE(MaxTexture2DLayeredHeight),
    ONE(MaxTexture2DLayeredLayers), ONE(SurfaceAlignment), ONE(ConcurrentKernels), ONE(L2CacheSize), ONE(MaxThreadsPerMultiProcessor), ONE(AsyncEngineCount),
    ONE(UnifiedAddressing), ONE(MaxTexture1DLayeredWidth), ONE(MaxTexture1DLayeredLayers),
    ONE(MaxTexture2DGatherWidth), ONE(MaxTexture2DGatherHeight), ONE(MaxTexture3DWidthAlt), ONE(MaxTexture3DHeightAlt),
    ONE(MaxTexture3DDepthAlt), ONE(TexturePitchAlignment), ONE(MaxTextureCubemapWidth),
    ONE(MaxTextureCubemapLayeredWidth), ONE(MaxTextureCubemapLayeredLayers), ONE(MaxSurface1DWidth),
    ONE(MaxSurface2DWidth), ONE(MaxSurface2DHeight), ONE(MaxSurface3DWidth), ONE(MaxSurface3DHeight),
    ONE(MaxSurface3DDepth), ONE(MaxSurface1DLayeredWidth), ONE(MaxSurface1DLayeredLayers),
    ONE(MaxSurface2DLayeredWidth), ONE(MaxSurface2DLayeredHeight), ONE(MaxSurface2DLayeredLayers),
    ONE(MaxSurfaceCubemapWidth), ONE(MaxSurfaceCubemapLayeredWidth), ONE(MaxSurfaceCubemapLayeredLayers),
    ONE(MaxTexture1DLinearWidth), ONE(MaxTexture2DLinearWidth), ONE(MaxTexture2DLinearHeight),
    ONE(MaxTexture2DLinearPitch), ONE(MaxTexture2DMipmappedWidth), ONE(MaxTexture2DMipmappedHeight),
    ONE(ComputeCapabilityMajor), ONE(ComputeCapabilityMinor), ONE(MaxTexture1DMipmappedWidth),
    ONE(StreamPrioritiesSupported), ONE(GlobalL1CacheSupported), ONE(LocalL1CacheSupported),
    ONE(MaxSharedMemoryPerMultiprocessor), ONE(MaxRegistersPerMultiprocessor), ONE(ManagedMemory), ONE(IsMultiGpuBoard),
    ONE(MultiGpuBoardGroupID), ONE(HostNativeAtomicSupported), ONE(SingleToDoublePrecisionPerfRatio),
    ONE(PageableMemoryAccess), ONE(ConcurrentManagedAccess), ONE(ComputePreemptionSupported),
    ONE(CanUseHostPointerForRegisteredMem), ONE(CooperativeLaunch), ONE(MaxSharedMemoryPerBlockOptin),
    ONE(CanFlushRemoteWrites), ONE(HostRegisterSupported), ONE(PageableMemoryAccessUsesHostPageTables),
    ONE(DirectManagedMemAccessFromHost), ONE(MaxBlocksPerMultiprocessor), ONE(MaxPersistingL2CacheSize),
    ONE(MaxAccessPolicyWindowSize), ONE(ReservedSharedMemoryPerBlock), ONE(HostRegisterReadOnlySupported), ONE(MemoryPoolsSupported),
    ONE(ClusterLaunch), ONE(NumaConfig), ONE(D3D12CigSupported), ONE(VulkanCigSupported),
    };

static void devices()
{
    int count = -1, device = -1, value = 0;
    SHOW(cudaGetDeviceCount(&count));
    printf("%d\n", count > 0);
    SHOW(cudaGetDevice(&device));
    printf("%d\n", device);
    SHOW(cudaSetDevice(0));
    SHOW(cudaSetDevice(-1));
    SHOW(cudaSetDevice(count));
    SHOW(cudaGetDevice(nullptr));
    SHOW(cudaGetDeviceCount(nullptr));
    SHOW(cudaInitDevice(0, 0, 0));
    SHOW(cudaInitDevice(count, 0, 0));
    SHOW(cudaSetValidDevices(&device, 1));
    SHOW(cudaSetValidDevices(nullptr, 0));
    int none[1] = {count};
    SHOW(cudaSetValidDevices(none, 1));
    SHOW(cudaSetValidDevices(nullptr, 2));
    for (const Attribute &a : attributes) {
        const cudaError_t status = cudaDeviceGetAttribute(&value, a.number, 0);
        printf("%s (%d): %d %s\n", a.name, (int)a.number, value, cudaGetErrorName(status));
    }
    for (int number : {0, 92, 96, 122, 141, 150, 200}) {
        value = -7;
        const cudaError_t status = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)number, 0);
        printf("attribute %d: %s\n", number, cudaGetErrorName(status));
    }
    cudaGetLastError();
    char id[32];
    SHOW(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    printf("%zu\n", strlen(id));
    device = -1;
    SHOW(cudaDeviceGetByPCIBusId(&device, id));
    printf("%d\n", device);
    SHOW(cudaDeviceGetByPCIBusId(&device, "no such bus"));
    SHOW(cudaDeviceGetByPCIBusId(&device, "0000:fe:1f.0"));
    SHOW(cudaDeviceGetByPCIBusId(&device, nullptr));
    SHOW(cudaDeviceGetPCIBusId(id, 3, 0));
    SHOW(cudaDeviceGetPCIBusId(id, 0, 0));
    SHOW(cudaDeviceGetPCIBusId(nullptr, 32, 0));
    SHOW(cudaDeviceGetPCIBusId(id, sizeof id, count));
    int peer = -1;
    SHOW(cudaDeviceCanAccessPeer(&peer, 0, 0));
    printf("%d\n", peer);
    SHOW(cudaDeviceCanAccessPeer(&peer, 0, count));
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaDeviceEnablePeerAccess(0, 1));
    SHOW(cudaDeviceEnablePeerAccess(count, 0));
    SHOW(cudaDeviceDisablePeerAccess(0));
    SHOW(cudaDeviceDisablePeerAccess(count));
    SHOW(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    SHOW(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, count));
    cudaDeviceProp wanted = {};
    device = -1;
    SHOW(cudaChooseDevice(&device, &wanted));
    printf("%d\n", device);
    wanted.major = 99;
    SHOW(cudaChooseDevice(&device, &wanted));
    SHOW(cudaChooseDevice(&device, nullptr));
    SHOW(cudaChooseDevice(nullptr, &wanted));
    SHOW(cudaGetDeviceProperties(nullptr, 0));
    int version = 0;
    SHOW(cudaRuntimeGetVersion(&version));
    printf("%d\n", version >= 9000);
    SHOW(cudaRuntimeGetVersion(nullptr));
    SHOW(cudaDriverGetVersion(&version));
    printf("%d\n", version >= 9000);
    SHOW(cudaDriverGetVersion(nullptr));
}

static void properties()
{
    cudaDeviceProp p;
    MUST(cudaGetDeviceProperties(&p, 0));
    printf("%zu %d %d %zu %d\n", p.sharedMemPerBlock, p.regsPerBlock, p.warpSize, p.memPitch, p.maxThreadsPerBlock);
    printf("%d %d %d, %d %d %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("%zu %d.%d %zu %zu\n", p.totalConstMem, p.major, p.minor, p.textureAlignment, p.texturePitchAlignment);
    printf("%d %d %d %d %d %d\n", p.multiProcessorCount, p.integrated, p.canMapHostMemory, p.maxTexture1D, p.maxTexture1DMipmap, p.maxSurface1D);
    printf("%d %d, %d %d, %d %d %d\n", p.maxTexture2D[0], p.maxTexture2D[1], p.maxTexture2DMipmap[0], p.maxTexture2DMipmap[1], p.maxTexture2DLinear[0], p.maxTexture2DLinear[1], p.maxTexture2DLinear[2]);
    printf("%d %d, %d %d %d, %d %d %d\n", p.maxTexture2DGather[0], p.maxTexture2DGather[1], p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2], p.maxTexture3DAlt[0], p.maxTexture3DAlt[1], p.maxTexture3DAlt[2]);
    printf("%d, %d %d, %d %d %d, %d %d\n", p.maxTextureCubemap, p.maxTexture1DLayered[0], p.maxTexture1DLayered[1], p.maxTexture2DLayered[0], p.maxTexture2DLayered[1], p.maxTexture2DLayered[2], p.maxTextureCubemapLayered[0], p.maxTextureCubemapLayered[1]);
    printf("%d %d, %d %d %d, %d %d\n", p.maxSurface2D[0], p.maxSurface2D[1], p.maxSurface3D[0], p.maxSurface3D[1], p.maxSurface3D[2], p.maxSurface1DLayered[0], p.maxSurface1DLayered[1]);
    printf("%d %d %d, %d, %d %d\n", p.maxSurface2DLayered[0], p.maxSurface2DLayered[1], p.maxSurface2DLayered[2], p.maxSurfaceCubemap, p.maxSurfaceCubemapLayered[0], p.maxSurfaceCubemapLayered[1]);
    printf("%zu %d %d %d %d\n", p.surfaceAlignment, p.concurrentKernels, p.tccDriver, p.asyncEngineCount, p.unifiedAddressing);
    printf("%d %d %d %d %d\n", p.l2CacheSize, p.persistingL2CacheMaxSize, p.maxThreadsPerMultiProcessor, p.streamPrioritiesSupported, p.globalL1CacheSupported);
    printf("%d %zu %d %d %d %d\n", p.localL1CacheSupported, p.sharedMemPerMultiprocessor, p.regsPerMultiprocessor, p.managedMemory, p.isMultiGpuBoard, p.multiGpuBoardGroupID);
    printf("%d %d %d %d %d %d\n", p.hostNativeAtomicSupported, p.pageableMemoryAccess, p.concurrentManagedAccess, p.computePreemptionSupported, p.canUseHostPointerForRegisteredMem, p.cooperativeLaunch);
    printf("%zu %d %d %d\n", p.sharedMemPerBlockOptin, p.pageableMemoryAccessUsesHostPageTables, p.directManagedMemAccessFromHost, p.maxBlocksPerMultiProcessor);
    printf("%d %zu %d %d\n", p.accessPolicyMaxWindowSize, p.reservedSharedMemPerBlock, p.hostRegisterSupported, p.hostRegisterReadOnlySupported);
    printf("%d %d %d\n", p.memoryPoolsSupported, p.clusterLaunch, p.unifiedFunctionPointers);
}

#define LIMIT(name)                                                                            \
    do {                                                                                       \
        size_t value_ = 99;                                                                    \
        SHOW(cudaDeviceGetLimit(&value_, name));                                               \
        printf("%zu\n", value_);                                                               \
    } while (0)
#define SET_LIMIT(name, value)                                                                 \
    do {                                                                                       \
        SHOW(cudaDeviceSetLimit(name, value));                                                 \
        LIMIT(name);                                                                           \
    } while (0)

static void settings()
{
    LIMIT(cudaLimitStackSize);
    LIMIT(cudaLimitPrintfFifoSize);
    LIMIT(cudaLimitMallocHeapSize);
    LIMIT(cudaLimitDevRuntimePendingLaunchCount);
    LIMIT(cudaLimitMaxL2FetchGranularity);
    LIMIT(cudaLimitPersistingL2CacheSize);
    SET_LIMIT(cudaLimitStackSize, 2000);
    SET_LIMIT(cudaLimitStackSize, 4096);
    SET_LIMIT(cudaLimitStackSize, 1 << 30);
    SET_LIMIT(cudaLimitPrintfFifoSize, 1 << 22);
    SET_LIMIT(cudaLimitMallocHeapSize, 1 << 24);
    SET_LIMIT(cudaLimitMallocHeapSize, 100);
    SET_LIMIT(cudaLimitDevRuntimePendingLaunchCount, 4096);
    SET_LIMIT(cudaLimitMaxL2FetchGranularity, 32);
    SET_LIMIT(cudaLimitMaxL2FetchGranularity, 100);
    SET_LIMIT(cudaLimitMaxL2FetchGranularity, 1000);
    SET_LIMIT(cudaLimitPersistingL2CacheSize, 1 << 20);
    SET_LIMIT(cudaLimitPersistingL2CacheSize, 0);
    SHOW(cudaDeviceSetLimit((cudaLimit)77, 1));
    SHOW(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    SHOW(cudaCtxResetPersistingL2Cache());
    cudaFuncCache cache = (cudaFuncCache)9;
    SHOW(cudaDeviceGetCacheConfig(&cache));
    printf("%d\n", (int)cache);
    SHOW(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    SHOW(cudaDeviceGetCacheConfig(&cache));
    printf("%d\n", (int)cache);
    SHOW(cudaDeviceSetCacheConfig((cudaFuncCache)9));
    SHOW(cudaDeviceGetCacheConfig(nullptr));
    cudaSharedMemConfig banks = (cudaSharedMemConfig)9;
    SHOW(cudaDeviceGetSharedMemConfig(&banks));
    printf("%d\n", (int)banks);
    SHOW(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    SHOW(cudaDeviceGetSharedMemConfig(&banks));
    printf("%d\n", (int)banks);
    SHOW(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9));
    SHOW(cudaDeviceGetSharedMemConfig(nullptr));
    unsigned flags = 99;
    SHOW(cudaGetDeviceFlags(&flags));
    printf("%u\n", flags);
    SHOW(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    SHOW(cudaGetDeviceFlags(&flags));
    printf("%u\n", flags);
    SHOW(cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceLmemResizeToMax));
    SHOW(cudaGetDeviceFlags(&flags));
    printf("%u\n", flags);
    SHOW(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    SHOW(cudaSetDeviceFlags(1u << 20));
    SHOW(cudaSetDeviceFlags(cudaDeviceMapHost));
    SHOW(cudaGetDeviceFlags(&flags));
    printf("%u\n", flags);
    SHOW(cudaGetDeviceFlags(nullptr));
    int least = 9, greatest = 9;
    SHOW(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("%d %d\n", least, greatest);
    SHOW(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    SHOW(cudaProfilerStart());
    SHOW(cudaProfilerStop());
    size_t free_bytes = 0, total = 0;
    SHOW(cudaMemGetInfo(&free_bytes, &total));
    printf("%d\n", free_bytes > 0 && free_bytes <= total);
    SHOW(cudaMemGetInfo(nullptr, &total));
    SHOW(cudaDeviceSynchronize());
}

__global__ void light(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void shared_8k(int *p)
{
    __shared__ int s[2048];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void dynamic(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}
template <int N> __global__ void sized(int *p) { p[threadIdx.x] = N; }

__global__ void clustered(int *p) { p[blockIdx.x] = gridDim.x; }
__global__ void __cluster_dims__(2, 1, 1) declared(int *p) { p[blockIdx.x] = gridDim.x; }
extern "C" __global__ void plain_name(int *p, char c, double d, short s) { p[0] = c + (int)d + s; }
static __global__ void of_this_file(int *p) { p[0] = 1; }
namespace inner {
struct Pair { short a; float b; };
template <class T> __global__ void in_a_namespace(char c, T t, Pair *p) { p->a = (short)(c + sizeof(t)); }
}  // namespace inner

static void functions()
{
    cudaFuncAttributes a;
    for (const void *kernel : {(const void *)light, (const void *)bounded, (const void *)shared_8k, (const void *)sized<3>}) {
        MUST(cudaFuncGetAttributes(&a, kernel));
        printf("%zu %zu %d %d %d %d %d\n", a.sharedSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout);
        printf("%d %d %d %d %d\n", a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight, a.clusterSchedulingPolicyPreference, a.nonPortableClusterSizeAllowed);
    }
    SHOW(cudaFuncGetAttributes(nullptr, light));
    SHOW(cudaFuncGetAttributes(&a, (const void *)nullptr));
    SHOW(cudaFuncSetCacheConfig(light, cudaFuncCachePreferL1));
    SHOW(cudaFuncSetCacheConfig(light, (cudaFuncCache)7));
    SHOW(cudaFuncSetCacheConfig((const void *)nullptr, cudaFuncCachePreferL1));
    SHOW(cudaFuncSetAttribute(light, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SHOW(cudaFuncSetAttribute(light, cudaFuncAttributeClusterSchedulingPolicyPreference, 1));
    SHOW(cudaFuncSetAttribute(light, cudaFuncAttributeClusterSchedulingPolicyPreference, 9));
    SHOW(cudaFuncSetAttribute(light, cudaFuncAttributeClusterDimMustBeSet, 1));
    SHOW(cudaFuncSetAttribute(light, cudaFuncAttributeClusterDimMustBeSet, 0));
    for (cudaFuncAttribute one : {cudaFuncAttributeRequiredClusterWidth, cudaFuncAttributeRequiredClusterHeight, cudaFuncAttributeRequiredClusterDepth})
        SHOW(cudaFuncSetAttribute(clustered, one, one == cudaFuncAttributeRequiredClusterWidth ? 2 : 1));
    SHOW(cudaFuncSetAttribute(clustered, cudaFuncAttributeRequiredClusterWidth, -1));
    SHOW(cudaFuncSetAttribute(declared, cudaFuncAttributeRequiredClusterWidth, 4));
    for (const void *kernel : {(const void *)clustered, (const void *)declared, (const void *)light}) {
        MUST(cudaFuncGetAttributes(&a, kernel));
        printf("%d %d %d %d %d %d\n", a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference, a.nonPortableClusterSizeAllowed);
    }
    SHOW(cudaFuncSetAttribute(light, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    SHOW(cudaFuncSetAttribute((const void *)nullptr, cudaFuncAttributePreferredSharedMemoryCarveout, 10));
    const char *name = nullptr;
    SHOW(cudaFuncGetName(&name, (const void *)light));
    printf("%s\n", name ? name : "none");
    SHOW(cudaFuncGetName(&name, (const void *)sized<3>));
    printf("%s\n", name ? name : "none");
    SHOW(cudaFuncGetName(nullptr, (const void *)light));
    SHOW(cudaFuncGetName(&name, nullptr));
    cudaFunction_t function = nullptr;
    SHOW(cudaGetFuncBySymbol(&function, (const void *)light));
    printf("%d\n", function != nullptr);
    SHOW(cudaGetFuncBySymbol(nullptr, (const void *)light));
    SHOW(cudaGetFuncBySymbol(&function, nullptr));
    size_t offset = 0, size = 0;
    SHOW(cudaFuncGetParamInfo((const void *)light, 0, &offset, &size));
    printf("%zu %zu\n", offset, size);
    SHOW(cudaFuncGetParamInfo((const void *)light, 1, &offset, &size));
    SHOW(cudaFuncGetParamInfo((const void *)light, 0, nullptr, &size));
    SHOW(cudaFuncGetParamInfo((const void *)light, 0, &offset, nullptr));
    for (size_t i = 0; cudaFuncGetParamInfo((const void *)plain_name, i, &offset, &size) == cudaSuccess; ++i) printf("%zu %zu\n", offset, size);
    for (size_t i = 0; cudaFuncGetParamInfo((const void *)inner::in_a_namespace<inner::Pair>, i, &offset, &size) == cudaSuccess; ++i) printf("%zu %zu\n", offset, size);
    cudaGetLastError();
    for (const void *kernel : {(const void *)plain_name, (const void *)of_this_file, (const void *)inner::in_a_namespace<inner::Pair>}) {
        SHOW(cudaFuncGetName(&name, kernel));
        printf("%s\n", name);
    }
}

static void occupancy()
{
    int blocks = -1, grid = -1, block = -1;
    for (int threads : {1, 31, 32, 33, 64, 100, 256, 512, 768, 1024, 1025}) {
        for (size_t bytes : {0, 1024, 16384, 49152, 49153, 100000}) {
            blocks = -1;
            const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, threads, bytes);
            printf("%d threads %zu bytes: %d %s\n", threads, bytes, blocks, cudaGetErrorName(status));
        }
    }
    cudaGetLastError();
    MUST(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (size_t bytes : {50000, 100000, 150000, 204800, 204801}) {
        blocks = -1;
        const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 128, bytes);
        printf("%zu bytes: %d %s\n", bytes, blocks, cudaGetErrorName(status));
    }
    cudaGetLastError();
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    printf("%d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 129, 0));
    printf("%d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_8k, 64, 0));
    printf("%d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, light, 64, 0));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, -1, 0));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, light, 256, 0, cudaOccupancyDisableCachingOverride));
    printf("%d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, light, 256, 0, 77));
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, light));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 200));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, dynamic, 30000));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, shared_8k));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, light, 0, 0, cudaOccupancyDefault));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, dynamic, [](int threads) { return threads * 48; }));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, dynamic, [](int threads) { return threads * 100; }, 640, 0));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize((int *)nullptr, &block, light));
    size_t bytes = 0;
    for (int at_once : {1, 2, 3, 8, 16, 32, 33}) {
        bytes = 7;
        const cudaError_t status = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, dynamic, at_once, 64);
        printf("%d blocks: %zu %s\n", at_once, bytes, cudaGetErrorName(status));
    }
    cudaGetLastError();
    SHOW(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, light, 4, 256));
    printf("%zu\n", bytes);
    SHOW(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shared_8k, 4, 256));
    printf("%zu\n", bytes);
    SHOW(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, light, 4, 1024));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(64);
    config.blockDim = dim3(256);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 4, attribute[0].val.clusterDim.y = 1, attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    int clusters = -1, size = -1;
    SHOW(cudaOccupancyMaxActiveClusters(&clusters, light, &config));
    printf("%d\n", clusters > 0);
    attribute[0].val.clusterDim.x = 16;
    SHOW(cudaOccupancyMaxActiveClusters(&clusters, bounded, &config));
    config.blockDim = dim3(256);
    config.numAttrs = 0;
    SHOW(cudaOccupancyMaxPotentialClusterSize(&size, bounded, &config));
    config.blockDim = dim3(128);
    SHOW(cudaOccupancyMaxPotentialClusterSize(&size, bounded, &config));
    printf("%d\n", size);
}

// CUDA 13 answers cudaErrorInvalidValue where CUDA 12 said cudaErrorInvalidConfiguration.
static const char *answer(cudaError_t status)
{
    cudaGetLastError();
    return status == cudaErrorInvalidConfiguration || status == cudaErrorInvalidValue ? "refused" : cudaGetErrorName(status);
}

static void launches()
{
    int *p;
    MUST(cudaMallocManaged(&p, 4096 * sizeof(int)));
    void *arguments[] = {&p};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(64);
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<5>, arguments));
    SHOW(cudaDeviceSynchronize());
    printf("%d %d\n", p[0], p[63]);
    SHOW(cudaLaunchKernelExC(&config, nullptr, arguments));
    config.blockDim = dim3(2000);
    printf("%s\n", answer(cudaLaunchKernelExC(&config, (const void *)sized<5>, arguments)));
    config.blockDim = dim3(64);
    cudaLaunchAttribute attribute[2];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 3, attribute[0].val.clusterDim.y = 1, attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<5>, arguments));
    attribute[0].val.clusterDim.x = 2;
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<6>, arguments));
    SHOW(cudaDeviceSynchronize());
    printf("%d\n", p[0]);
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    config.gridDim = dim3(100000);
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<7>, arguments));
    config.gridDim = dim3(4);
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<7>, arguments));
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = 0;
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<8>, arguments));
    attribute[0].id = (cudaLaunchAttributeID)99;
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<8>, arguments));
    attribute[0].id = cudaLaunchAttributeIgnore;
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<9>, arguments));
    SHOW(cudaDeviceSynchronize());
    printf("%d\n", p[0]);
    printf("%s\n", answer(cudaLaunchKernel((const void *)light, dim3(0), dim3(1), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)light, dim3(1), dim3(0), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)light, dim3(1), dim3(1, 1, 65), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)light, dim3(1, 65536), dim3(1), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)bounded, dim3(1), dim3(129), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)light, dim3(1), dim3(32), arguments, 300000, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)light, dim3(1), dim3(32), arguments, 49153, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)shared_8k, dim3(1), dim3(32), arguments, 49152 - 8192, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)shared_8k, dim3(1), dim3(32), arguments, 49152 - 8191, 0)));
    printf("%s\n", answer(cudaLaunchCooperativeKernel((const void *)light, dim3(2), dim3(32), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchCooperativeKernel((const void *)light, dim3(1 << 20), dim3(32), arguments, 0, 0)));
    light<<<1, 0>>>(p);
    printf("%s\n", answer(cudaPeekAtLastError()));
    light<<<dim3(1, 1, 65536), 32>>>(p);
    printf("%s\n", answer(cudaGetLastError()));
    light<<<1, 32, 1 << 20>>>(p);
    printf("%s\n", answer(cudaGetLastError()));
    SHOW(cudaDeviceSynchronize());
    printf("%s\n", answer(cudaLaunchKernel((const void *)clustered, dim3(3), dim3(32), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)clustered, dim3(4), dim3(32), arguments, 0, 0)));
    printf("%s\n", answer(cudaLaunchKernel((const void *)declared, dim3(3), dim3(32), arguments, 0, 0)));
    declared<<<4, 32>>>(p);
    printf("%s\n", answer(cudaGetLastError()));
    SHOW(cudaDeviceSynchronize());
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 16, attribute[0].val.clusterDim.y = 1, attribute[0].val.clusterDim.z = 1;
    config.gridDim = dim3(32);
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<9>, arguments));
    SHOW(cudaFuncSetAttribute(sized<9>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SHOW(cudaLaunchKernelExC(&config, (const void *)sized<9>, arguments));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaFree(p));
    for (int status = 0; status < 1100; ++status) {
        const char *name = cudaGetErrorName((cudaError_t)status), *text = cudaGetErrorString((cudaError_t)status);
        if (strcmp(name, "unrecognized error code")) printf("%d %s: %s\n", status, name, text);
    }
    SHOW(cudaDeviceReset());
}

int main()
{
    devices();
    properties();
    settings();
    functions();
    occupancy();
    launches();
    return 0;
}
