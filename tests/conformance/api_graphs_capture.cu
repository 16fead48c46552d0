// Graphs made by capture: the nodes that every kind of copy, fill, callback, event and launch becomes, their parameters,
// what the capture says of itself, dependencies changed while it goes on, and captures into graphs that are there.
#include "api_print.h"
#include "apart.h"

__constant__ int constants[4];
__device__ int variable[8];
__global__ void add(int *p, int by)
{
    p[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] += by;
}
__global__ void bare() {}
static void count(void *data) { ++*(int *)data; }
static void callback(cudaStream_t, cudaError_t, void *) {}

static int *memory, *more;
static cudaStream_t s, t, u;

static void begin()
{
    MUST(cudaMalloc(&memory, 256));
    MUST(cudaMalloc(&more, 256));
    MUST(cudaMemset(memory, 0, 256));
    MUST(cudaMemset(more, 0, 256));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking));
}
static void capture() { MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); }
static size_t end(cudaGraph_t *graph, cudaGraphNode_t *nodes)
{
    size_t count = 32;
    SHOW(cudaStreamEndCapture(s, graph));
    if (!*graph) return 0;
    MUST(cudaGraphGetNodes(*graph, nodes, &count));
    printf("%zu nodes:", count);
    for (size_t i = 0; i < count; ++i) {
        cudaGraphNodeType type;
        MUST(cudaGraphNodeGetType(nodes[i], &type));
        printf(" %d", (int)type);
    }
    printf("\n");
    return count;
}
static void edges(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t number)
{
    cudaGraphNode_t from[64], to[64];
    size_t count = 64;
    MUST(cudaGraphGetEdges(graph, from, to, nullptr, &count));
    printf("%zu edges:", count);
    for (size_t a = 0; a < number; ++a)
        for (size_t b = 0; b < number; ++b)
            for (size_t i = 0; i < count; ++i)
                if (from[i] == nodes[a] && to[i] == nodes[b]) printf(" %zu-%zu", a, b);
    printf("\n");
}
static void print(cudaGraphNode_t node, const void *from, const void *to)
{
    cudaMemcpy3DParms p = {};
    SHOW(cudaGraphMemcpyNodeGetParams(node, &p));
    printf("from %d at %zu %zu %zu, pitch %zu, %zu x %zu; to %d at %zu %zu %zu, pitch %zu, %zu x %zu; %zu %zu %zu, kind %d\n",
           p.srcPtr.ptr == from, p.srcPos.x, p.srcPos.y, p.srcPos.z, p.srcPtr.pitch, p.srcPtr.xsize, p.srcPtr.ysize,
           p.dstPtr.ptr == to, p.dstPos.x, p.dstPos.y, p.dstPos.z, p.dstPtr.pitch, p.dstPtr.xsize, p.dstPtr.ysize,
           p.extent.width, p.extent.height, p.extent.depth, (int)p.kind);
}
static void fill(cudaGraphNode_t node, const void *to)
{
    cudaMemsetParams p = {};
    SHOW(cudaGraphMemsetNodeGetParams(node, &p));
    printf("to %d, pitch %zu, value %x of %u, %zu x %zu\n", p.dst == to, p.pitch, p.value, p.elementSize, p.width, p.height);
}
static void run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaGraphExecDestroy(exec));
}
static void show(const char *what, const int *from)
{
    int values[8];
    MUST(cudaMemcpy(values, from, sizeof values, cudaMemcpyDeviceToHost));
    printf("%s:", what);
    for (int i = 0; i < 8; ++i) printf(" %x", values[i]);
    printf("\n");
}

static void copies()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32];
    int host[16], back[16] = {};
    int *pinned;
    MUST(cudaMallocHost(&pinned, 64));
    for (int i = 0; i < 16; ++i) host[i] = pinned[i] = i + 1;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    MUST(cudaMallocArray(&array, &format, 4, 2));
    void *address, *constant;
    MUST(cudaGetSymbolAddress(&address, variable));
    MUST(cudaGetSymbolAddress(&constant, constants));
    capture();
    SHOW(cudaMemcpyAsync(memory, host, 32, cudaMemcpyHostToDevice, s));
    SHOW(cudaMemcpyAsync(memory + 8, pinned, 32, cudaMemcpyDefault, s));
    SHOW(cudaMemcpyAsync(more, memory, 16, cudaMemcpyDeviceToDevice, s));
    SHOW(cudaMemcpyAsync(back, more, 16, cudaMemcpyDeviceToHost, s));
    SHOW(cudaMemcpyAsync(back + 4, host, 8, cudaMemcpyHostToHost, s));
    SHOW(cudaMemcpyAsync(back, more, 0, cudaMemcpyDeviceToHost, s));
    SHOW(cudaMemcpy2DAsync(more + 8, 16, host, 32, 8, 2, cudaMemcpyHostToDevice, s));
    SHOW(cudaMemcpy2DAsync(more + 16, 64, memory, 32, 12, 1, cudaMemcpyDeviceToDevice, s));
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(memory, 16, 4, 2);
    box.dstPtr = make_cudaPitchedPtr(more + 32, 16, 4, 2);
    box.extent = make_cudaExtent(8, 2, 2);
    box.kind = cudaMemcpyDeviceToDevice;
    SHOW(cudaMemcpy3DAsync(&box, s));
    SHOW(cudaMemcpyToSymbolAsync(constants, host, 8, 4, cudaMemcpyHostToDevice, s));
    SHOW(cudaMemcpyToSymbolAsync(variable, memory, 16, 0, cudaMemcpyDeviceToDevice, s));
    SHOW(cudaMemcpyFromSymbolAsync(back + 8, variable, 16, 4, cudaMemcpyDeviceToHost, s));
    SHOW(cudaMemcpy2DToArrayAsync(array, 4, 0, host, 32, 8, 2, cudaMemcpyHostToDevice, s));
    SHOW(cudaMemcpy2DFromArrayAsync(back + 12, 8, array, 4, 0, 8, 2, cudaMemcpyDeviceToHost, s));
    const size_t count = end(&graph, nodes);
    if (count < 12) return;
    edges(graph, nodes, count);
    print(nodes[0], host, memory);
    print(nodes[1], pinned, memory + 8);
    print(nodes[2], memory, more);
    print(nodes[3], more, back);
    print(nodes[4], host, back + 4);
    for (size_t i = 5; i < count; ++i) print(nodes[i], host, more + 8);
    run(graph);
    show("memory", memory);
    show("more", more);
    show("eight further", more + 8);
    for (int i = 0; i < 16; ++i) printf("%d ", back[i]);
    printf("\n");
}

static void fills()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32];
    cudaPitchedPtr box = make_cudaPitchedPtr(more, 16, 16, 4);
    capture();
    SHOW(cudaMemsetAsync(memory, 0x12, 9, s));
    SHOW(cudaMemsetAsync(memory + 4, -1, 16, s));
    SHOW(cudaMemsetAsync(memory, 1, 0, s));
    SHOW(cudaMemset2DAsync(memory + 16, 16, 3, 5, 2, s));
    SHOW(cudaMemset2DAsync(memory + 32, 16, 4, 16, 2, s));
    SHOW(cudaMemset2DAsync(memory + 48, 16, 4, 8, 1, s));
    SHOW(cudaMemset3DAsync(box, 7, make_cudaExtent(4, 2, 1), s));
    SHOW(cudaMemset3DAsync(box, 8, make_cudaExtent(4, 1, 1), s));
    const size_t count = end(&graph, nodes);
    for (size_t i = 0; i < count; ++i) fill(nodes[i], i == 0 ? memory : i == 1 ? memory + 4 : i < 5 ? memory + 16 : more);
    run(graph);
    show("memory", memory);
    show("more", more);
}

static void calls()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32];
    int called = 0;
    capture();
    SHOW(cudaLaunchHostFunc(s, count, &called));
    printf("called %d\n", called);
    size_t number = end(&graph, nodes);
    if (graph) {
        cudaHostNodeParams params = {};
        SHOW(cudaGraphHostNodeGetParams(nodes[0], &params));
        printf("%d %d\n", params.fn == count, params.userData == &called);
        run(graph);
        printf("called %d\n", called);
    }

    printf("what cannot be captured\n");
    capture();
    SHOW(cudaStreamAddCallback(s, callback, nullptr, 0));
    end(&graph, nodes);
    capture();
    SHOW(cudaMemcpyPeerAsync(more + 4, 0, memory, 0, 8, s));
    end(&graph, nodes);

    printf("kernels\n");
    capture();
    bare<<<3, 5, 0, s>>>();
    add<<<dim3(1, 2, 1), dim3(2, 2), 16, s>>>(memory, 4);
    number = end(&graph, nodes);
    cudaKernelNodeParams params = {};
    SHOW(cudaGraphKernelNodeGetParams(nodes[1], &params));
    printf("%d; %u %u %u, %u %u %u, %u\n", params.func == (void *)add, params.gridDim.x, params.gridDim.y,
           params.gridDim.z, params.blockDim.x, params.blockDim.y, params.blockDim.z, params.sharedMemBytes);
    if (params.kernelParams)
        printf("arguments %d %d\n", *(int **)params.kernelParams[0] == memory, *(int *)params.kernelParams[1]);
    int by = 1;
    void *arguments[] = {&memory, &by};
    params.kernelParams = arguments;
    params.extra = nullptr;
    SHOW(cudaGraphKernelNodeSetParams(nodes[1], &params));
    run(graph);
    show("added", memory);
    MUST(cudaMemset(memory, 0, 256));

    printf("kernels with errors\n");
    capture();
    bare<<<1, 2000, 0, s>>>();
    printf("refused: %d\n", cudaGetLastError() != cudaSuccess);
    cudaStreamCaptureStatus status;
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    bare<<<0, 1, 0, s>>>();
    SHOW(cudaGetLastError());
    number = end(&graph, nodes);

    printf("launches with attributes\n");
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    config.gridDim = dim3(2);
    config.blockDim = dim3(4);
    config.stream = s;
    config.attrs = attribute;
    config.numAttrs = 1;
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = -1;
    capture();
    SHOW(cudaLaunchKernelEx(&config, add, memory, 3));
    SHOW(cudaLaunchKernelExC(&config, (const void *)add, arguments));
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    SHOW(cudaLaunchKernelEx(&config, add, memory, 3));
    number = end(&graph, nodes);
    cudaLaunchAttributeValue value;
    for (size_t i = 0; i < number; ++i) {
        memset(&value, 0, sizeof value);
        SHOW(cudaGraphKernelNodeGetAttribute(nodes[i], cudaLaunchAttributePriority, &value));
        printf("%d\n", value.priority);
        memset(&value, 0, sizeof value);
        SHOW(cudaGraphKernelNodeGetAttribute(nodes[i], cudaLaunchAttributeCooperative, &value));
        printf("%d\n", value.cooperative);
    }

    printf("a graph\n");
    cudaGraph_t outer = nullptr;
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    capture();
    SHOW(cudaGraphLaunch(exec, s));
    end(&outer, nodes);
    capture();
    SHOW(cudaGraphUpload(exec, s));
    end(&outer, nodes);
}

struct Wide {
    char c;
    double d;
    short s[3];
};
static __global__ void wide(const Wide w, int *__restrict__ p) { p[0] = w.c + (int)w.d + w.s[2]; }
template <class T, int N> __global__ void filled(T *p, const T value) { p[threadIdx.x] = value + N; }
template <class... Ts> __global__ void summed(int *p, Ts... values)
{
    const int all[] = {(int)values...};
    for (const int value : all) *p += value;
}
namespace inner {
__global__ void array(unsigned const a, int b[4]) { b[0] = a; }
}

// Captured kernels of all kinds: what they are, with what they were called, and the same again by hand.
static void kernels()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32], made;
    cudaKernelNodeParams params[5];
    Wide w = {1, 2.5, {3, 4, 50}};
    capture();
    wide<<<1, 1, 0, s>>>(w, memory);
    filled<int, 7><<<1, 2, 0, s>>>(memory + 1, 3);
    summed<<<1, 1, 0, s>>>(memory + 3, 1, 2.5f, 'a');
    inner::array<<<1, 1, 0, s>>>(9u, memory + 4);
    bare<<<2, 3, 0, s>>>();
    const size_t count = end(&graph, nodes);
    if (count != 5) return;
    w.s[2] = 1;
    for (int i = 0; i < 5; ++i) MUST(cudaGraphKernelNodeGetParams(nodes[i], &params[i]));
    printf("%d %d %d %d %d\n", params[0].func == (void *)wide, params[1].func == (void *)filled<int, 7>,
           params[2].func == (void *)(void (*)(int *, int, float, char))summed, params[3].func == (void *)inner::array,
           params[4].func == (void *)bare);
    printf("%d, %d, %d %g %c, %u\n", ((Wide *)params[0].kernelParams[0])->s[2], *(int *)params[1].kernelParams[1],
           *(int *)params[2].kernelParams[1], *(float *)params[2].kernelParams[2], *(char *)params[2].kernelParams[3],
           *(unsigned *)params[3].kernelParams[0]);
    run(graph);
    show("captured", memory);
    MUST(cudaMemset(memory, 0, 256));
    cudaGraph_t again;
    MUST(cudaGraphCreate(&again, 0));
    for (int i = 0; i < 5; ++i) SHOW(cudaGraphAddKernelNode(&made, again, nullptr, 0, &params[i]));
    run(again);
    show("made again", memory);
}

static void empties()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32];
    cudaEvent_t fork, join;
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventCreate(&join));
    capture();
    end(&graph, nodes);
    run(graph);
    printf("a fork without work\n");
    capture();
    SHOW(cudaEventRecord(fork, s));
    SHOW(cudaStreamWaitEvent(t, fork, 0));
    SHOW(cudaEventRecord(join, t));
    SHOW(cudaStreamWaitEvent(s, join, 0));
    end(&graph, nodes);
    printf("a fork that is not joined, without work\n");
    capture();
    SHOW(cudaEventRecord(fork, s));
    SHOW(cudaStreamWaitEvent(t, fork, 0));
    end(&graph, nodes);
    printf("the same after work\n");
    capture();
    bare<<<1, 1, 0, s>>>();
    SHOW(cudaEventRecord(fork, s));
    SHOW(cudaStreamWaitEvent(t, fork, 0));
    bare<<<1, 1, 0, s>>>();
    end(&graph, nodes);
    printf("attached memory\n");
    int *managed;
    MUST(cudaMallocManaged(&managed, 64));
    capture();
    SHOW(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal));
    end(&graph, nodes);
    printf("prefetched\n");
    capture();
    cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
    SHOW(cudaMemPrefetchAsync(managed, 64, where, 0, s));
    end(&graph, nodes);
}

static void forks()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32];
    cudaEvent_t a, b, c;
    MUST(cudaEventCreate(&a));
    MUST(cudaEventCreate(&b));
    MUST(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    capture();
    add<<<1, 1, 0, s>>>(memory, 1);      // 0
    MUST(cudaEventRecord(a, s));
    add<<<1, 1, 0, s>>>(memory, 2);      // 1
    MUST(cudaStreamWaitEvent(t, a, 0));
    add<<<1, 1, 0, t>>>(memory + 1, 3);  // 2
    MUST(cudaStreamWaitEvent(u, a, 0));
    MUST(cudaEventRecord(b, t));
    MUST(cudaStreamWaitEvent(u, b, 0));
    add<<<1, 1, 0, u>>>(memory + 2, 4);  // 3
    add<<<1, 1, 0, t>>>(memory + 3, 5);  // 4
    MUST(cudaEventRecord(c, u));
    MUST(cudaStreamWaitEvent(s, c, 0));
    MUST(cudaEventRecord(c, t));         // again, of another stream
    MUST(cudaStreamWaitEvent(s, c, 0));
    MUST(cudaStreamWaitEvent(s, a, 0));  // what comes before anyway
    MUST(cudaMemsetAsync(memory + 4, 1, 4, s));  // 5
    const size_t count = end(&graph, nodes);
    edges(graph, nodes, count);
    run(graph);
    show("forked", memory);
}

static void infos()
{
    begin();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    unsigned long long first = 99, second = 99, other = 99;
    cudaGraph_t graph = (cudaGraph_t)(size_t)1, ended;
    const cudaGraphNode_t *needs = (const cudaGraphNode_t *)(size_t)1;
    const cudaGraphEdgeData *data = (const cudaGraphEdgeData *)(size_t)1;
    size_t count = 99;
    SHOW(cudaStreamGetCaptureInfo(s, &status, &first, &graph, &needs, &data, &count));
    printf("status %d; untouched %d %d %d %d\n", (int)status, first == 99, graph == (cudaGraph_t)(size_t)1,
           needs == (const cudaGraphNode_t *)(size_t)1, count == 99);
    SHOW(cudaStreamGetCaptureInfo(s, nullptr, &first, nullptr, nullptr, nullptr, nullptr));
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    SHOW(cudaStreamGetCaptureInfo(0, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    SHOW(cudaStreamGetCaptureInfo(cudaStreamPerThread, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    SHOW(cudaStreamIsCapturing(s, nullptr));
    SHOW(cudaStreamIsCapturing(0, &status));
    printf("status %d\n", (int)status);
    capture();
    SHOW(cudaStreamGetCaptureInfo(s, &status, &first, &graph, &needs, &data, &count));
    printf("status %d, %zu needed\n", (int)status, count);
    bare<<<1, 1, 0, s>>>();
    SHOW(cudaStreamGetCaptureInfo(s, &status, &second, nullptr, &needs, &data, &count));
    printf("the same number: %d; %zu needed, edge data: %d\n", first == second, count, data != nullptr);
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    SHOW(cudaGraphNodeGetType(needs[0], &type));
    printf("type %d\n", (int)type);
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &needs, nullptr, &count));
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, nullptr, nullptr, &count));
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &needs, nullptr, nullptr));
    SHOW(cudaStreamGetCaptureInfo(t, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamIsCapturing(0, &status));  // the legacy stream, while a stream that waits for it captures
    SHOW(cudaStreamGetCaptureInfo(0, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &ended));
    printf("the same graph: %d\n", ended == graph);
    capture();
    SHOW(cudaStreamGetCaptureInfo(s, &status, &other, nullptr, nullptr, nullptr, nullptr));
    printf("another number: %d\n", other != first);
    SHOW(cudaStreamSynchronize(s));
    count = 99;
    graph = nullptr;
    SHOW(cudaStreamGetCaptureInfo(s, &status, &other, &graph, &needs, &data, &count));
    printf("status %d, untouched %d %d\n", (int)status, graph == nullptr, count == 99);
    SHOW(cudaStreamEndCapture(s, &ended));
}

static void dependencies()
{
    begin();
    cudaGraph_t graph;
    cudaGraphNode_t nodes[32], by_hand, none = nullptr;
    cudaStreamCaptureStatus status;
    size_t count;
    SHOW(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));  // none goes on
    capture();
    bare<<<1, 1, 0, s>>>();  // 0
    MUST(cudaStreamGetCaptureInfo(s, &status, nullptr, &graph, nullptr, nullptr, nullptr));
    SHOW(cudaGraphAddEmptyNode(&by_hand, graph, nullptr, 0));  // 1
    SHOW(cudaStreamUpdateCaptureDependencies(s, &by_hand, nullptr, 1, cudaStreamAddCaptureDependencies));
    const cudaGraphNode_t *needs;
    const cudaGraphEdgeData *data;
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &needs, &data, &count));
    printf("%zu needed\n", count);
    SHOW(cudaStreamUpdateCaptureDependencies(s, &by_hand, nullptr, 1, cudaStreamAddCaptureDependencies));  // again
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &needs, &data, &count));
    printf("%zu needed\n", count);
    bare<<<1, 1, 0, s>>>();  // 2
    SHOW(cudaStreamUpdateCaptureDependencies(s, &by_hand, nullptr, 1, cudaStreamSetCaptureDependencies));
    bare<<<1, 1, 0, s>>>();  // 3
    SHOW(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
    bare<<<1, 1, 0, s>>>();  // 4
    SHOW(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, cudaStreamAddCaptureDependencies));
    bare<<<1, 1, 0, s>>>();  // 5
    SHOW(cudaStreamUpdateCaptureDependencies(s, &by_hand, nullptr, 1, 2));
    SHOW(cudaStreamUpdateCaptureDependencies(s, &none, nullptr, 1, cudaStreamAddCaptureDependencies));
    SHOW(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 1, cudaStreamAddCaptureDependencies));
    cudaGraph_t other;
    cudaGraphNode_t foreign;
    MUST(cudaGraphCreate(&other, 0));
    MUST(cudaGraphAddEmptyNode(&foreign, other, nullptr, 0));
    SHOW(cudaStreamUpdateCaptureDependencies(s, &foreign, nullptr, 1, cudaStreamAddCaptureDependencies));
    SHOW(cudaStreamUpdateCaptureDependencies(t, &by_hand, nullptr, 1, cudaStreamAddCaptureDependencies));
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    const size_t number = end(&graph, nodes);
    if (graph) edges(graph, nodes, number);
    printf("dropped work\n");
    capture();
    bare<<<1, 1, 0, s>>>();
    cudaEvent_t fork;
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventRecord(fork, s));
    MUST(cudaStreamWaitEvent(t, fork, 0));
    bare<<<1, 1, 0, t>>>();
    SHOW(cudaStreamUpdateCaptureDependencies(t, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
    end(&graph, nodes);  // t's work is not joined
}

static void into_a_graph()
{
    begin();
    cudaGraph_t graph, ended = nullptr, other;
    cudaGraphNode_t first, nodes[32], foreign;
    cudaStreamCaptureStatus status;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&other, 0));
    MUST(cudaGraphAddEmptyNode(&foreign, other, nullptr, 0));
    cudaMemsetParams params = {memory, 0, 1, 4, 4, 1};
    MUST(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &params));
    SHOW(cudaStreamBeginCaptureToGraph(s, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, s>>>(memory, 1);
    SHOW(cudaStreamEndCapture(s, &ended));
    printf("the same graph: %d\n", ended == graph);
    SHOW(cudaStreamBeginCaptureToGraph(s, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    SHOW(cudaMemsetAsync(memory + 4, 1, 16, s));
    SHOW(cudaStreamEndCapture(s, nullptr));
    size_t count = 32;
    MUST(cudaGraphGetNodes(graph, nodes, &count));
    edges(graph, nodes, count);
    run(graph);
    show("twice", memory);
    cudaGraphEdgeData data = {};
    SHOW(cudaStreamBeginCaptureToGraph(s, graph, &first, &data, 1, cudaStreamCaptureModeRelaxed));
    bare<<<1, 1, 0, s>>>();
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaStreamEndCapture(s, &ended));
    printf("a graph: %d\n", ended != nullptr);
    MUST(cudaGraphCreate(&graph, 0));

    SHOW(cudaStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCaptureToGraph(s, graph, nullptr, nullptr, 1, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCaptureToGraph(s, graph, &foreign, nullptr, 1, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCaptureToGraph(0, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCaptureToGraph(s, graph, nullptr, nullptr, 0, (cudaStreamCaptureMode)7));
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamBeginCaptureToGraph(s, other, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCaptureToGraph(s, other, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCaptureToGraph(t, other, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));  // two into one
    bare<<<1, 1, 0, s>>>();
    bare<<<1, 1, 0, t>>>();
    MUST(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(t, &ended));
    SHOW(cudaStreamEndCapture(s, &ended));
    MUST(cudaGraphGetNodes(other, nodes, &(count = 32)));
    printf("%zu nodes\n", count);
}

static void recorded()
{
    begin();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[32];
    cudaEvent_t event, got = nullptr, other;
    cudaGraphExec_t exec;
    float ms = -1;
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&other));
    MUST(cudaEventRecord(other, s));
    MUST(cudaStreamSynchronize(s));
    capture();
    bare<<<1, 1, 0, s>>>();
    SHOW(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    bare<<<1, 1, 0, s>>>();
    SHOW(cudaStreamWaitEvent(s, other, cudaEventWaitExternal));
    size_t count = end(&graph, nodes);
    edges(graph, nodes, count);
    if (count > 1) {
        SHOW(cudaGraphEventRecordNodeGetEvent(nodes[1], &got));
        printf("%d\n", got == event);
        SHOW(cudaGraphEventWaitNodeGetEvent(nodes[count - 1], &got));
        printf("%d\n", got == other);
    }
    SHOW(cudaEventElapsedTime(&ms, other, event));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    SHOW(cudaEventElapsedTime(&ms, other, event));
    printf("later: %d\n", ms >= 0);
    printf("not capturing\n");
    SHOW(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    SHOW(cudaEventRecordWithFlags(event, s, cudaEventRecordDefault));
    SHOW(cudaEventRecordWithFlags(event, s, 2));
    SHOW(cudaStreamWaitEvent(s, event, cudaEventWaitExternal));
    SHOW(cudaStreamWaitEvent(s, event, 2));
    SHOW(cudaEventRecordWithFlags(nullptr, s, 0));
    SHOW(cudaStreamWaitEvent(s, nullptr, 0));
    printf("an event of a capture\n");
    capture();
    SHOW(cudaEventRecord(event, s));
    SHOW(cudaStreamWaitEvent(s, event, cudaEventWaitExternal));
    end(&graph, nodes);
    SHOW(cudaEventQuery(event));
    SHOW(cudaEventSynchronize(event));
    SHOW(cudaEventElapsedTime(&ms, other, event));
    SHOW(cudaStreamWaitEvent(s, event, 0));
    SHOW(cudaEventRecord(event, s));  // and again an event as others
    SHOW(cudaEventSynchronize(event));
    SHOW(cudaEventElapsedTime(&ms, other, event));
}

int main()
{
    SECTION(copies);
    SECTION(fills);
    SECTION(calls);
    SECTION(kernels);
    SECTION(empties);
    SECTION(forks);
    SECTION(infos);
    SECTION(dependencies);
    SECTION(into_a_graph);
    SECTION(recorded);
}
