// The runtime's types and constants, as far as host code around kernels must be understood.
#pragma once
#include "runtime_enums.h"
#include "runtime_flags.h"
#include "device_properties.h"

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUfunc_st* cudaFunction_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef struct CUkern_st* cudaKernel_t;
typedef struct CUlib_st* cudaLibrary_t;
typedef struct CUuserObject_st* cudaUserObject_t;
typedef struct CUexternalMemory_st* cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st* cudaExternalSemaphore_t;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long cudaGraphConditionalHandle;

// Names and values as the emulator has them: one list for both.
#define GPUOPT_ERROR(name, value, text) cudaError##name = value,
#define GPUOPT_DRIVER_ERROR(name, value) name = value,
enum cudaError {
    cudaSuccess = 0,
#include "../../../emulator/include/gpuopt_emu/driver_errors.def"
#include "../../../emulator/include/gpuopt_emu/errors.def"
    cudaErrorApiFailureBase = 10000
};
#undef GPUOPT_ERROR
#undef GPUOPT_DRIVER_ERROR
typedef enum cudaError cudaError_t;
typedef enum cudaError CUresult;

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
#define GPUOPT_ATTRIBUTE(name, value, answer) cudaDevAttr##name = value,
#define GPUOPT_DRIVER_ATTRIBUTE(name, value) CU_DEVICE_ATTRIBUTE_##name = value,
enum cudaDeviceAttr {
#include "../../../emulator/include/gpuopt_emu/attributes.def"
};
enum CUdevice_attribute {
#include "../../../emulator/include/gpuopt_emu/driver_attributes.def"
};
#undef GPUOPT_ATTRIBUTE
#undef GPUOPT_DRIVER_ATTRIBUTE
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};
struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
};
struct cudaArray;
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
typedef struct cudaMipmappedArray* cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray* cudaMipmappedArray_const_t;
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
#include "../../../emulator/include/gpuopt_emu/graphics_types.h"
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
    unsigned flags;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
typedef struct cudaLaunchMemSyncDomainMap_st { unsigned char default_, remote; } cudaLaunchMemSyncDomainMap;
union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative, programmaticStreamSerializationAllowed, priority;
    enum cudaSynchronizationPolicy syncPolicy;
    struct { unsigned x, y, z; } clusterDim, preferredClusterDim;
    enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    struct { cudaEvent_t event; int flags, triggerAtBlockStart; } programmaticEvent;
    struct { cudaEvent_t event; int flags; } launchCompletionEvent;
    cudaLaunchMemSyncDomainMap memSyncDomainMap;
    enum cudaLaunchMemSyncDomain memSyncDomain;
    unsigned sharedMemCarveout;
};
typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaKernelNodeAttrID cudaLaunchAttributeID
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue
typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;
struct cudaLaunchParams {
    void* func;
    dim3 gridDim, blockDim;
    void** args;
    size_t sharedMem;
    cudaStream_t stream;
};
typedef void (*cudaHostFn_t)(void*);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void* win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
};
struct cudaMemAccessDesc {
    cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
typedef struct cudaIpcMemHandle_st { char reserved[64]; } cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st { char reserved[64]; } cudaIpcEventHandle_t;
typedef struct cudaGraphEdgeData_st { unsigned char from_port, to_port, type, reserved[5]; } cudaGraphEdgeData;
typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
#include "runtime_descriptors.h"
