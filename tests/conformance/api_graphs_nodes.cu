// Graphs: nodes of every kind made by hand, their parameters asked for and changed, in the graph and in what was
// instantiated from it; parameters that are wrong, and nodes of the wrong kind.
#include "api_print.h"
#include "apart.h"

__constant__ int constants[4];
__device__ int variable[4];
__global__ void add(int *p, int by)
{
    p[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] += by;
}
__global__ void take(int *p) { p[threadIdx.x] = variable[threadIdx.x] * 10 + constants[threadIdx.x]; }
__global__ void bare() {}
struct Wide {
    char c;
    double d;
    short s[3];
};
__global__ void wide(Wide w, char c, int *p) { p[0] = w.c + (int)w.d + w.s[2] + c; }
static void count(void *data) { ++*(int *)data; }
static void count_ten(void *data) { *(int *)data += 10; }

static cudaGraph_t graph;
static cudaGraphNode_t empty;
static int *memory;

static void begin()
{
    MUST(cudaMalloc(&memory, 256));
    MUST(cudaMemset(memory, 0, 256));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
}
static void show(const char *what)
{
    int values[8];
    MUST(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
    printf("%s:", what);
    for (int i = 0; i < 8; ++i) printf(" %x", values[i]);
    printf("\n");
}
static void launch(cudaGraphExec_t exec)
{
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
}

static void kernels()
{
    begin();
    cudaGraphNode_t node, other;
    cudaGraphExec_t exec;
    int by = 3;
    void *arguments[] = {&memory, &by};
    cudaKernelNodeParams params = {}, got = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = arguments;
    SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    SHOW(cudaGraphKernelNodeGetParams(node, &got));
    printf("%d %u %u %u, %u %u %u, %u, %d %d\n", got.func == (void *)add, got.gridDim.x, got.gridDim.y, got.gridDim.z,
           got.blockDim.x, got.blockDim.y, got.blockDim.z, got.sharedMemBytes, got.kernelParams != nullptr,
           got.extra != nullptr);
    SHOW(cudaGraphKernelNodeSetParams(node, &got));  // what it gave
    by = 5;
    params.blockDim = dim3(2, 2);
    SHOW(cudaGraphKernelNodeSetParams(node, &params));
    SHOW(cudaGraphKernelNodeGetParams(node, &got));
    printf("%u %u, argument %d\n", got.blockDim.x, got.blockDim.y, *(int *)got.kernelParams[1]);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    show("by four threads");
    params.blockDim = dim3(4);
    params.gridDim = dim3(2);
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    launch(exec);
    show("by two blocks");

    printf("wrong\n");
    params.func = nullptr;
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    SHOW(cudaGraphKernelNodeSetParams(node, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    params.func = (void *)add;
    params.gridDim = dim3(0);
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    params.gridDim = dim3(1, 65536);
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    params.gridDim = dim3(1);
    params.blockDim = dim3(1025);
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    SHOW(cudaGraphKernelNodeSetParams(node, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    params.blockDim = dim3(1, 1, 65);
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    params.blockDim = dim3(4);
    params.sharedMemBytes = 50000;
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    params.sharedMemBytes = 300000;
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));
    params.sharedMemBytes = 0;
    SHOW(cudaGraphAddKernelNode(&other, nullptr, nullptr, 0, &params));
    SHOW(cudaGraphAddKernelNode(nullptr, graph, nullptr, 0, &params));
    SHOW(cudaGraphKernelNodeGetParams(empty, &got));
    SHOW(cudaGraphKernelNodeSetParams(empty, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(exec, empty, &params));
    SHOW(cudaGraphKernelNodeGetParams(nullptr, &got));
    SHOW(cudaGraphKernelNodeGetParams(node, nullptr));
    SHOW(cudaGraphKernelNodeSetParams(node, nullptr));
    SHOW(cudaGraphKernelNodeSetParams(nullptr, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(nullptr, node, &params));
    SHOW(cudaGraphExecKernelNodeSetParams(exec, nullptr, &params));
    size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("%zu nodes\n", nodes);
    launch(exec);
    show("as it was");

    printf("another function\n");
    SHOW(cudaGraphAddKernelNode(&other, graph, nullptr, 0, &params));  // not in what was instantiated
    SHOW(cudaGraphExecKernelNodeSetParams(exec, other, &params));
    cudaKernelNodeParams another = {};
    another.func = (void *)bare;
    another.gridDim = another.blockDim = dim3(1);
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &another));
    launch(exec);
    show("nothing added");
    Wide w = {1, 2.5, {3, 4, 50}};
    char c = 100;
    void *three[] = {&w, &c, &memory};
    another.func = (void *)wide;
    another.kernelParams = three;
    SHOW(cudaGraphExecKernelNodeSetParams(exec, node, &another));
    w.c = 9;
    launch(exec);
    show("1 + 2 + 50 + 100");
    SHOW(cudaGraphKernelNodeSetParams(node, &another));
    SHOW(cudaGraphKernelNodeGetParams(node, &got));
    printf("%d %d\n", got.func == (void *)wide, ((Wide *)got.kernelParams[0])->s[2]);
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
}

static void attributes()
{
    begin();
    cudaGraphNode_t node, second;
    cudaGraphExec_t exec;
    cudaKernelNodeParams params = {};
    params.func = (void *)bare;
    params.gridDim = dim3(2);
    params.blockDim = dim3(32);
    MUST(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    MUST(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &params));
    cudaLaunchAttributeValue value;
    memset(&value, 0x55, sizeof value);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
    printf("%d\n", value.priority);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    printf("%d\n", value.cooperative);
    memset(&value, 0x55, sizeof value);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%d %zu %g %d %d\n", value.accessPolicyWindow.base_ptr != nullptr, value.accessPolicyWindow.num_bytes,
           value.accessPolicyWindow.hitRatio, (int)value.accessPolicyWindow.hitProp, (int)value.accessPolicyWindow.missProp);
    memset(&value, 0x55, sizeof value);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    printf("%u %u %u\n", value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterSchedulingPolicyPreference, &value));
    printf("%d\n", (int)value.clusterSchedulingPolicyPreference);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeMemSyncDomain, &value));
    printf("%d\n", (int)value.memSyncDomain);
    memset(&value, 0x55, sizeof value);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeMemSyncDomainMap, &value));
    printf("%d %d\n", value.memSyncDomainMap.default_, value.memSyncDomainMap.remote);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePreferredSharedMemoryCarveout, &value));
    printf("%d\n", (int)value.sharedMemCarveout);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeSynchronizationPolicy, &value));
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeProgrammaticStreamSerialization, &value));
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeIgnore, &value));
    SHOW(cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)40, &value));

    memset(&value, 0, sizeof value);
    value.priority = -3;
    SHOW(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
    value.priority = -99;
    SHOW(cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributePriority, &value));
    SHOW(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &value));
    printf("%d\n", value.priority);
    memset(&value, 0, sizeof value);
    value.clusterDim.x = 2;
    value.clusterDim.y = value.clusterDim.z = 1;
    SHOW(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    value.clusterDim.x = 3;
    SHOW(cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributeClusterDimension, &value));
    value.cooperative = 1;
    SHOW(cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributeCooperative, &value));
    SHOW(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributeCooperative, &value));
    printf("%d\n", value.cooperative);
    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = 256;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    SHOW(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    memset(&value, 0, sizeof value);
    SHOW(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%d %zu %g %d %d\n", value.accessPolicyWindow.base_ptr == memory, value.accessPolicyWindow.num_bytes,
           value.accessPolicyWindow.hitRatio, (int)value.accessPolicyWindow.hitProp, (int)value.accessPolicyWindow.missProp);
    value.accessPolicyWindow.hitRatio = 2;
    SHOW(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    SHOW(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    memset(&value, 0, sizeof value);
    SHOW(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeIgnore, &value));
    SHOW(cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)40, &value));
    SHOW(cudaGraphKernelNodeSetAttribute(empty, cudaLaunchAttributePriority, &value));
    SHOW(cudaGraphKernelNodeGetAttribute(empty, cudaLaunchAttributePriority, &value));
    SHOW(cudaGraphKernelNodeSetAttribute(nullptr, cudaLaunchAttributePriority, &value));
    MUST(cudaGraphDestroyNode(second));
    MUST(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &params));
    SHOW(cudaGraphKernelNodeCopyAttributes(second, node));
    SHOW(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &value));
    printf("%d\n", value.priority);
    SHOW(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributeClusterDimension, &value));
    printf("%u %u %u\n", value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    SHOW(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%g\n", value.accessPolicyWindow.hitRatio);
    SHOW(cudaGraphKernelNodeCopyAttributes(second, empty));
    SHOW(cudaGraphKernelNodeCopyAttributes(empty, node));
    SHOW(cudaGraphKernelNodeCopyAttributes(nullptr, node));
    SHOW(cudaGraphKernelNodeCopyAttributes(second, nullptr));
    SHOW(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    launch(exec);
}

static void print(const cudaMemcpy3DParms &p, const void *from, const void *to)
{
    printf("from %d at %zu %zu %zu, pitch %zu, %zu x %zu; to %d at %zu %zu %zu, pitch %zu, %zu x %zu; %zu %zu %zu, kind %d\n",
           p.srcPtr.ptr == from, p.srcPos.x, p.srcPos.y, p.srcPos.z, p.srcPtr.pitch, p.srcPtr.xsize, p.srcPtr.ysize,
           p.dstPtr.ptr == to, p.dstPos.x, p.dstPos.y, p.dstPos.z, p.dstPtr.pitch, p.dstPtr.xsize, p.dstPtr.ysize,
           p.extent.width, p.extent.height, p.extent.depth, (int)p.kind);
}

static void copies()
{
    begin();
    cudaGraphNode_t flat, box, copied, bad;
    cudaGraphExec_t exec;
    int host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {}, *second;
    MUST(cudaMalloc(&second, 256));
    cudaMemcpy3DParms got = {};
    SHOW(cudaGraphAddMemcpyNode1D(&flat, graph, nullptr, 0, memory, host, 32, cudaMemcpyHostToDevice));
    SHOW(cudaGraphMemcpyNodeGetParams(flat, &got));
    print(got, host, memory);
    cudaMemcpy3DParms params = {};
    params.srcPtr = make_cudaPitchedPtr(memory, 16, 4, 2);
    params.srcPos = make_cudaPos(4, 0, 0);
    params.dstPtr = make_cudaPitchedPtr(second, 64, 4, 2);
    params.extent = make_cudaExtent(8, 2, 1);
    params.kind = cudaMemcpyDeviceToDevice;
    SHOW(cudaGraphAddMemcpyNode(&box, graph, &flat, 1, &params));
    SHOW(cudaGraphMemcpyNodeGetParams(box, &got));
    print(got, memory, second);
    SHOW(cudaGraphAddMemcpyNode1D(&copied, graph, &box, 1, back, second, 32, cudaMemcpyDefault));
    SHOW(cudaGraphMemcpyNodeGetParams(copied, &got));
    print(got, second, back);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaMemset(second, 0, 256));
    launch(exec);
    printf("%d %d %d\n", back[0], back[1], back[2]);

    printf("changed in the graph\n");
    SHOW(cudaGraphMemcpyNodeSetParams1D(flat, memory, host, 16, cudaMemcpyHostToDevice));
    params.srcPos = make_cudaPos(0, 1, 0);
    params.extent = make_cudaExtent(16, 1, 1);
    SHOW(cudaGraphMemcpyNodeSetParams(box, &params));
    SHOW(cudaGraphMemcpyNodeGetParams(box, &got));
    print(got, memory, second);
    printf("changed in what runs\n");
    SHOW(cudaGraphExecMemcpyNodeSetParams(exec, box, &params));
    launch(exec);
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, box, second, memory, 16, cudaMemcpyDeviceToDevice));
    launch(exec);
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, box, second, memory, 32, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, flat, second, memory, 16, cudaMemcpyDeviceToDevice));  // another direction
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, box, second, host, 16, cudaMemcpyHostToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, box, host, second, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, box, second, memory, 0, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, box, nullptr, memory, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, empty, second, memory, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(nullptr, box, second, memory, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, nullptr, second, memory, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams(exec, box, nullptr));

    printf("of one dimension\n");
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, back, memory, 16, cudaMemcpyDefault));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, back, memory, 32, cudaMemcpyDeviceToHost));
    launch(exec);
    printf("%d %d %d %d %d\n", back[0], back[1], back[2], back[3], back[4]);
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, memory, back, 16, cudaMemcpyDefault));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, memory, second, 16, cudaMemcpyDefault));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, back, memory, 0, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, back, memory, 16, cudaMemcpyHostToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParams1D(exec, flat, memory, back, 8, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms again = {};
    again.srcPtr = make_cudaPitchedPtr(host, 32, 32, 1);
    again.dstPtr = make_cudaPitchedPtr(memory, 32, 32, 1);
    again.extent = make_cudaExtent(8, 1, 1);
    again.kind = cudaMemcpyHostToDevice;
    SHOW(cudaGraphExecMemcpyNodeSetParams(exec, flat, &again));
    again.extent = make_cudaExtent(8, 2, 1);
    SHOW(cudaGraphExecMemcpyNodeSetParams(exec, flat, &again));
    launch(exec);
    printf("%d %d %d\n", back[0], back[1], back[2]);

    printf("wrong\n");
    SHOW(cudaGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, nullptr, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, memory, nullptr, 4, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, memory, host, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, memory, host, 4, (cudaMemcpyKind)9));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, memory, second, 4, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNode1D(&bad, graph, nullptr, 0, memory, host, 512, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNode(&bad, graph, nullptr, 0, nullptr));
    params.extent = make_cudaExtent(0, 1, 1);
    SHOW(cudaGraphAddMemcpyNode(&bad, graph, nullptr, 0, &params));
    params.extent = make_cudaExtent(100, 1, 1);  // more than the pitch
    SHOW(cudaGraphAddMemcpyNode(&bad, graph, nullptr, 0, &params));
    params.extent = make_cudaExtent(4, 1, 1);
    params.srcPtr.ptr = nullptr;
    SHOW(cudaGraphAddMemcpyNode(&bad, graph, nullptr, 0, &params));
    params.srcPtr.ptr = memory;
    SHOW(cudaGraphMemcpyNodeSetParams(box, nullptr));
    SHOW(cudaGraphMemcpyNodeSetParams(empty, &params));
    SHOW(cudaGraphMemcpyNodeGetParams(empty, &got));
    SHOW(cudaGraphMemcpyNodeGetParams(box, nullptr));
    SHOW(cudaGraphMemcpyNodeGetParams(nullptr, &got));
    SHOW(cudaGraphMemcpyNodeSetParams1D(nullptr, memory, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaGraphMemcpyNodeSetParams1D(box, memory, host, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphMemcpyNodeGetParams(box, &got));
    print(got, memory, second);
    size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("%zu nodes\n", nodes);
}

static void symbols()
{
    begin();
    cudaGraphNode_t to_constant, to_variable, kernel, from_variable, bad;
    cudaGraphExec_t exec;
    int host[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8}, back[4] = {};
    MUST(cudaMemcpyToSymbol(variable, other, 16));
    SHOW(cudaGraphAddMemcpyNodeToSymbol(&to_constant, graph, nullptr, 0, constants, host, 16, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNodeToSymbol(&to_variable, graph, &to_constant, 1, variable, host, 8, 4, cudaMemcpyHostToDevice));
    void *arguments[] = {&memory};
    cudaKernelNodeParams params = {};
    params.func = (void *)take;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = arguments;
    SHOW(cudaGraphAddKernelNode(&kernel, graph, &to_variable, 1, &params));
    SHOW(cudaGraphAddMemcpyNodeFromSymbol(&from_variable, graph, &kernel, 1, back, variable, 16, 0, cudaMemcpyDeviceToHost));
    cudaGraphNodeType type;
    MUST(cudaGraphNodeGetType(to_constant, &type));
    cudaMemcpy3DParms got = {};
    SHOW(cudaGraphMemcpyNodeGetParams(to_variable, &got));
    void *address;
    MUST(cudaGetSymbolAddress(&address, variable));
    printf("type %d, ", (int)type);
    print(got, host, (char *)address + 4);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    show("symbols");
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SHOW(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to_constant, constants, other, 8, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from_variable, back, variable, 8, 8, cudaMemcpyDeviceToHost));
    launch(exec);
    show("symbols");
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SHOW(cudaGraphMemcpyNodeSetParamsToSymbol(to_constant, variable, other, 4, 12, cudaMemcpyHostToDevice));
    SHOW(cudaGraphMemcpyNodeSetParamsFromSymbol(from_variable, back, constants, 4, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphMemcpyNodeGetParams(to_constant, &got));
    print(got, other, (char *)address + 12);
    SHOW(cudaGraphAddMemcpyNodeToSymbol(&bad, graph, nullptr, 0, constants, host, 32, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNodeToSymbol(&bad, graph, nullptr, 0, constants, host, 16, 4, cudaMemcpyHostToDevice));
    SHOW(cudaGraphAddMemcpyNodeToSymbol(&bad, graph, nullptr, 0, constants, host, 16, 0, cudaMemcpyDeviceToHost));
    SHOW(cudaGraphAddMemcpyNodeFromSymbol(&bad, graph, nullptr, 0, back, variable, 16, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, from_variable, variable, other, 8, 0, cudaMemcpyHostToDevice));
    SHOW(cudaGraphMemcpyNodeSetParamsToSymbol(empty, variable, other, 4, 12, cudaMemcpyHostToDevice));
}

static void print(const cudaMemsetParams &p)
{
    printf("to %d, pitch %zu, value %x of %u, %zu x %zu\n", p.dst == memory, p.pitch, p.value, p.elementSize, p.width,
           p.height);
}

static void fills()
{
    begin();
    cudaGraphNode_t node, second, bad;
    cudaGraphExec_t exec;
    cudaMemsetParams params = {}, got = {};
    params.dst = memory;
    params.elementSize = 2;
    params.value = 0x5678;
    params.width = 3;
    params.height = 1;
    params.pitch = 77;  // says nothing where there is one row
    SHOW(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params));
    SHOW(cudaGraphMemsetNodeGetParams(node, &got));
    print(got);
    params.dst = memory + 4;
    params.elementSize = 1;
    params.value = 0xab;
    params.width = 2;
    params.height = 3;
    params.pitch = 4;
    SHOW(cudaGraphAddMemsetNode(&second, graph, nullptr, 0, &params));
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    show("filled");
    params.dst = memory;
    params.value = 0xcd;
    params.width = 3;
    SHOW(cudaGraphMemsetNodeSetParams(second, &params));
    SHOW(cudaGraphMemsetNodeGetParams(second, &got));
    print(got);
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, second, &params));  // another width of two dimensions
    params.width = 2;
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, second, &params));  // only another place and value
    launch(exec);
    show("filled");
    params.elementSize = 4;
    params.height = 1;
    params.width = 5;
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, node, &params));  // another width of one dimension
    params.height = 2;
    params.pitch = 16;
    params.width = 3;
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, node, &params));  // from one dimension to two
    launch(exec);
    show("filled");

    printf("wrong\n");
    const cudaMemsetParams good = {memory, 16, 1, 4, 3, 2};
    params = good;
    params.elementSize = 8;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params.elementSize = 0;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.width = 0;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.height = 0;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.pitch = 8;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.dst = nullptr;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.dst = (char *)memory + 1;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.pitch = 18;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.height = 1000;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    params = good;
    params.elementSize = 1;
    params.value = 0x100;
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, &params));
    SHOW(cudaGraphAddMemsetNode(&bad, graph, nullptr, 0, nullptr));
    SHOW(cudaGraphMemsetNodeSetParams(node, nullptr));
    SHOW(cudaGraphMemsetNodeSetParams(empty, &good));
    SHOW(cudaGraphMemsetNodeGetParams(empty, &got));
    SHOW(cudaGraphMemsetNodeGetParams(node, nullptr));
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, empty, &good));
    SHOW(cudaGraphExecMemsetNodeSetParams(nullptr, node, &good));
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, node, nullptr));
}

static void hosts()
{
    begin();
    cudaGraphNode_t node, bad;
    cudaGraphExec_t exec;
    int calls = 0, others = 0;
    cudaHostNodeParams params = {count, &calls}, got = {};
    SHOW(cudaGraphAddHostNode(&node, graph, nullptr, 0, &params));
    SHOW(cudaGraphHostNodeGetParams(node, &got));
    printf("%d %d\n", got.fn == count, got.userData == &calls);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    params.fn = count_ten;
    SHOW(cudaGraphHostNodeSetParams(node, &params));
    SHOW(cudaGraphHostNodeGetParams(node, &got));
    printf("%d\n", got.fn == count_ten);
    launch(exec);
    printf("%d\n", calls);
    params.userData = &others;
    SHOW(cudaGraphExecHostNodeSetParams(exec, node, &params));
    launch(exec);
    printf("%d %d\n", calls, others);
    params.fn = nullptr;
    SHOW(cudaGraphAddHostNode(&bad, graph, nullptr, 0, &params));
    SHOW(cudaGraphHostNodeSetParams(node, &params));
    SHOW(cudaGraphExecHostNodeSetParams(exec, node, &params));
    params.fn = count;
    SHOW(cudaGraphAddHostNode(&bad, graph, nullptr, 0, nullptr));
    SHOW(cudaGraphHostNodeSetParams(empty, &params));
    SHOW(cudaGraphHostNodeSetParams(node, nullptr));
    SHOW(cudaGraphHostNodeGetParams(empty, &got));
    SHOW(cudaGraphHostNodeGetParams(node, nullptr));
    SHOW(cudaGraphExecHostNodeSetParams(exec, empty, &params));
    SHOW(cudaGraphExecHostNodeSetParams(nullptr, node, &params));
}

static void events()
{
    begin();
    cudaGraphNode_t recorded, waits, bad;
    cudaGraphExec_t exec;
    cudaEvent_t first, second, got = nullptr;
    MUST(cudaEventCreate(&first));
    MUST(cudaEventCreate(&second));
    SHOW(cudaGraphAddEventRecordNode(&recorded, graph, nullptr, 0, first));
    SHOW(cudaGraphAddEventWaitNode(&waits, graph, &recorded, 1, first));
    SHOW(cudaGraphEventRecordNodeGetEvent(recorded, &got));
    printf("%d\n", got == first);
    SHOW(cudaGraphEventRecordNodeSetEvent(recorded, second));
    SHOW(cudaGraphEventRecordNodeGetEvent(recorded, &got));
    printf("%d\n", got == second);
    SHOW(cudaGraphEventWaitNodeGetEvent(waits, &got));
    printf("%d\n", got == first);
    SHOW(cudaGraphEventWaitNodeSetEvent(waits, second));
    SHOW(cudaGraphEventWaitNodeGetEvent(waits, &got));
    printf("%d\n", got == second);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    SHOW(cudaEventQuery(second));
    float ms = -1;
    SHOW(cudaEventElapsedTime(&ms, second, first));  // the first was never recorded
    SHOW(cudaGraphExecEventRecordNodeSetEvent(exec, recorded, first));
    SHOW(cudaGraphExecEventWaitNodeSetEvent(exec, waits, first));
    launch(exec);
    SHOW(cudaEventElapsedTime(&ms, second, first));
    printf("later: %d\n", ms >= 0);
    SHOW(cudaGraphAddEventRecordNode(&bad, graph, nullptr, 0, nullptr));
    SHOW(cudaGraphAddEventWaitNode(&bad, graph, nullptr, 0, nullptr));
    SHOW(cudaGraphEventRecordNodeGetEvent(waits, &got));
    SHOW(cudaGraphEventWaitNodeGetEvent(recorded, &got));
    SHOW(cudaGraphEventRecordNodeGetEvent(recorded, nullptr));
    SHOW(cudaGraphEventRecordNodeSetEvent(empty, first));
    SHOW(cudaGraphEventWaitNodeSetEvent(recorded, first));
    SHOW(cudaGraphEventRecordNodeSetEvent(recorded, nullptr));
    SHOW(cudaGraphExecEventRecordNodeSetEvent(exec, waits, first));
    SHOW(cudaGraphExecEventWaitNodeSetEvent(exec, recorded, first));
    SHOW(cudaGraphExecEventRecordNodeSetEvent(exec, recorded, nullptr));
    SHOW(cudaGraphExecEventRecordNodeSetEvent(nullptr, recorded, first));
}

static void children()
{
    begin();
    cudaGraph_t child, other, embedded, longer;
    cudaGraphNode_t inner, nested, bad, more;
    cudaGraphExec_t exec;
    cudaMemsetParams fill = {memory, 0, 1, 4, 2, 1};
    MUST(cudaGraphCreate(&child, 0));
    MUST(cudaGraphAddMemsetNode(&inner, child, nullptr, 0, &fill));
    SHOW(cudaGraphAddChildGraphNode(&nested, graph, nullptr, 0, child));
    fill.value = 2;
    MUST(cudaGraphMemsetNodeSetParams(inner, &fill));  // the node has a copy
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    show("first");
    SHOW(cudaGraphExecChildGraphNodeSetParams(exec, nested, child));
    launch(exec);
    show("second");
    SHOW(cudaGraphChildGraphNodeGetGraph(nested, &embedded));
    cudaGraphNode_t in_embedded;
    size_t count = 1;
    SHOW(cudaGraphGetNodes(embedded, &in_embedded, &count));
    fill.value = 3;
    SHOW(cudaGraphMemsetNodeSetParams(in_embedded, &fill));
    launch(exec);
    show("still second");
    fill.value = 4;
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, in_embedded, &fill));
    launch(exec);
    show("fourth");
    SHOW(cudaGraphExecMemsetNodeSetParams(exec, inner, &fill));  // of another graph
    MUST(cudaGraphClone(&longer, child));
    MUST(cudaGraphAddEmptyNode(&more, longer, nullptr, 0));
    SHOW(cudaGraphExecChildGraphNodeSetParams(exec, nested, longer));
    MUST(cudaGraphCreate(&other, 0));
    MUST(cudaGraphAddEmptyNode(&more, other, nullptr, 0));
    SHOW(cudaGraphExecChildGraphNodeSetParams(exec, nested, other));
    SHOW(cudaGraphExecChildGraphNodeSetParams(exec, empty, child));
    SHOW(cudaGraphExecChildGraphNodeSetParams(exec, nested, nullptr));
    SHOW(cudaGraphExecChildGraphNodeSetParams(nullptr, nested, child));
    SHOW(cudaGraphAddChildGraphNode(&bad, graph, nullptr, 0, nullptr));
    SHOW(cudaGraphChildGraphNodeGetGraph(empty, &embedded));
    SHOW(cudaGraphChildGraphNodeGetGraph(nested, nullptr));
    SHOW(cudaGraphChildGraphNodeGetGraph(nullptr, &embedded));
    SHOW(cudaGraphAddEmptyNode(&bad, embedded, nullptr, 0));
    SHOW(cudaGraphAddEmptyNode(&bad, embedded, &empty, 1));  // a node of the graph around it
    SHOW(cudaGraphDestroy(child));
    cudaGraphExec_t again;
    SHOW(cudaGraphInstantiate(&again, graph, 0));
    launch(again);
    show("third");
}

static void any_kind()
{
    begin();
    cudaGraphNode_t node, second, host_node;
    cudaGraphExec_t exec;
    int by = 6, calls = 0;
    void *arguments[] = {&memory, &by};
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)add;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(8);
    params.kernel.kernelParams = arguments;
    SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    cudaGraphNodeParams fill = {};
    fill.type = cudaGraphNodeTypeMemset;
    fill.memset.dst = memory;
    fill.memset.elementSize = 4;
    fill.memset.width = 8;
    fill.memset.height = 1;
    SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &fill));
    MUST(cudaGraphAddDependencies(graph, &second, &node, nullptr, 1));
    cudaGraphNodeParams host = {};
    host.type = cudaGraphNodeTypeHost;
    host.host.fn = count;
    host.host.userData = &calls;
    SHOW(cudaGraphAddNode(&host_node, graph, &node, nullptr, 1, &host));
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    show("six");
    by = 7;
    SHOW(cudaGraphNodeSetParams(node, &params));
    SHOW(cudaGraphExecNodeSetParams(exec, node, &params));
    fill.memset.value = 1;
    SHOW(cudaGraphExecNodeSetParams(exec, second, &fill));
    launch(exec);
    show("eight");
    printf("%d calls\n", calls);
    SHOW(cudaGraphNodeSetParams(node, &fill));  // of another kind
    SHOW(cudaGraphExecNodeSetParams(exec, node, &fill));
    SHOW(cudaGraphNodeSetParams(node, nullptr));
    SHOW(cudaGraphNodeSetParams(nullptr, &fill));
    SHOW(cudaGraphExecNodeSetParams(exec, node, nullptr));
    SHOW(cudaGraphExecNodeSetParams(nullptr, node, &params));
    SHOW(cudaGraphAddNode(nullptr, graph, nullptr, nullptr, 0, &fill));
    SHOW(cudaGraphAddNode(&second, nullptr, nullptr, nullptr, 0, &fill));
    SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, nullptr));
    fill.type = (cudaGraphNodeType)12;
    SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &fill));
    fill.type = (cudaGraphNodeType)99;
    SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &fill));
    fill.type = cudaGraphNodeTypeMemset;
    fill.reserved0[1] = 1;
    SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &fill));
    fill.reserved0[1] = 0;
    fill.reserved2 = 1;
    SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &fill));
    cudaGraphNodeParams nothing = {};
    nothing.type = cudaGraphNodeTypeEmpty;
    SHOW(cudaGraphAddNode(&second, graph, &node, nullptr, 1, &nothing));
    SHOW(cudaGraphNodeSetParams(second, &nothing));
    cudaGraphNodeParams copy = {};
    copy.type = cudaGraphNodeTypeMemcpy;
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(memory, 16, 16, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(memory + 16, 16, 16, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
    SHOW(cudaGraphAddNode(&second, graph, &node, nullptr, 1, &copy));
    cudaGraphNodeParams nested = {};
    cudaGraph_t child;
    MUST(cudaGraphCreate(&child, 0));
    nested.type = cudaGraphNodeTypeGraph;
    nested.graph.graph = child;
    SHOW(cudaGraphAddNode(&second, graph, &node, nullptr, 1, &nested));
    printf("the node's graph: %d\n", nested.graph.graph != child);
    nested.graph.graph = child;
    nested.graph.ownership = cudaGraphChildGraphOwnershipMove;
    SHOW(cudaGraphAddNode(&second, graph, &node, nullptr, 1, &nested));
    printf("the node's graph: %d\n", nested.graph.graph == child);
    cudaGraph_t embedded = nullptr;
    SHOW(cudaGraphChildGraphNodeGetGraph(second, &embedded));
    printf("the same: %d\n", embedded == child);
}

int main()
{
    SECTION(kernels);
    SECTION(attributes);
    SECTION(copies);
    SECTION(symbols);
    SECTION(fills);
    SECTION(hosts);
    SECTION(events);
    SECTION(children);
    SECTION(any_kind);
}
