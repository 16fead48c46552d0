// Graphs with memory of their own: allocation and free nodes made by hand and captured, memory that outlives a launch,
// what the device says of it, and what is refused.
#include "api_print.h"
#include "apart.h"

__global__ void fill(int *p, int value) { p[threadIdx.x] = value + threadIdx.x; }
__global__ void add(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }

static cudaMemAllocNodeParams wanted(size_t bytes)
{
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    return params;
}
static void used(const char *what)
{
    unsigned long long current = 99, high = 99, reserved = 99, reserved_high = 99;
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &current));
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &reserved_high));
    printf("%s: used %llu, at most %llu; reserved %llu, at most %llu\n", what, current, high, reserved, reserved_high);
}
static void launch(cudaGraphExec_t exec)
{
    SHOW(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
}

static void asking()
{
    unsigned long long value = 99;
    SHOW(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
    printf("%llu\n", value);
    SHOW(cudaDeviceGetGraphMemAttribute(7, cudaGraphMemAttrUsedMemCurrent, &value));
    SHOW(cudaDeviceGetGraphMemAttribute(-1, cudaGraphMemAttrUsedMemCurrent, &value));
    SHOW(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)4, &value));
    SHOW(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, nullptr));
    value = 0;
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &value));
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &value));
    value = 5;
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, nullptr));
    SHOW(cudaDeviceSetGraphMemAttribute(7, cudaGraphMemAttrUsedMemHigh, &value));
    SHOW(cudaDeviceGraphMemTrim(0));
    SHOW(cudaDeviceGraphMemTrim(7));
    SHOW(cudaDeviceGraphMemTrim(-1));
    used("nothing");
}

static void by_hand()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, filled, added, copied, free_a, free_b;
    int back[4] = {}, ten = 10, twenty = 20;
    MUST(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams first = wanted(1 << 20), second = wanted(3 << 20), got;
    SHOW(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &first));
    SHOW(cudaGraphAddMemAllocNode(&b, graph, &a, 1, &second));
    printf("two addresses: %d\n", first.dptr && second.dptr && first.dptr != second.dptr);
    memset(&got, 0, sizeof got);
    SHOW(cudaGraphMemAllocNodeGetParams(a, &got));
    printf("%d %zu, type %d, location %d %d, %zu descriptors\n", got.dptr == first.dptr, got.bytesize,
           (int)got.poolProps.allocType, (int)got.poolProps.location.type, got.poolProps.location.id, got.accessDescCount);
    used("made");
    cudaKernelNodeParams params = {};
    void *fill_first[] = {&first.dptr, &ten}, *fill_second[] = {&second.dptr, &twenty}, *both[] = {&first.dptr, &second.dptr};
    params.func = (void *)fill;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = fill_first;
    MUST(cudaGraphAddKernelNode(&filled, graph, &b, 1, &params));
    params.kernelParams = fill_second;
    MUST(cudaGraphAddKernelNode(&added, graph, &filled, 1, &params));
    params.func = (void *)add;
    params.kernelParams = both;
    MUST(cudaGraphAddKernelNode(&filled, graph, &added, 1, &params));
    MUST(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, back, first.dptr, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphAddMemFreeNode(&free_a, graph, &copied, 1, first.dptr));
    SHOW(cudaGraphAddMemFreeNode(&free_b, graph, &copied, 1, second.dptr));
    void *freed = nullptr;
    SHOW(cudaGraphMemFreeNodeGetParams(free_b, &freed));
    printf("%d\n", freed == second.dptr);
    cudaPointerAttributes of;
    SHOW(cudaPointerGetAttributes(&of, first.dptr));
    printf("type %d, device %d\n", (int)of.type, of.device);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    used("instantiated");
    for (int i = 0; i < 2; ++i) {
        launch(exec);
        printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
        used("launched");
    }
    SHOW(cudaPointerGetAttributes(&of, first.dptr));
    printf("type %d, device %d\n", (int)of.type, of.device);
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
    used("destroyed");
    SHOW(cudaDeviceGraphMemTrim(0));
    used("trimmed");
    unsigned long long zero = 0;
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
    used("reset");
}

static void not_freed()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec, other;
    cudaGraphNode_t a, filled;
    int one = 1, back[4];
    MUST(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = wanted(4096);
    MUST(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &params));
    void *arguments[] = {&params.dptr, &one};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)fill;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(4);
    kernel.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&filled, graph, &a, 1, &kernel));
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    SHOW(cudaGraphInstantiate(&other, graph, 0));  // a second one of the same memory
    launch(exec);
    used("launched");
    SHOW(cudaMemcpy(back, params.dptr, 16, cudaMemcpyDeviceToHost));
    printf("%d %d\n", back[0], back[3]);
    SHOW(cudaGraphLaunch(exec, 0));  // it has its memory still
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaFree(params.dptr));
    used("freed");
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaFreeAsync(params.dptr, 0));
    SHOW(cudaDeviceSynchronize());
    used("freed in a stream");
    SHOW(cudaFreeAsync(params.dptr, 0));  // again
    SHOW(cudaFree(params.dptr));
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaMemcpy(back, params.dptr, 16, cudaMemcpyDeviceToHost));  // outlives what made it
    printf("%d %d\n", back[0], back[3]);
    SHOW(cudaFree(params.dptr));
    used("at the end");
    cudaGraph_t clone;
    SHOW(cudaGraphClone(&clone, graph));
    cudaGraphNode_t in_child;
    cudaGraph_t parent;
    MUST(cudaGraphCreate(&parent, 0));
    SHOW(cudaGraphAddChildGraphNode(&in_child, parent, nullptr, 0, graph));
    SHOW(cudaGraphDestroyNode(a));
    SHOW(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &params));
    SHOW(cudaGraphAddDependencies(graph, &a, &filled, nullptr, 1));
    SHOW(cudaGraphRemoveDependencies(graph, &a, &filled, nullptr, 1));
    SHOW(cudaGraphDestroy(graph));
}

static void freed_by_launches()
{
    cudaGraph_t graph, freeing;
    cudaGraphExec_t exec, freer;
    cudaGraphNode_t a, f;
    MUST(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = wanted(4096);
    MUST(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &params));
    SHOW(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    launch(exec);
    used("first");
    launch(exec);
    used("second");
    launch(exec);
    used("third");
    SHOW(cudaFree(params.dptr));
    used("freed");
    MUST(cudaGraphCreate(&freeing, 0));
    SHOW(cudaGraphAddMemFreeNode(&f, freeing, nullptr, 0, params.dptr));  // of another graph's memory
    SHOW(cudaGraphInstantiate(&freer, freeing, 0));
    launch(exec);
    launch(freer);
    used("freed by another graph");
    SHOW(cudaGraphLaunch(freer, 0));  // nothing is there
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGraphInstantiate(&freer, freeing, cudaGraphInstantiateFlagAutoFreeOnLaunch));
}

static void captured()
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *p = nullptr, *q = nullptr, back[4] = {};
    MUST(cudaStreamCreate(&s));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaMallocAsync(&p, 64, s));
    SHOW(cudaMallocAsync(&q, 64, s));
    fill<<<1, 4, 0, s>>>(p, 5);
    fill<<<1, 4, 0, s>>>(q, 7);
    add<<<1, 4, 0, s>>>(p, q);
    SHOW(cudaFreeAsync(q, s));
    SHOW(cudaMemcpyAsync(back, p, 16, cudaMemcpyDeviceToHost, s));
    SHOW(cudaFreeAsync(p, s));
    SHOW(cudaStreamEndCapture(s, &graph));
    size_t count = 16;
    cudaGraphNode_t nodes[16];
    MUST(cudaGraphGetNodes(graph, nodes, &count));
    printf("%zu nodes:", count);
    for (size_t i = 0; i < count; ++i) {
        cudaGraphNodeType type;
        MUST(cudaGraphNodeGetType(nodes[i], &type));
        printf(" %d", (int)type);
    }
    printf("\n");
    cudaMemAllocNodeParams params;
    memset(&params, 0, sizeof params);
    SHOW(cudaGraphMemAllocNodeGetParams(nodes[0], &params));
    printf("%d %zu, type %d, location %d %d\n", params.dptr == p, params.bytesize, (int)params.poolProps.allocType,
           (int)params.poolProps.location.type, params.poolProps.location.id);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);

    printf("of the program's own memory\n");
    int *own;
    MUST(cudaMallocAsync(&own, 64, s));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaFreeAsync(own, s));
    cudaStreamCaptureStatus status;
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaFreeAsync(own, s));

    printf("freed twice\n");
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaMallocAsync(&p, 64, s));
    SHOW(cudaFreeAsync(p, s));
    SHOW(cudaFreeAsync(p, s));
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));

    printf("nothing\n");
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    p = (int *)(size_t)1;
    SHOW(cudaMallocAsync(&p, 0, s));
    printf("null: %d\n", p == nullptr);
    SHOW(cudaFreeAsync(nullptr, s));
    MUST(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(s, &graph));

    printf("from a pool\n");
    cudaMemPool_t pool;
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaMallocFromPoolAsync(&p, 128, pool, s));
    SHOW(cudaStreamEndCapture(s, &graph));
    count = 16;
    MUST(cudaGraphGetNodes(graph, nodes, &count));
    SHOW(cudaGraphMemAllocNodeGetParams(nodes[0], &params));
    printf("%zu nodes, %zu bytes\n", count, params.bytesize);
    SHOW(cudaFree(p));  // not there yet
    SHOW(cudaMemcpy(back, p, 16, cudaMemcpyDeviceToHost));
}

static void wrong()
{
    cudaGraph_t graph;
    cudaGraphNode_t node, empty, bad;
    int *p;
    MUST(cudaMalloc(&p, 64));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    cudaMemAllocNodeParams params = wanted(0);
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    params = wanted(64);
    params.poolProps.allocType = cudaMemAllocationTypeInvalid;
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    params = wanted(64);
    params.poolProps.location.type = cudaMemLocationTypeInvalid;
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    params = wanted(64);
    params.poolProps.location.id = 9;
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    params = wanted(64);
    params.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    params = wanted(64);
    params.accessDescCount = 1;
    params.accessDescs = &access;
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    access.flags = cudaMemAccessFlagsProtRead;
    SHOW(cudaGraphAddMemAllocNode(&bad, graph, nullptr, 0, &params));
    params = wanted((size_t)1 << 50);
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, nullptr));
    params = wanted(64);
    SHOW(cudaGraphAddMemAllocNode(nullptr, graph, nullptr, 0, &params));
    SHOW(cudaGraphAddMemAllocNode(&node, nullptr, nullptr, 0, &params));
    SHOW(cudaGraphAddMemFreeNode(&bad, graph, nullptr, 0, nullptr));
    SHOW(cudaGraphAddMemFreeNode(&bad, graph, nullptr, 0, p));
    SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    cudaGraphNode_t freed;
    SHOW(cudaGraphAddMemFreeNode(&bad, graph, &node, 1, (char *)params.dptr + 16));
    SHOW(cudaGraphAddMemFreeNode(&freed, graph, nullptr, 0, params.dptr));  // not after the allocation
    SHOW(cudaGraphAddMemFreeNode(&bad, graph, &freed, 1, params.dptr));
    SHOW(cudaGraphMemAllocNodeGetParams(empty, &params));
    SHOW(cudaGraphMemAllocNodeGetParams(nullptr, &params));
    SHOW(cudaGraphMemAllocNodeGetParams(node, nullptr));
    void *pointer;
    SHOW(cudaGraphMemFreeNodeGetParams(empty, &pointer));
    SHOW(cudaGraphMemFreeNodeGetParams(nullptr, &pointer));
    SHOW(cudaGraphMemFreeNodeGetParams(freed, nullptr));
    SHOW(cudaGraphDestroyNode(node));
    SHOW(cudaGraphDestroyNode(freed));
    SHOW(cudaGraphDestroyNode(empty));
}

static void instantiated()
{
    cudaGraph_t graph, same, plain;
    cudaGraphNode_t node, freed, other;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    MUST(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = wanted(64), second = wanted(64);
    MUST(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    MUST(cudaGraphAddMemFreeNode(&freed, graph, &node, 1, params.dptr));
    cudaGraphInstantiateParams device = {};
    device.flags = cudaGraphInstantiateFlagDeviceLaunch;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &device));
    printf("result %d, node %d\n", (int)device.result_out, device.errNode_out == node ? 0 : device.errNode_out ? 1 : -1);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    SHOW(cudaGraphExecUpdate(exec, graph, &info));
    printf("result %d\n", (int)info.result);
    MUST(cudaGraphCreate(&same, 0));
    MUST(cudaGraphAddMemAllocNode(&other, same, nullptr, 0, &second));
    MUST(cudaGraphAddMemFreeNode(&freed, same, &other, 1, second.dptr));
    SHOW(cudaGraphExecUpdate(exec, same, &info));
    printf("result %d\n", (int)info.result);
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphInstantiate(&exec, graph, 0));  // again, now that the other is gone
    launch(exec);
    MUST(cudaGraphCreate(&plain, 0));
    SHOW(cudaGraphAddMemFreeNode(&other, plain, nullptr, 0, params.dptr));  // what its own graph frees
    SHOW(cudaGraphDestroy(graph));
    launch(exec);
    SHOW(cudaGraphExecDestroy(exec));
}

int main()
{
    SECTION(asking);
    SECTION(by_hand);
    SECTION(not_freed);
    SECTION(freed_by_launches);
    SECTION(captured);
    SECTION(wrong);
    SECTION(instantiated);
}
