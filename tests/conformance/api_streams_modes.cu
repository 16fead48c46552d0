// Streams that capture: what other calls answer meanwhile and whether they end the capture, in each mode, from the
// thread that captures and from another one; how a capture is invalidated, and what is left of it.
#include "api_print.h"
#include "apart.h"
#include <functional>
#include <thread>
#include <vector>

__global__ void bare() {}
__device__ int variable[4];
static void nothing(void *) {}

static cudaStream_t s, t, blocking;
static cudaEvent_t event, recorded;
static int *memory, *pinned, *managed;
static cudaGraph_t empty;
static cudaGraphExec_t exec;
static cudaMemPool_t pool;

static void begin()
{
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&recorded));
    MUST(cudaEventRecord(recorded, t));
    MUST(cudaMalloc(&memory, 256));
    MUST(cudaMallocHost(&pinned, 256));
    MUST(cudaMallocManaged(&managed, 256));
    MUST(cudaGraphCreate(&empty, 0));
    MUST(cudaGraphInstantiate(&exec, empty, 0));
    MUST(cudaMemPoolCreate(&pool, &props));
    bare<<<1, 1>>>();
    MUST(cudaDeviceSynchronize());
}

struct Call {
    const char *name;
    std::function<cudaError_t()> make;
};
static std::vector<Call> calls()
{
    static void *p;
    static cudaStream_t made;
    static cudaEvent_t made_event;
    static int values[4], number;
    static size_t a, b;
    static cudaGraph_t graph;
    static cudaGraphExec_t made_exec;
    static cudaFuncAttributes attributes;
    static cudaDeviceProp properties;
    static cudaMemPool_t made_pool;
    static cudaArray_t array;
    static cudaPointerAttributes of;
    static const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    static float ms;
    return {
        {"cudaMalloc", [] { return cudaMalloc(&p, 64); }},
        {"cudaFree", [] { return cudaFree(nullptr); }},
        {"cudaMallocHost", [] { return cudaMallocHost(&p, 64); }},
        {"cudaHostAlloc", [] { return cudaHostAlloc(&p, 64, cudaHostAllocMapped); }},
        {"cudaFreeHost(null)", [] { return cudaFreeHost(nullptr); }},
        {"cudaMallocManaged", [] { return cudaMallocManaged(&p, 64); }},
        {"cudaMallocPitch", [] { return cudaMallocPitch(&p, &a, 64, 4); }},
        {"cudaMallocArray", [] { return cudaMallocArray(&array, &format, 4, 4); }},
        {"cudaHostRegister", [] { static char room[8192]; return cudaHostRegister(room, 8192, 0); }},
        {"cudaMallocAsync elsewhere", [] { return cudaMallocAsync(&p, 64, t); }},
        {"cudaMemGetInfo", [] { return cudaMemGetInfo(&a, &b); }},
        {"cudaMemcpy to device", [] { return cudaMemcpy(memory, values, 16, cudaMemcpyHostToDevice); }},
        {"cudaMemcpy from device", [] { return cudaMemcpy(values, memory, 16, cudaMemcpyDeviceToHost); }},
        {"cudaMemcpy on device", [] { return cudaMemcpy(memory + 8, memory, 16, cudaMemcpyDeviceToDevice); }},
        {"cudaMemcpy on host", [] { return cudaMemcpy(values + 2, values, 8, cudaMemcpyHostToHost); }},
        {"cudaMemset", [] { return cudaMemset(memory, 0, 16); }},
        {"cudaMemcpyToSymbol", [] { return cudaMemcpyToSymbol(variable, values, 16); }},
        {"cudaMemcpyAsync elsewhere", [] { return cudaMemcpyAsync(memory, pinned, 16, cudaMemcpyHostToDevice, t); }},
        {"cudaMemsetAsync elsewhere", [] { return cudaMemsetAsync(memory, 0, 16, t); }},
        {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
        {"cudaStreamSynchronize elsewhere", [] { return cudaStreamSynchronize(t); }},
        {"cudaStreamQuery elsewhere", [] { return cudaStreamQuery(t); }},
        {"cudaEventSynchronize", [] { return cudaEventSynchronize(recorded); }},
        {"cudaEventQuery", [] { return cudaEventQuery(recorded); }},
        {"cudaEventElapsedTime", [] { return cudaEventElapsedTime(&ms, recorded, recorded); }},
        {"cudaEventRecord elsewhere", [] { return cudaEventRecord(event, t); }},
        {"cudaStreamWaitEvent elsewhere", [] { return cudaStreamWaitEvent(t, recorded, 0); }},
        {"cudaEventCreate", [] { return cudaEventCreate(&made_event); }},
        {"cudaEventDestroy", [] { return made_event ? cudaEventDestroy(made_event) : cudaSuccess; }},
        {"cudaStreamCreate", [] { return cudaStreamCreate(&made); }},
        {"cudaStreamDestroy elsewhere", [] { return made ? cudaStreamDestroy(made) : cudaSuccess; }},
        {"launch elsewhere", [] { bare<<<1, 1, 0, t>>>(); return cudaGetLastError(); }},
        {"launch in a blocking stream", [] { bare<<<1, 1, 0, blocking>>>(); return cudaGetLastError(); }},
        {"launch in the default stream", [] { bare<<<1, 1>>>(); return cudaGetLastError(); }},
        {"cudaLaunchHostFunc elsewhere", [] { return cudaLaunchHostFunc(t, nothing, nullptr); }},
        {"cudaGraphCreate", [] { return cudaGraphCreate(&graph, 0); }},
        {"cudaGraphInstantiate", [] { return cudaGraphInstantiate(&made_exec, empty, 0); }},
        {"cudaGraphLaunch elsewhere", [] { return cudaGraphLaunch(exec, t); }},
        {"cudaGraphUpload elsewhere", [] { return cudaGraphUpload(exec, t); }},
        {"cudaGraphExecDestroy", [] { return made_exec ? cudaGraphExecDestroy(made_exec) : cudaSuccess; }},
        {"cudaFuncGetAttributes", [] { return cudaFuncGetAttributes(&attributes, bare); }},
        {"cudaFuncSetAttribute", [] { return cudaFuncSetAttribute(bare, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000); }},
        {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", [] { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, bare, 32, 0); }},
        {"cudaGetDeviceProperties", [] { return cudaGetDeviceProperties(&properties, 0); }},
        {"cudaDeviceGetAttribute", [] { return cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0); }},
        {"cudaDeviceGetLimit", [] { return cudaDeviceGetLimit(&a, cudaLimitStackSize); }},
        {"cudaDeviceSetLimit", [] { return cudaDeviceSetLimit(cudaLimitStackSize, 2048); }},
        {"cudaPointerGetAttributes", [] { return cudaPointerGetAttributes(&of, memory); }},
        {"cudaGetSymbolAddress", [] { return cudaGetSymbolAddress(&p, variable); }},
        {"cudaMemPoolCreate", [] { cudaMemPoolProps props = {}; props.allocType = cudaMemAllocationTypePinned; props.location.type = cudaMemLocationTypeDevice; return cudaMemPoolCreate(&made_pool, &props); }},
        {"cudaMemPoolTrimTo", [] { return cudaMemPoolTrimTo(pool, 0); }},
        {"cudaDeviceGraphMemTrim", [] { return cudaDeviceGraphMemTrim(0); }},
        {"cudaMemAdvise", [] { cudaMemLocation where = {cudaMemLocationTypeDevice, 0}; return cudaMemAdvise(managed, 256, cudaMemAdviseSetReadMostly, where); }},
        {"cudaStreamGetFlags", [] { unsigned flags; return cudaStreamGetFlags(s, &flags); }},
        {"cudaStreamGetPriority", [] { return cudaStreamGetPriority(s, &number); }},
        {"cudaSetDevice", [] { return cudaSetDevice(0); }},
        {"cudaGetDevice", [] { return cudaGetDevice(&number); }},
        {"cudaStreamSynchronize", [] { return cudaStreamSynchronize(s); }},
        {"cudaStreamQuery", [] { return cudaStreamQuery(s); }},
        {"cudaStreamBeginCapture again", [] { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }},
        {"cudaStreamAttachMemAsync", [] { return cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachSingle); }},
    };
}

// Each call alone in a capture: what it answers, the capture's state behind it, and what the capture ends with.
static void each(cudaStreamCaptureMode mode, bool elsewhere, cudaStreamCaptureMode *own = nullptr)
{
    for (const Call &call : calls()) {
        cudaGraph_t graph = nullptr;
        cudaStreamCaptureStatus status;
        cudaError_t answer = cudaSuccess;
        MUST(cudaStreamBeginCapture(s, mode));
        const auto make = [&] {
            cudaStreamCaptureMode kept;
            if (own) {
                kept = *own;
                MUST(cudaThreadExchangeStreamCaptureMode(&kept));
            }
            answer = call.make();
            cudaGetLastError();
            if (own) MUST(cudaThreadExchangeStreamCaptureMode(&kept));
        };
        if (elsewhere) std::thread(make).join();
        else make();
        MUST(cudaStreamIsCapturing(s, &status));
        const cudaError_t ended = cudaStreamEndCapture(s, &graph);
        cudaGetLastError();
        printf("%s: %s, %d, %s\n", call.name, cudaGetErrorName(answer), (int)status, cudaGetErrorName(ended));
        if (graph) MUST(cudaGraphDestroy(graph));
        MUST(cudaDeviceSynchronize());
    }
}
static void global() { begin(); each(cudaStreamCaptureModeGlobal, false); }
static void thread_local_() { begin(); each(cudaStreamCaptureModeThreadLocal, false); }
static void relaxed() { begin(); each(cudaStreamCaptureModeRelaxed, false); }
static void global_elsewhere() { begin(); each(cudaStreamCaptureModeGlobal, true); }
static void thread_local_elsewhere() { begin(); each(cudaStreamCaptureModeThreadLocal, true); }
static void relaxed_elsewhere() { begin(); each(cudaStreamCaptureModeRelaxed, true); }
static void in_a_relaxed_thread()
{
    begin();
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    each(cudaStreamCaptureModeGlobal, false, &mode);
}
static void in_a_thread_of_its_own()
{
    begin();
    cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
    each(cudaStreamCaptureModeGlobal, true, &mode);
}

static void exchanging()
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    SHOW(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("%d\n", (int)mode);
    SHOW(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("%d\n", (int)mode);
    std::thread([] {
        cudaStreamCaptureMode own = cudaStreamCaptureModeThreadLocal;
        SHOW(cudaThreadExchangeStreamCaptureMode(&own));
        printf("%d\n", (int)own);
    }).join();
    mode = cudaStreamCaptureModeGlobal;
    SHOW(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("%d\n", (int)mode);
}

// With the legacy stream: streams that wait for it are refused while it would have to wait for a capture.
static void legacy()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    MUST(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    SHOW(cudaStreamIsCapturing(0, &status));
    SHOW(cudaStreamIsCapturing(blocking, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(blocking, &graph));
    const std::vector<Call> all = {
        {"launch", [] { bare<<<1, 1>>>(); return cudaGetLastError(); }},
        {"cudaMemsetAsync", [] { return cudaMemsetAsync(memory, 0, 16, 0); }},
        {"cudaMemcpyAsync", [] { return cudaMemcpyAsync(memory, pinned, 16, cudaMemcpyHostToDevice, 0); }},
        {"cudaMemcpy", [] { return cudaMemcpy(memory, pinned, 16, cudaMemcpyHostToDevice); }},
        {"cudaMemset", [] { return cudaMemset(memory, 0, 16); }},
        {"cudaStreamSynchronize", [] { return cudaStreamSynchronize(0); }},
        {"cudaStreamQuery", [] { return cudaStreamQuery(0); }},
        {"cudaEventRecord", [] { return cudaEventRecord(event, 0); }},
        {"cudaStreamWaitEvent", [] { return cudaStreamWaitEvent(0, recorded, 0); }},
        {"cudaLaunchHostFunc", [] { return cudaLaunchHostFunc(0, nothing, nullptr); }},
        {"cudaGraphLaunch", [] { return cudaGraphLaunch(exec, 0); }},
        {"cudaMallocAsync", [] { void *p; return cudaMallocAsync(&p, 64, 0); }},
        {"cudaStreamBeginCapture", [] { return cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed); }},
        {"cudaStreamPerThread", [] { bare<<<1, 1, 0, cudaStreamPerThread>>>(); return cudaGetLastError(); }},
        {"launch elsewhere", [] { bare<<<1, 1, 0, t>>>(); return cudaGetLastError(); }},
    };
    for (const Call &call : all) {
        MUST(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
        bare<<<1, 1, 0, blocking>>>();
        const cudaError_t answer = call.make();
        cudaGetLastError();
        MUST(cudaStreamIsCapturing(blocking, &status));
        const cudaError_t ended = cudaStreamEndCapture(blocking, &graph);
        cudaGetLastError();
        printf("%s: %s, %d, %s\n", call.name, cudaGetErrorName(answer), (int)status, cudaGetErrorName(ended));
        MUST(cudaDeviceSynchronize());
    }
    printf("the stream of the thread captures\n");
    MUST(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    bare<<<1, 1, 0, cudaStreamPerThread>>>();
    SHOW(cudaStreamIsCapturing(cudaStreamPerThread, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    size_t count = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &count));
    printf("%zu nodes\n", count);
}

// What an invalidated capture still answers.
static void invalid()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    int called = 0;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(t, event, 0));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    bare<<<1, 1, 0, s>>>();
    SHOW(cudaGetLastError());
    SHOW(cudaMemsetAsync(memory, 0, 16, s));
    SHOW(cudaMemcpyAsync(memory, pinned, 16, cudaMemcpyHostToDevice, s));
    SHOW(cudaLaunchHostFunc(s, nothing, &called));
    SHOW(cudaEventRecord(event, s));
    SHOW(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    SHOW(cudaStreamWaitEvent(s, recorded, cudaEventWaitExternal));
    SHOW(cudaStreamWaitEvent(s, recorded, 0));
    SHOW(cudaStreamWaitEvent(s, event, 0));
    SHOW(cudaGraphLaunch(exec, s));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaStreamQuery(s));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    void *p;
    SHOW(cudaMallocAsync(&p, 64, s));
    SHOW(cudaMalloc(&p, 64));
    cudaGraphNode_t none = nullptr;
    SHOW(cudaStreamUpdateCaptureDependencies(s, &none, nullptr, 0, cudaStreamSetCaptureDependencies));
    bare<<<1, 1, 0, t>>>();
    SHOW(cudaGetLastError());
    SHOW(cudaStreamEndCapture(t, &graph));
    graph = (cudaGraph_t)(size_t)1;
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("null: %d\n", graph == nullptr);
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaStreamSynchronize(t));
}

static void beginning_and_ending()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    SHOW(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)7));
    SHOW(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamEndCapture(0, &graph));
    SHOW(cudaStreamEndCapture(s, nullptr));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamEndCapture(s, nullptr));
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("ended by another thread\n");
    for (int mode = 0; mode < 3; ++mode) {
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        std::thread([&] { SHOW(cudaStreamEndCapture(s, &graph)); }).join();
        MUST(cudaStreamIsCapturing(s, &status));
        printf("status %d\n", (int)status);
        if (status != cudaStreamCaptureStatusNone) SHOW(cudaStreamEndCapture(s, &graph));
    }
    printf("given work by another thread\n");
    for (int mode = 0; mode < 3; ++mode) {
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        std::thread([&] {
            bare<<<1, 1, 0, s>>>();
            SHOW(cudaGetLastError());
            SHOW(cudaMemsetAsync(memory, 0, 16, s));
        }).join();
        SHOW(cudaStreamEndCapture(s, &graph));
    }
    printf("two captures\n");
    cudaGraph_t second = nullptr;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    bare<<<1, 1, 0, s>>>();
    bare<<<1, 1, 0, t>>>();
    SHOW(cudaEventRecord(event, s));
    SHOW(cudaStreamWaitEvent(t, event, 0));  // would join them
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamEndCapture(t, &second));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    void *p;
    SHOW(cudaMalloc(&p, 64));  // forbidden by the second
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(t, &second));
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("the capturing stream is destroyed\n");
    cudaStream_t gone;
    MUST(cudaStreamCreate(&gone));
    MUST(cudaStreamBeginCapture(gone, cudaStreamCaptureModeGlobal));
    bare<<<1, 1, 0, gone>>>();
    MUST(cudaEventRecord(event, gone));
    MUST(cudaStreamWaitEvent(t, event, 0));
    SHOW(cudaStreamDestroy(gone));
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaMalloc(&p, 64));
    printf("a joined stream is destroyed\n");
    MUST(cudaStreamCreate(&gone));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(gone, event, 0));
    bare<<<1, 1, 0, gone>>>();
    SHOW(cudaStreamDestroy(gone));
    SHOW(cudaStreamEndCapture(s, &graph));
    MUST(cudaStreamCreate(&gone));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(gone, event, 0));
    bare<<<1, 1, 0, gone>>>();
    MUST(cudaEventRecord(event, gone));
    SHOW(cudaStreamDestroy(gone));
    SHOW(cudaStreamWaitEvent(s, event, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
}

static void unjoined()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaEvent_t later;
    MUST(cudaEventCreate(&later));
    printf("work behind the join\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(t, event, 0));
    bare<<<1, 1, 0, t>>>();
    MUST(cudaEventRecord(later, t));
    MUST(cudaStreamWaitEvent(s, later, 0));
    bare<<<1, 1, 0, t>>>();
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamSynchronize(t));
    printf("an event behind the join\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent(t, event, 0));
    bare<<<1, 1, 0, t>>>();
    MUST(cudaEventRecord(later, t));
    MUST(cudaStreamWaitEvent(s, later, 0));
    MUST(cudaEventRecord(later, t));
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("an event of an earlier capture\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamWaitEvent(s, later, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("an event that was never recorded\n");
    cudaEvent_t fresh;
    MUST(cudaEventCreate(&fresh));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamWaitEvent(s, fresh, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamWaitEvent(s, fresh, 0));
    SHOW(cudaEventQuery(fresh));
    printf("a stream that captures waits for the legacy stream\n");
    MUST(cudaEventRecord(event, 0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamWaitEvent(s, event, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("the legacy stream waits for the capture\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(event, s));
    SHOW(cudaStreamWaitEvent(0, event, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("asking for events of the capture\n");
    float ms;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(event, s));
    SHOW(cudaEventElapsedTime(&ms, event, event));
    cudaStreamCaptureStatus status;
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaEventQuery(event));
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(event, s));
    SHOW(cudaEventSynchronize(event));
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaEventQuery(event));
}

int main()
{
    SECTION(global);
    SECTION(thread_local_);
    SECTION(relaxed);
    SECTION(global_elsewhere);
    SECTION(thread_local_elsewhere);
    SECTION(relaxed_elsewhere);
    SECTION(in_a_relaxed_thread);
    SECTION(in_a_thread_of_its_own);
    SECTION(exchanging);
    SECTION(legacy);
    SECTION(invalid);
    SECTION(beginning_and_ending);
    SECTION(unjoined);
}
