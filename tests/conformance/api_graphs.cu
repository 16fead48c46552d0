// Graphs: captured and built by hand, launched again and again, updated.
#include "api_print.h"

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
__global__ void times(int *p, int by) { p[threadIdx.x] *= by; }
static void count(void *data) { ++*(int *)data; }

static void show(const char *what, const int *device)
{
    int values[4];
    MUST(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    printf("%s: %d %d %d %d\n", what, values[0], values[1], values[2], values[3]);
}
static void shape(cudaGraph_t graph)
{
    size_t nodes = 0, roots = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    MUST(cudaGraphGetRootNodes(graph, nullptr, &roots));
    printf("%zu nodes, %zu roots; types", nodes, roots);
    cudaGraphNode_t list[32];
    int types[16] = {};
    MUST(cudaGraphGetNodes(graph, list, &nodes));
    for (size_t i = 0; i < nodes; ++i) {
        cudaGraphNodeType type;
        MUST(cudaGraphNodeGetType(list[i], &type));
        ++types[type];
    }
    for (int i = 0; i < 16; ++i)
        if (types[i]) printf(" %d of %d", types[i], i);
    printf("\n");
}

static void captured(int *p)
{
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int calls = 0, host[4] = {1, 2, 3, 4}, back[4] = {};
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventCreate(&join));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, s));
    add<<<1, 4, 0, s>>>(p, 10);
    MUST(cudaEventRecord(fork, s));
    MUST(cudaStreamWaitEvent(t, fork, 0));
    times<<<1, 2, 0, s>>>(p, 2);
    times<<<1, 2, 0, t>>>(p + 2, 3);
    MUST(cudaEventRecord(join, t));
    MUST(cudaStreamWaitEvent(s, join, 0));
    MUST(cudaLaunchHostFunc(s, count, &calls));
    MUST(cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamEndCapture(s, &graph));
    printf("calls while capturing %d\n", calls);
    shape(graph);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) {
        host[0] = i;
        MUST(cudaGraphLaunch(exec, s));
        MUST(cudaStreamSynchronize(s));
        printf("%d calls: %d %d %d %d\n", calls, back[0], back[1], back[2], back[3]);
    }
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(s));
    MUST(cudaStreamDestroy(t));
}

static void by_hand(int *p)
{
    cudaGraph_t graph, child, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, first, second, nested, last, free_node;
    int five = 5, two = 2, calls = 0;
    SHOW(cudaGraphCreate(&graph, 0));
    cudaMemsetParams memset_params = {};
    memset_params.dst = p;
    memset_params.elementSize = 4;
    memset_params.value = 1;
    memset_params.width = 4;
    memset_params.height = 1;
    SHOW(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset_params));
    void *add_arguments[] = {&p, &five};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(4);
    kernel.kernelParams = add_arguments;
    SHOW(cudaGraphAddKernelNode(&first, graph, &fill, 1, &kernel));
    five = 100;  // arguments were copied
    void *times_arguments[] = {&p, &two};
    kernel.func = (void *)times;
    kernel.kernelParams = times_arguments;
    SHOW(cudaGraphCreate(&child, 0));
    SHOW(cudaGraphAddKernelNode(&second, child, nullptr, 0, &kernel));
    SHOW(cudaGraphAddChildGraphNode(&nested, graph, &first, 1, child));
    cudaHostNodeParams host = {};
    host.fn = count;
    host.userData = &calls;
    SHOW(cudaGraphAddHostNode(&last, graph, nullptr, 0, &host));
    SHOW(cudaGraphAddEmptyNode(&free_node, graph, nullptr, 0));
    shape(graph);
    size_t needs = 0;
    SHOW(cudaGraphDestroyNode(free_node));
    shape(graph);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    printf("calls %d\n", calls);
    show("by hand", p);

    printf("updates\n");
    cudaKernelNodeParams old = {};
    SHOW(cudaGraphKernelNodeGetParams(first, &old));
    printf("kept argument %d\n", *(int *)old.kernelParams[1]);
    int seven = 7;
    void *new_arguments[] = {&p, &seven};
    kernel.func = (void *)add;
    kernel.kernelParams = new_arguments;
    SHOW(cudaGraphExecKernelNodeSetParams(exec, first, &kernel));
    SHOW(cudaGraphLaunch(exec, 0));
    show("other argument", p);
    memset_params.value = 2;
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, fill, &memset_params));
    SHOW(cudaGraphNodeSetEnabled(exec, first, 0));
    SHOW(cudaGraphLaunch(exec, 0));
    show("disabled", p);
    SHOW(cudaGraphClone(&clone, graph));
    shape(clone);
    cudaGraphExecUpdateResultInfo info;
    SHOW(cudaGraphExecUpdate(exec, clone, &info));
    SHOW(cudaGraphLaunch(exec, 0));
    show("as at first", p);
    cudaGraphNode_t extra;
    SHOW(cudaGraphAddEmptyNode(&extra, clone, nullptr, 0));
    SHOW(cudaGraphExecUpdate(exec, clone, &info));
    printf("result %d\n", (int)info.result);
    (void)needs;
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(clone));
    SHOW(cudaGraphDestroy(child));
    SHOW(cudaGraphDestroy(graph));
}

static void memory()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t allocated, filled, copied, freed;
    int back[4] = {};
    MUST(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 16;
    SHOW(cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &params));
    cudaMemsetParams fill = {};
    fill.dst = params.dptr;
    fill.elementSize = 1;
    fill.value = 3;
    fill.width = 16;
    fill.height = 1;
    SHOW(cudaGraphAddMemsetNode(&filled, graph, &allocated, 1, &fill));
    SHOW(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, back, params.dptr, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphAddMemFreeNode(&freed, graph, &copied, 1, params.dptr));
    shape(graph);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) {
        back[3] = 0;
        MUST(cudaGraphLaunch(exec, 0));
        MUST(cudaDeviceSynchronize());
        printf("%x\n", back[3]);
    }
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
}

static void mistakes()
{
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, c;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&other, 0));
    SHOW(cudaGraphCreate(nullptr, 0));
    MUST(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
    MUST(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    SHOW(cudaGraphAddEmptyNode(&c, other, &a, 1));
    SHOW(cudaGraphAddKernelNode(&c, graph, nullptr, 0, nullptr));
    cudaMemsetParams fill = {};
    fill.elementSize = 3;
    fill.width = 1;
    fill.height = 1;
    SHOW(cudaGraphAddMemsetNode(&c, graph, nullptr, 0, &fill));
    size_t n = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &n));
    printf("%zu nodes\n", n);
    SHOW(cudaGraphInstantiate(&exec, other, 0));
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGraphLaunch(nullptr, 0));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphDestroy(other));
}

int main()
{
    int *p;
    MUST(cudaMalloc(&p, 64));
    captured(p);
    by_hand(p);
    memory();
    mistakes();
}
