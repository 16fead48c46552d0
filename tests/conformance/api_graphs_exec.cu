// Graphs: how they are instantiated, launched and updated as a whole: flags, results and nodes of every kind of change
// that is refused, nodes switched off, and objects that live as long as the graphs that use them.
#include "api_print.h"
#include "apart.h"
#include <unistd.h>

__global__ void add(int *p, int by)
{
    p[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] += by;
}
__global__ void times(int *p, int by) { p[threadIdx.x] *= by; }
__global__ void bare() {}
static void count(void *data) { ++*(int *)data; }

static int *memory;
static cudaGraph_t graph;
static cudaGraphNode_t n[8];

static cudaKernelNodeParams kernel(void *function, int *by)
{
    static void *arguments[2];
    arguments[0] = &memory;
    arguments[1] = by;
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = arguments;
    return params;
}

// fill -> kernel -> host, fill -> copy; a child graph with one fill; nothing.
static void make(cudaGraph_t *made, cudaGraphNode_t *nodes, int value)
{
    static int calls, host[4];
    cudaGraph_t child;
    MUST(cudaGraphCreate(made, 0));
    cudaMemsetParams fill = {memory, 0, (unsigned)value, 4, 4, 1};
    MUST(cudaGraphAddMemsetNode(&nodes[0], *made, nullptr, 0, &fill));
    int by = 2;
    const cudaKernelNodeParams params = kernel((void *)add, &by);
    MUST(cudaGraphAddKernelNode(&nodes[1], *made, &nodes[0], 1, &params));
    cudaHostNodeParams call = {count, &calls};
    MUST(cudaGraphAddHostNode(&nodes[2], *made, &nodes[1], 1, &call));
    MUST(cudaGraphAddMemcpyNode1D(&nodes[3], *made, &nodes[0], 1, host, memory, 16, cudaMemcpyDeviceToHost));
    MUST(cudaGraphCreate(&child, 0));
    fill.dst = memory + 8;
    MUST(cudaGraphAddMemsetNode(&nodes[6], child, nullptr, 0, &fill));
    MUST(cudaGraphAddChildGraphNode(&nodes[4], *made, nullptr, 0, child));
    MUST(cudaGraphAddEmptyNode(&nodes[5], *made, nullptr, 0));
    MUST(cudaGraphDestroy(child));
}
static void begin()
{
    MUST(cudaMalloc(&memory, 256));
    MUST(cudaMemset(memory, 0, 256));
    make(&graph, n, 1);
}
static int place(cudaGraphNode_t node, const cudaGraphNode_t *all)
{
    if (!node) return -1;
    for (int i = 0; i < 6; ++i)
        if (all[i] == node) return i;
    return -2;
}
static void show(const char *what)
{
    int values[4];
    MUST(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
    printf("%s: %d %d %d %d\n", what, values[0], values[1], values[2], values[3]);
}
static void launch(cudaGraphExec_t exec)
{
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
}

static void instantiating()
{
    begin();
    cudaGraphExec_t exec = nullptr;
    unsigned long long flags = 99;
    SHOW(cudaGraphInstantiate(nullptr, graph, 0));
    SHOW(cudaGraphInstantiate(&exec, nullptr, 0));
    SHOW(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    SHOW(cudaGraphExecGetFlags(exec, &flags));
    printf("%llu\n", flags);
    SHOW(cudaGraphExecGetFlags(nullptr, &flags));
    SHOW(cudaGraphExecGetFlags(exec, nullptr));
    SHOW(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    SHOW(cudaGraphExecGetFlags(exec, &flags));
    printf("%llu\n", flags);
    SHOW(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    SHOW(cudaGraphExecGetFlags(exec, &flags));
    printf("%llu\n", flags);
    SHOW(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUpload));
    SHOW(cudaGraphInstantiateWithFlags(&exec, graph, 1 << 10));
    SHOW(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    cudaGraphInstantiateParams params = {};
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
    printf("result %d, node %d\n", (int)params.result_out, place(params.errNode_out, n));
    cudaStream_t s;
    MUST(cudaStreamCreate(&s));
    params.flags = cudaGraphInstantiateFlagUpload;
    params.uploadStream = s;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
    printf("result %d, node %d\n", (int)params.result_out, place(params.errNode_out, n));
    SHOW(cudaGraphExecGetFlags(exec, &flags));
    printf("%llu\n", flags);
    params.flags = 1 << 10;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
    printf("result %d\n", (int)params.result_out);
    params.flags = cudaGraphInstantiateFlagDeviceLaunch;  // a host node is in it
    params.uploadStream = nullptr;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
    printf("result %d, node %d\n", (int)params.result_out, place(params.errNode_out, n));
    params.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
    printf("result %d\n", (int)params.result_out);
    SHOW(cudaGraphInstantiateWithParams(&exec, nullptr, &params));
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, nullptr));
    SHOW(cudaGraphUpload(exec, s));
    SHOW(cudaGraphUpload(nullptr, s));
    SHOW(cudaGraphLaunch(nullptr, s));
    SHOW(cudaGraphExecDestroy(nullptr));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    SHOW(cudaGraphUpload(exec, s));
    SHOW(cudaGraphLaunch(exec, s));
    SHOW(cudaGraphLaunch(exec, cudaStreamPerThread));
    SHOW(cudaGraphLaunch(exec, cudaStreamLegacy));
    SHOW(cudaDeviceSynchronize());
    show("launched");
    SHOW(cudaGraphDestroy(graph));  // what was instantiated lives on
    SHOW(cudaGraphLaunch(exec, s));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaGraphLaunch(exec, s));
    SHOW(cudaGraphExecDestroy(exec));  // while it may still run
    SHOW(cudaStreamSynchronize(s));
    show("launched");
}

static void switching()
{
    begin();
    cudaGraphExec_t exec;
    unsigned on = 9;
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 6; ++i) {
        on = 9;
        printf("node %d\n", i);
        SHOW(cudaGraphNodeGetEnabled(exec, n[i], &on));
        printf("%u\n", on);
        SHOW(cudaGraphNodeSetEnabled(exec, n[i], 0));
        SHOW(cudaGraphNodeGetEnabled(exec, n[i], &on));
        printf("%u\n", on);
    }
    SHOW(cudaGraphNodeSetEnabled(exec, n[1], 5));
    SHOW(cudaGraphNodeGetEnabled(exec, n[1], &on));
    printf("%u\n", on);
    launch(exec);
    show("only the kernel");
    int by = 5;
    MUST(cudaGraphNodeSetEnabled(exec, n[1], 0));
    const cudaKernelNodeParams params = kernel((void *)add, &by);
    SHOW(cudaGraphExecKernelNodeSetParams(exec, n[1], &params));  // while it is off
    SHOW(cudaGraphNodeGetEnabled(exec, n[1], &on));
    printf("%u\n", on);
    launch(exec);
    show("none");
    cudaGraphExecUpdateResultInfo info;
    SHOW(cudaGraphExecUpdate(exec, graph, &info));
    SHOW(cudaGraphNodeGetEnabled(exec, n[1], &on));
    printf("%u\n", on);
    launch(exec);
    show("after an update");
    SHOW(cudaGraphNodeGetEnabled(nullptr, n[1], &on));
    SHOW(cudaGraphNodeGetEnabled(exec, nullptr, &on));
    SHOW(cudaGraphNodeGetEnabled(exec, n[1], nullptr));
    SHOW(cudaGraphNodeSetEnabled(nullptr, n[1], 1));
    SHOW(cudaGraphNodeSetEnabled(exec, nullptr, 1));
}

static cudaGraph_t changed;
static cudaGraphNode_t m[8];

static void update(cudaGraphExec_t exec, const char *what)
{
    cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateError, (cudaGraphNode_t)(size_t)1, (cudaGraphNode_t)(size_t)1};
    const cudaError_t error = cudaGraphExecUpdate(exec, changed, &info);
    printf("%s: %s, %d, node %d from %d\n", what, cudaGetErrorName(error), (int)info.result, place(info.errorNode, m),
           place(info.errorFromNode, m));
    cudaGetLastError();
}
static void again(int value)
{
    make(&changed, m, value);
}

static void updating()
{
    begin();
    cudaGraphExec_t exec;
    int by = 3;
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    again(10);
    update(exec, "other values");
    launch(exec);
    show("12");
    again(10);
    cudaKernelNodeParams params = kernel((void *)times, &by);
    MUST(cudaGraphKernelNodeSetParams(m[1], &params));
    update(exec, "another function");
    launch(exec);
    show("30");
    again(10);
    params = kernel((void *)add, &by);
    params.gridDim = dim3(2);
    params.blockDim = dim3(2);
    params.sharedMemBytes = 1024;
    MUST(cudaGraphKernelNodeSetParams(m[1], &params));
    update(exec, "another shape");
    launch(exec);
    show("16 16");
    again(10);
    params = kernel((void *)bare, &by);
    MUST(cudaGraphKernelNodeSetParams(m[1], &params));
    update(exec, "no parameters");
    again(1);
    cudaMemsetParams fill = {memory, 0, 1, 4, 3, 1};
    MUST(cudaGraphMemsetNodeSetParams(m[0], &fill));
    update(exec, "a narrower fill");
    again(1);
    fill = {memory, 16, 1, 4, 2, 2};
    MUST(cudaGraphMemsetNodeSetParams(m[0], &fill));
    update(exec, "a fill of two rows");
    again(1);
    fill = {memory, 0, 1, 1, 4, 1};
    MUST(cudaGraphMemsetNodeSetParams(m[0], &fill));
    update(exec, "smaller elements");
    again(1);
    int other[8];
    MUST(cudaGraphMemcpyNodeSetParams1D(m[3], other, memory, 16, cudaMemcpyDeviceToHost));
    update(exec, "a copy to elsewhere");
    again(1);
    MUST(cudaGraphMemcpyNodeSetParams1D(m[3], other, memory, 32, cudaMemcpyDeviceToHost));
    update(exec, "a longer copy");
    again(1);
    MUST(cudaGraphMemcpyNodeSetParams1D(m[3], memory + 16, memory, 16, cudaMemcpyDeviceToDevice));
    update(exec, "a copy of another kind");
    again(1);
    cudaHostNodeParams call = {count, &by};
    MUST(cudaGraphHostNodeSetParams(m[2], &call));
    update(exec, "another call");

    again(1);
    MUST(cudaGraphAddEmptyNode(&m[6], changed, nullptr, 0));
    update(exec, "one more node");
    again(1);
    MUST(cudaGraphDestroyNode(m[2]));
    m[2] = nullptr;
    update(exec, "one node less");
    again(1);
    MUST(cudaGraphDestroyNode(m[5]));
    m[5] = nullptr;
    update(exec, "without the empty node");
    again(1);
    MUST(cudaGraphAddDependencies(changed, &m[3], &m[2], nullptr, 1));
    update(exec, "one more edge");
    again(1);
    MUST(cudaGraphRemoveDependencies(changed, &m[1], &m[2], nullptr, 1));
    update(exec, "one edge less");
    again(1);
    MUST(cudaGraphRemoveDependencies(changed, &m[0], &m[3], nullptr, 1));
    MUST(cudaGraphAddDependencies(changed, &m[1], &m[3], nullptr, 1));
    update(exec, "an edge from elsewhere");
    again(1);
    MUST(cudaGraphDestroyNode(m[3]));
    fill = {memory, 0, 1, 4, 4, 1};
    MUST(cudaGraphAddMemsetNode(&m[3], changed, &m[0], 1, &fill));
    update(exec, "a fill in place of a copy");
    again(1);
    MUST(cudaGraphDestroyNode(m[5]));
    MUST(cudaGraphAddMemsetNode(&m[5], changed, nullptr, 0, &fill));
    update(exec, "a fill in place of nothing");
    again(1);
    cudaGraph_t child;
    MUST(cudaGraphChildGraphNodeGetGraph(m[4], &child));
    MUST(cudaGraphAddEmptyNode(&m[6], child, nullptr, 0));
    update(exec, "one more node in the child");
    again(1);
    MUST(cudaGraphChildGraphNodeGetGraph(m[4], &child));
    cudaGraphNode_t inner;
    size_t one = 1;
    MUST(cudaGraphGetNodes(child, &inner, &one));
    fill = {memory + 8, 0, 1, 4, 2, 1};
    MUST(cudaGraphMemsetNodeSetParams(inner, &fill));
    update(exec, "a narrower fill in the child");
    again(1);
    MUST(cudaGraphChildGraphNodeGetGraph(m[4], &child));
    MUST(cudaGraphGetNodes(child, &inner, &one));
    MUST(cudaGraphDestroyNode(inner));
    MUST(cudaGraphAddEmptyNode(&inner, child, nullptr, 0));
    update(exec, "another kind of node in the child");
    launch(exec);
    show("whole");

    cudaGraphExecUpdateResultInfo info;
    SHOW(cudaGraphExecUpdate(nullptr, changed, &info));
    SHOW(cudaGraphExecUpdate(exec, nullptr, &info));
    again(1);
    SHOW(cudaGraphExecUpdate(exec, changed, nullptr));
}

static void attributes()
{
    begin();
    cudaGraphExec_t exec;
    cudaLaunchAttributeValue value;
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    again(1);
    memset(&value, 0, sizeof value);
    value.priority = -2;
    MUST(cudaGraphKernelNodeSetAttribute(m[1], cudaLaunchAttributePriority, &value));
    update(exec, "another priority");
    again(1);
    value.cooperative = 1;
    MUST(cudaGraphKernelNodeSetAttribute(m[1], cudaLaunchAttributeCooperative, &value));
    update(exec, "cooperative");
    again(1);
    memset(&value, 0, sizeof value);
    value.clusterDim.x = value.clusterDim.y = value.clusterDim.z = 1;
    MUST(cudaGraphKernelNodeSetAttribute(m[1], cudaLaunchAttributeClusterDimension, &value));
    update(exec, "in clusters");
    again(1);
    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = 128;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    MUST(cudaGraphKernelNodeSetAttribute(m[1], cudaLaunchAttributeAccessPolicyWindow, &value));
    update(exec, "with a window");
}

static void small_changes()
{
    MUST(cudaMalloc(&memory, 256));
    cudaGraph_t a, b;
    cudaGraphNode_t x[3], y[3];
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    cudaMemsetParams fill = {memory, 0, 1, 4, 4, 1};
    // Two fills, the second after the first; then the other way round.
    MUST(cudaGraphCreate(&a, 0));
    MUST(cudaGraphAddMemsetNode(&x[0], a, nullptr, 0, &fill));
    MUST(cudaGraphAddMemsetNode(&x[1], a, &x[0], 1, &fill));
    MUST(cudaGraphInstantiate(&exec, a, 0));
    MUST(cudaGraphCreate(&b, 0));
    MUST(cudaGraphAddMemsetNode(&y[0], b, nullptr, 0, &fill));
    MUST(cudaGraphAddMemsetNode(&y[1], b, nullptr, 0, &fill));
    MUST(cudaGraphAddDependencies(b, &y[1], &y[0], nullptr, 1));
    SHOW(cudaGraphExecUpdate(exec, b, &info));
    printf("result %d\n", (int)info.result);
    // Three roots made in another order.
    cudaGraph_t c, d;
    MUST(cudaGraphCreate(&c, 0));
    MUST(cudaGraphAddMemsetNode(&x[0], c, nullptr, 0, &fill));
    MUST(cudaGraphAddEmptyNode(&x[1], c, nullptr, 0));
    MUST(cudaGraphInstantiate(&exec, c, 0));
    MUST(cudaGraphCreate(&d, 0));
    MUST(cudaGraphAddEmptyNode(&y[1], d, nullptr, 0));
    MUST(cudaGraphAddMemsetNode(&y[0], d, nullptr, 0, &fill));
    SHOW(cudaGraphExecUpdate(exec, d, &info));
    printf("result %d, node %d\n", (int)info.result, info.errorNode == y[0] ? 0 : info.errorNode == y[1] ? 1 : -1);
    // Dependencies given in another order.
    cudaGraph_t e, f;
    MUST(cudaGraphCreate(&e, 0));
    MUST(cudaGraphAddMemsetNode(&x[0], e, nullptr, 0, &fill));
    MUST(cudaGraphAddEmptyNode(&x[1], e, nullptr, 0));
    MUST(cudaGraphAddEmptyNode(&x[2], e, x, 2));
    MUST(cudaGraphInstantiate(&exec, e, 0));
    MUST(cudaGraphCreate(&f, 0));
    MUST(cudaGraphAddMemsetNode(&y[0], f, nullptr, 0, &fill));
    MUST(cudaGraphAddEmptyNode(&y[1], f, nullptr, 0));
    cudaGraphNode_t swapped[2] = {y[1], y[0]};
    MUST(cudaGraphAddEmptyNode(&y[2], f, swapped, 2));
    SHOW(cudaGraphExecUpdate(exec, f, &info));
    printf("result %d\n", (int)info.result);
    // Events.
    cudaEvent_t first, second;
    MUST(cudaEventCreate(&first));
    MUST(cudaEventCreate(&second));
    MUST(cudaGraphCreate(&a, 0));
    MUST(cudaGraphAddEventRecordNode(&x[0], a, nullptr, 0, first));
    MUST(cudaGraphInstantiate(&exec, a, 0));
    MUST(cudaGraphEventRecordNodeSetEvent(x[0], second));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    // What a graph that was updated with knows of the executable one, and what the first still does.
    MUST(cudaGraphCreate(&a, 0));
    MUST(cudaGraphAddMemsetNode(&x[0], a, nullptr, 0, &fill));
    MUST(cudaGraphInstantiate(&exec, a, 0));
    MUST(cudaGraphClone(&b, a));
    MUST(cudaGraphNodeFindInClone(&y[0], x[0], b));
    SHOW(cudaGraphExecUpdate(exec, b, &info));
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, x[0], &fill));
    unsigned on = 9;
    SHOW(cudaGraphNodeGetEnabled(exec, x[0], &on));
    // Copies of two dimensions: the same, and others.
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(memory, 16, 8, 2);
    copy.dstPtr = make_cudaPitchedPtr(memory + 16, 16, 8, 2);
    copy.extent = make_cudaExtent(8, 2, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaGraphCreate(&a, 0));
    MUST(cudaGraphAddMemcpyNode(&x[0], a, nullptr, 0, &copy));
    MUST(cudaGraphInstantiate(&exec, a, 0));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    copy.srcPtr.ptr = memory + 4;
    MUST(cudaGraphMemcpyNodeSetParams(x[0], &copy));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    copy.extent = make_cudaExtent(8, 1, 1);
    MUST(cudaGraphMemcpyNodeSetParams(x[0], &copy));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    // Fills of two dimensions.
    fill = {memory, 16, 1, 4, 2, 2};
    MUST(cudaGraphCreate(&a, 0));
    MUST(cudaGraphAddMemsetNode(&x[0], a, nullptr, 0, &fill));
    MUST(cudaGraphInstantiate(&exec, a, 0));
    fill.pitch = 32;
    fill.value = 5;
    MUST(cudaGraphMemsetNodeSetParams(x[0], &fill));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    fill.elementSize = 2;
    fill.width = 4;
    MUST(cudaGraphMemsetNodeSetParams(x[0], &fill));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    fill.height = 1;
    MUST(cudaGraphMemsetNodeSetParams(x[0], &fill));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    MUST(cudaGraphCreate(&b, 0));
    fill = {memory, 0, 1, 4, 4, 1};
    MUST(cudaGraphAddMemsetNode(&y[0], b, nullptr, 0, &fill));
    // Empty graphs.
    MUST(cudaGraphCreate(&a, 0));
    MUST(cudaGraphInstantiate(&exec, a, 0));
    SHOW(cudaGraphExecUpdate(exec, a, &info));
    printf("result %d\n", (int)info.result);
    SHOW(cudaGraphExecUpdate(exec, b, &info));
    printf("result %d, nodes %d %d\n", (int)info.result, info.errorNode == nullptr, info.errorFromNode == nullptr);
}

static int destroyed;
static void destroy(void *data) { __sync_fetch_and_add(&destroyed, *(int *)data); }
static void after(const char *what)
{
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < 100 && !destroyed; ++i) usleep(1000);  // objects are destroyed by another thread
    printf("%s: %d\n", what, destroyed);
}

static void objects()
{
    cudaUserObject_t object = nullptr;
    cudaGraph_t a, clone;
    cudaGraphExec_t exec;
    int one = 1;
    SHOW(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectRelease(object, 1));
    after("released");
    destroyed = 0;
    SHOW(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectRetain(object, 2));
    SHOW(cudaUserObjectRelease(object, 2));
    usleep(20000);
    printf("still there: %d\n", destroyed);
    SHOW(cudaGraphCreate(&a, 0));
    SHOW(cudaGraphRetainUserObject(a, object, 1, cudaGraphUserObjectMove));
    usleep(20000);
    printf("the graph's: %d\n", destroyed);
    SHOW(cudaGraphDestroy(a));
    after("with the graph");
    destroyed = 0;

    SHOW(cudaUserObjectCreate(&object, &one, destroy, 3, cudaUserObjectNoDestructorSync));
    SHOW(cudaGraphCreate(&a, 0));
    SHOW(cudaGraphRetainUserObject(a, object, 2, 0));
    SHOW(cudaUserObjectRelease(object, 3));
    usleep(20000);
    printf("two references of the graph: %d\n", destroyed);
    SHOW(cudaGraphReleaseUserObject(a, object, 1));
    usleep(20000);
    printf("one: %d\n", destroyed);
    SHOW(cudaGraphClone(&clone, a));
    SHOW(cudaGraphDestroy(a));
    usleep(20000);
    printf("a clone's: %d\n", destroyed);
    SHOW(cudaGraphInstantiate(&exec, clone, 0));
    SHOW(cudaGraphDestroy(clone));
    usleep(20000);
    printf("an instance's: %d\n", destroyed);
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    usleep(20000);
    printf("launched: %d\n", destroyed);
    SHOW(cudaGraphExecDestroy(exec));
    after("with the instance");
    destroyed = 0;

    SHOW(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    cudaGraph_t child;
    cudaGraphNode_t nested;
    SHOW(cudaGraphCreate(&a, 0));
    SHOW(cudaGraphCreate(&child, 0));
    SHOW(cudaGraphRetainUserObject(child, object, 1, cudaGraphUserObjectMove));
    SHOW(cudaGraphAddChildGraphNode(&nested, a, nullptr, 0, child));
    SHOW(cudaGraphDestroy(child));
    usleep(20000);
    printf("of the copy in the other graph: %d\n", destroyed);
    SHOW(cudaGraphDestroy(a));
    after("with that");
    destroyed = 0;
}

static void wrong_objects()
{
    cudaUserObject_t object = nullptr, never;
    cudaGraph_t a;
    int one = 1;
    MUST(cudaGraphCreate(&a, 0));
    SHOW(cudaUserObjectCreate(nullptr, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectCreate(&never, &one, nullptr, 1, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectCreate(&never, &one, destroy, 0, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectCreate(&never, &one, destroy, 1, 0));
    SHOW(cudaUserObjectCreate(&never, &one, destroy, 1, 3));
    SHOW(cudaUserObjectCreate(&never, &one, destroy, 0x80000000u, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
    SHOW(cudaUserObjectRetain(nullptr, 1));
    SHOW(cudaUserObjectRetain(object, 0));
    SHOW(cudaUserObjectRetain(object, 0x80000000u));
    SHOW(cudaUserObjectRelease(nullptr, 1));
    SHOW(cudaUserObjectRelease(object, 0));
    SHOW(cudaGraphRetainUserObject(nullptr, object, 1, 0));
    SHOW(cudaGraphRetainUserObject(a, nullptr, 1, 0));
    SHOW(cudaGraphRetainUserObject(a, object, 0, 0));
    SHOW(cudaGraphRetainUserObject(a, object, 1, 4));
    SHOW(cudaGraphReleaseUserObject(nullptr, object, 1));
    SHOW(cudaGraphReleaseUserObject(a, nullptr, 1));
    SHOW(cudaGraphReleaseUserObject(a, object, 0));
}

int main()
{
    SECTION(instantiating);
    SECTION(switching);
    SECTION(updating);
    SECTION(attributes);
    SECTION(small_changes);
    SECTION(objects);
    SECTION(wrong_objects);
}
