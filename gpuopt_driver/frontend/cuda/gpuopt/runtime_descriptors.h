// Structures that describe arrays, copies, other programs' memory and semaphores, and nodes of graphs.
#pragma once
#define GPUOPT_BOTH(NAME, ...) struct NAME { __VA_ARGS__ }; struct NAME##V2 { __VA_ARGS__ };

struct cudaArraySparseProperties {
    struct { unsigned width, height, depth; } tileExtent;
    unsigned miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned flags, reserved[4];
};
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned reserved[4];
};
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};
struct cudaOffset3D { size_t x, y, z; };
struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    cudaMemLocation srcLocHint, dstLocHint;
    unsigned flags;
};
struct cudaMemcpy3DOperand {
    enum cudaMemcpy3DOperandType type;
    union {
        struct {
            void* ptr;
            size_t rowLength, layerHeight;
            cudaMemLocation locHint;
        } ptr;
        struct {
            cudaArray_t array;
            cudaOffset3D offset;
        } array;
    } op;
};
struct cudaMemcpy3DBatchOp {
    cudaMemcpy3DOperand src, dst;
    cudaExtent extent;
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    unsigned flags;
};

struct cudaExternalMemoryHandleDesc {
    enum cudaExternalMemoryHandleType type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
        const void* nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned flags, reserved[16];
};
struct cudaExternalMemoryBufferDesc {
    unsigned long long offset, size;
    unsigned flags, reserved[16];
};
struct cudaExternalMemoryMipmappedArrayDesc {
    unsigned long long offset;
    cudaChannelFormatDesc formatDesc;
    cudaExtent extent;
    unsigned flags, numLevels, reserved[16];
};
struct cudaExternalSemaphoreHandleDesc {
    enum cudaExternalSemaphoreHandleType type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
        const void* nvSciSyncObj;
    } handle;
    unsigned flags, reserved[16];
};
struct cudaExternalSemaphoreSignalParams {
    struct {
        struct { unsigned long long value; } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct { unsigned long long key; } keyedMutex;
        unsigned reserved[12];
    } params;
    unsigned flags, reserved[16];
};
struct cudaExternalSemaphoreWaitParams {
    struct {
        struct { unsigned long long value; } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned timeoutMs;
        } keyedMutex;
        unsigned reserved[10];
    } params;
    unsigned flags, reserved[16];
};
GPUOPT_BOTH(cudaExternalSemaphoreSignalNodeParams,
    cudaExternalSemaphore_t* extSemArray;
    const cudaExternalSemaphoreSignalParams* paramsArray;
    unsigned numExtSems;)
GPUOPT_BOTH(cudaExternalSemaphoreWaitNodeParams,
    cudaExternalSemaphore_t* extSemArray;
    const cudaExternalSemaphoreWaitParams* paramsArray;
    unsigned numExtSems;)

GPUOPT_BOTH(cudaKernelNodeParams,
    void* func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;)
GPUOPT_BOTH(cudaHostNodeParams,
    cudaHostFn_t fn;
    void* userData;)
GPUOPT_BOTH(cudaMemsetParams,
    void* dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;)
struct cudaMemcpyNodeParams {
    int flags, reserved[3];
    cudaMemcpy3DParms copyParams;
};
GPUOPT_BOTH(cudaMemAllocNodeParams,
    cudaMemPoolProps poolProps;
    const cudaMemAccessDesc* accessDescs;
    size_t accessDescCount, bytesize;
    void* dptr;)
struct cudaMemFreeNodeParams { void* dptr; };
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
    enum cudaGraphChildGraphNodeOwnership ownership;
};
struct cudaEventRecordNodeParams { cudaEvent_t event; };
struct cudaEventWaitNodeParams { cudaEvent_t event; };
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t* phGraph_out;
};
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        cudaKernelNodeParamsV2 kernel;
        cudaMemcpyNodeParams memcpy;
        cudaMemsetParamsV2 memset;
        cudaHostNodeParamsV2 host;
        cudaChildGraphNodeParams graph;
        cudaEventWaitNodeParams eventWait;
        cudaEventRecordNodeParams eventRecord;
        cudaExternalSemaphoreSignalNodeParamsV2 extSemSignal;
        cudaExternalSemaphoreWaitNodeParamsV2 extSemWait;
        cudaMemAllocNodeParamsV2 alloc;
        cudaMemFreeNodeParams free;
        cudaConditionalNodeParams conditional;
    };
    long long reserved2;
};
typedef struct cudaGraphInstantiateParams_st {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    enum cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;
typedef struct CUgraphDeviceUpdatableNode_st* cudaGraphDeviceNode_t;
struct cudaGraphKernelNodeUpdate {
    cudaGraphDeviceNode_t node;
    enum cudaGraphKernelNodeField field;
    union {
        dim3 gridDim;
        struct {
            const void* pValue;
            size_t offset, size;
        } param;
        unsigned isEnabled;
    } updateData;
};

struct cudalibraryHostUniversalFunctionAndDataTable {
    void* functionTable;
    size_t functionWindowSize;
    void* dataTable;
    size_t dataWindowSize;
};
typedef enum cudaAsyncNotificationType_enum cudaAsyncNotificationType;
typedef struct cudaAsyncNotificationInfo {
    cudaAsyncNotificationType type;
    union {
        struct { unsigned long long bytesOverBudget; } overBudget;
    } info;
} cudaAsyncNotificationInfo_t;
typedef struct cudaAsyncCallbackEntry* cudaAsyncCallbackHandle_t;
typedef void (*cudaAsyncCallback)(cudaAsyncNotificationInfo_t*, void*, cudaAsyncCallbackHandle_t);
typedef struct CUlogsCallbackEntry_st* cudaLogsCallbackHandle;
typedef unsigned cudaLogIterator;
typedef enum CUDAlogLevel_enum cudaLogLevel;
typedef void (*cudaLogsCallback_t)(void*, cudaLogLevel, char*, size_t);
#undef GPUOPT_BOTH
