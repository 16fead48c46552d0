// Graphs with conditional nodes: if, else, while and switch, nested and captured; values that stay or start anew; and
// what is refused.
#include "api_print.h"
#include "apart.h"

__global__ void set(cudaGraphConditionalHandle handle, const int *value) { cudaGraphSetConditional(handle, (unsigned)*value); }
__global__ void set_to(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }
__global__ void add(int *p, int by) { *p += by; }
__global__ void less(cudaGraphConditionalHandle handle, int *p) { cudaGraphSetConditional(handle, --*p > 0); }

static int *memory;  // [0]: what decides, [1]...: what was done

static void begin()
{
    MUST(cudaMalloc(&memory, 64));
    MUST(cudaMemset(memory, 0, 64));
}
static void put(int value) { MUST(cudaMemcpy(memory, &value, 4, cudaMemcpyHostToDevice)); }
static void show(const char *what)
{
    int values[4];
    MUST(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
    printf("%s: %d; %d %d %d\n", what, values[0], values[1], values[2], values[3]);
}
static void launch(cudaGraphExec_t exec)
{
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
}
static cudaGraphNode_t one_add(cudaGraph_t graph, int place, int by, const cudaGraphNode_t *after = nullptr)
{
    cudaGraphNode_t node;
    int *p = memory + place;
    void *arguments[] = {&p, &by};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &params));
    return node;
}
static cudaGraphNode_t one_kernel(cudaGraph_t graph, void *function, cudaGraphConditionalHandle handle, void *second,
                                  const cudaGraphNode_t *after = nullptr)
{
    cudaGraphNode_t node;
    void *arguments[] = {&handle, second};
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &params));
    return node;
}
static cudaGraphNodeParams condition(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    return params;
}

static void if_else()
{
    begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t setter, node;
    MUST(cudaGraphCreate(&graph, 0));
    SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    setter = one_kernel(graph, (void *)set, handle, &memory);
    cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 2);
    SHOW(cudaGraphAddNode(&node, graph, &setter, nullptr, 1, &params));
    printf("two graphs: %d\n", params.conditional.phGraph_out && params.conditional.phGraph_out[0] &&
                                   params.conditional.phGraph_out[1] != params.conditional.phGraph_out[0]);
    cudaGraphNodeType type;
    SHOW(cudaGraphNodeGetType(node, &type));
    printf("type %d\n", (int)type);
    one_add(params.conditional.phGraph_out[0], 1, 1);
    one_add(params.conditional.phGraph_out[1], 2, 1);
    one_add(graph, 3, 1, &node);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    put(1);
    launch(exec);
    show("if");
    put(0);
    launch(exec);
    launch(exec);
    show("else");
    put(7);
    launch(exec);
    show("seven is true");
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
}

static void loops()
{
    begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    MUST(cudaGraphCreate(&graph, 0));
    SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeWhile, 1);
    SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    cudaGraphNode_t added = one_add(body, 1, 1);
    one_kernel(body, (void *)less, handle, &memory, &added);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    put(5);
    launch(exec);
    show("five times");
    launch(exec);  // true at first, each time
    show("once");
    put(3);
    launch(exec);
    show("three times");
    cudaGraphExecUpdateResultInfo info;
    SHOW(cudaGraphExecUpdate(exec, graph, &info));
    printf("result %d\n", (int)info.result);
    put(2);
    launch(exec);
    show("twice");
}

static void switches()
{
    begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node, setter;
    MUST(cudaGraphCreate(&graph, 0));
    SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    setter = one_kernel(graph, (void *)set, handle, &memory);
    cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeSwitch, 3);
    SHOW(cudaGraphAddNode(&node, graph, &setter, nullptr, 1, &params));
    for (int i = 0; i < 3; ++i) one_add(params.conditional.phGraph_out[i], 1 + i, 1);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    const int values[] = {0, 1, 2, 2, 3, -1, 100, 1};
    for (const int value : values) {
        put(value);
        launch(exec);
        show("switch");
    }
}

static void nested()
{
    begin();
    cudaGraph_t graph, clone = nullptr;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle outer, inner;
    cudaGraphNode_t node, inside;
    unsigned yes = 1;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
    SHOW(cudaGraphConditionalHandleCreate(&inner, graph, 0, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = condition(outer, cudaGraphCondTypeWhile, 1);
    SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    cudaGraphNode_t counted = one_kernel(body, (void *)less, outer, &memory);
    cudaGraphNodeParams params_inside = condition(inner, cudaGraphCondTypeIf, 1);
    SHOW(cudaGraphAddNode(&inside, body, &counted, nullptr, 1, &params_inside));
    one_add(params_inside.conditional.phGraph_out[0], 1, 10);
    one_kernel(body, (void *)set_to, inner, &yes, &inside);  // true from the second time on
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    put(4);
    launch(exec);
    show("three of four");
    SHOW(cudaGraphClone(&clone, graph));
    SHOW(cudaGraphInstantiate(&exec, clone, 0));
}

static void stays()
{
    begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    unsigned no = 0;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 1);
    MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    cudaGraphNode_t added = one_add(params.conditional.phGraph_out[0], 1, 1);
    one_kernel(params.conditional.phGraph_out[0], (void *)set_to, handle, &no, &added);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    launch(exec);
    show("anew each time");
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    params = condition(handle, cudaGraphCondTypeSwitch, 2);
    MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    one_add(params.conditional.phGraph_out[1], 2, 1);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    launch(exec);
    show("the default");
}

static void captured()
{
    begin();
    cudaStream_t s, t;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(memory + 3, 1);
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *needs;
    const cudaGraphEdgeData *edges;
    size_t count;
    SHOW(cudaStreamGetCaptureInfo(s, &status, nullptr, &graph, &needs, &edges, &count));
    SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeWhile, 1);
    cudaGraphNode_t node;
    SHOW(cudaGraphAddNode(&node, graph, needs, edges, count, &params));
    SHOW(cudaStreamUpdateCaptureDependencies(s, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
    SHOW(cudaStreamBeginCaptureToGraph(t, params.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                       cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, t>>>(memory + 1, 1);
    less<<<1, 1, 0, t>>>(handle, memory);
    cudaGraph_t same = nullptr;
    SHOW(cudaStreamEndCapture(t, &same));
    printf("the same graph: %d\n", same == params.conditional.phGraph_out[0]);
    add<<<1, 1, 0, s>>>(memory + 2, 1);
    SHOW(cudaStreamEndCapture(s, &same));
    printf("the same graph: %d\n", same == graph);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    put(3);
    launch(exec);
    show("captured");
}

static void wrong()
{
    begin();
    cudaGraph_t graph, other, body;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle = 0, second;
    cudaGraphNode_t node, bad;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&other, 0));
    SHOW(cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
    SHOW(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
    SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 5, 0));
    SHOW(cudaGraphConditionalHandleCreate(&second, graph, 0, 0));
    cudaGraphNodeParams params = condition(0, cudaGraphCondTypeIf, 1);
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));
    params = condition(handle, cudaGraphCondTypeIf, 0);
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));
    params = condition(handle, cudaGraphCondTypeIf, 3);
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));
    params = condition(handle, cudaGraphCondTypeWhile, 2);
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));
    params = condition(handle, cudaGraphCondTypeSwitch, 0);
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));
    params = condition(handle, (cudaGraphConditionalNodeType)3, 1);
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));
    params = condition(handle, cudaGraphCondTypeIf, 1);
    SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    body = params.conditional.phGraph_out[0];
    SHOW(cudaGraphAddNode(&bad, graph, nullptr, nullptr, 0, &params));  // the handle has a node
    size_t count = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &count));
    printf("%zu nodes\n", count);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));  // a handle has no node
    cudaGraphInstantiateParams how = {};
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &how));
    printf("result %d\n", (int)how.result_out);

    printf("in the body\n");
    int host[4];
    static int calls;
    cudaHostNodeParams call = {[](void *data) { ++*(int *)data; }, &calls};
    cudaMemsetParams fill = {memory, 0, 1, 4, 4, 1};
    SHOW(cudaGraphAddHostNode(&bad, body, nullptr, 0, &call));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, body, nullptr, 0, memory + 4, memory, 16, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, body, nullptr, 0, host, memory, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphAddMemsetNode(&bad, body, nullptr, 0, &fill));
    SHOW(cudaGraphAddEmptyNode(&bad, body, nullptr, 0));
    SHOW(cudaGraphAddChildGraphNode(&bad, body, nullptr, 0, other));
    cudaEvent_t event;
    MUST(cudaEventCreate(&event));
    SHOW(cudaGraphAddEventRecordNode(&bad, body, nullptr, 0, event));
    cudaMemAllocNodeParams memory_params = {};
    memory_params.poolProps.allocType = cudaMemAllocationTypePinned;
    memory_params.poolProps.location.type = cudaMemLocationTypeDevice;
    memory_params.bytesize = 64;
    SHOW(cudaGraphAddMemAllocNode(&bad, body, nullptr, 0, &memory_params));
    SHOW(cudaGraphDestroyNode(node));
    cudaGraph_t parent;
    MUST(cudaGraphCreate(&parent, 0));
    SHOW(cudaGraphAddChildGraphNode(&bad, parent, nullptr, 0, graph));
}

static void bodies()
{
    // What a body may hold is said when it is instantiated; one body for each kind.
    for (int kind = 0; kind < 6; ++kind) {
        begin();
        cudaGraph_t graph, body, child;
        cudaGraphExec_t exec;
        cudaGraphConditionalHandle handle;
        cudaGraphNode_t node, inside;
        static int calls, host[4];
        MUST(cudaGraphCreate(&graph, 0));
        MUST(cudaGraphCreate(&child, 0));
        MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
        cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 1);
        MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
        body = params.conditional.phGraph_out[0];
        cudaHostNodeParams call = {[](void *data) { ++*(int *)data; }, &calls};
        cudaMemsetParams fill = {memory, 0, 3, 4, 4, 1};
        cudaEvent_t event;
        MUST(cudaEventCreate(&event));
        cudaError_t error = cudaSuccess;
        if (kind == 0) error = cudaGraphAddHostNode(&inside, body, nullptr, 0, &call);
        if (kind == 1) error = cudaGraphAddMemcpyNode1D(&inside, body, nullptr, 0, memory + 1, memory, 4, cudaMemcpyDeviceToDevice);
        if (kind == 2) error = cudaGraphAddMemcpyNode1D(&inside, body, nullptr, 0, host, memory, 16, cudaMemcpyDeviceToHost);
        if (kind == 3) error = cudaGraphAddMemsetNode(&inside, body, nullptr, 0, &fill);
        if (kind == 4) error = cudaGraphAddChildGraphNode(&inside, body, nullptr, 0, child);
        if (kind == 5) error = cudaGraphAddEventRecordNode(&inside, body, nullptr, 0, event);
        printf("kind %d: %s\n", kind, cudaGetErrorName(error));
        if (error != cudaSuccess) {
            cudaGetLastError();
            continue;
        }
        cudaGraphInstantiateParams how = {};
        SHOW(cudaGraphInstantiateWithParams(&exec, graph, &how));
        printf("result %d\n", (int)how.result_out);
        if (how.result_out == cudaGraphInstantiateSuccess) launch(exec);
        show("done");
    }
}

int main()
{
    SECTION(if_else);
    SECTION(loops);
    SECTION(switches);
    SECTION(nested);
    SECTION(stays);
    SECTION(captured);
    SECTION(wrong);
    SECTION(bodies);
}
