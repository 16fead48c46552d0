// Graphs whose memory is used again: addresses within a graph, physical memory from launch to launch, what is held by
// graphs that free nothing; and calls of streams meanwhile.
#include "api_print.h"
#include "apart.h"

__global__ void put(int *p, int value) { *p = value; }
__global__ void add(int *p, const int *q) { *p += *q; }
static const size_t BYTES = 64 << 20;

static unsigned long long used()
{
    unsigned long long bytes = 99;
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
    return bytes >> 20;
}
static cudaMemAllocNodeParams wanted(size_t bytes)
{
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    return params;
}
static void *allocate(cudaGraph_t graph, cudaGraphNode_t *node, const cudaGraphNode_t *after, size_t bytes = BYTES)
{
    cudaMemAllocNodeParams params = wanted(bytes);
    MUST(cudaGraphAddMemAllocNode(node, graph, after, after ? 1 : 0, &params));
    return params.dptr;
}

static void one_after_another()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, freed, free_b, beside;
    MUST(cudaGraphCreate(&graph, 0));
    void *const first = allocate(graph, &a, nullptr);
    MUST(cudaGraphAddMemFreeNode(&freed, graph, &a, 1, first));
    void *const second = allocate(graph, &b, &freed);
    SHOW(cudaGraphAddMemFreeNode(&free_b, graph, &b, 1, second));
    void *const third = allocate(graph, &beside, nullptr);
    SHOW(cudaGraphAddMemFreeNode(&free_b, graph, &beside, 1, third));
    printf("the same address %d, another one beside them %d\n", first == second, third != first);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGraphLaunch(exec, 0));
    SHOW(cudaDeviceSynchronize());
    printf("%llu MiB\n", used());
    SHOW(cudaGraphExecDestroy(exec));
    SHOW(cudaGraphDestroy(graph));
    SHOW(cudaDeviceGraphMemTrim(0));
    printf("%llu MiB\n", used());
}

static void captured()
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *p, *q, *r, back[2] = {};
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMallocAsync(&p, 4096, s));
    put<<<1, 1, 0, s>>>(p, 5);
    MUST(cudaMemcpyAsync(&back[0], p, 4, cudaMemcpyDeviceToHost, s));
    MUST(cudaFreeAsync(p, s));
    MUST(cudaMallocAsync(&q, 4096, s));
    MUST(cudaMallocAsync(&r, 4096, s));
    put<<<1, 1, 0, s>>>(q, 7);
    put<<<1, 1, 0, s>>>(r, 30);
    add<<<1, 1, 0, s>>>(q, r);
    MUST(cudaMemcpyAsync(&back[1], q, 4, cudaMemcpyDeviceToHost, s));
    SHOW(cudaFreeAsync(q, s));
    SHOW(cudaFreeAsync(r, s));
    SHOW(cudaFreeAsync(q, s));
    MUST(cudaStreamEndCapture(s, &graph));
    printf("the same address %d\n", p == q);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) {
        back[0] = back[1] = 0;
        MUST(cudaGraphLaunch(exec, s));
        MUST(cudaStreamSynchronize(s));
        printf("%d %d\n", back[0], back[1]);
    }
}

static void many(bool freeing)
{
    cudaGraph_t graph[4];
    cudaGraphExec_t exec[4];
    void *memory[4];
    for (int i = 0; i < 4; ++i) {
        cudaGraphNode_t a, freed;
        MUST(cudaGraphCreate(&graph[i], 0));
        memory[i] = allocate(graph[i], &a, nullptr);
        if (freeing) MUST(cudaGraphAddMemFreeNode(&freed, graph[i], &a, 1, memory[i]));
        MUST(cudaGraphInstantiate(&exec[i], graph[i], 0));
    }
    printf("%llu MiB\n", used());
    for (int i = 0; i < 4; ++i) {
        MUST(cudaGraphLaunch(exec[i], 0));
        MUST(cudaDeviceSynchronize());
        printf("%llu MiB\n", used());
    }
    SHOW(cudaDeviceGraphMemTrim(0));
    printf("trimmed: %llu MiB\n", used());
    if (freeing) return;
    for (int i = 0; i < 2; ++i) SHOW(cudaFree(memory[i]));
    printf("two freed: %llu MiB\n", used());
    SHOW(cudaDeviceGraphMemTrim(0));
    printf("trimmed: %llu MiB\n", used());
    SHOW(cudaGraphLaunch(exec[0], 0));
    MUST(cudaDeviceSynchronize());
    printf("again: %llu MiB\n", used());
}
static void freed() { many(true); }
static void held() { many(false); }

static void elsewhere()
{
    // What is given to a pool while another stream captures.
    cudaStream_t s, t;
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    int *p;
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaMallocAsync(&p, 4096, t));
    MUST(cudaStreamSynchronize(t));
    for (int mode = 0; mode < 3; ++mode) {
        MUST(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
        SHOW(cudaFreeAsync(p, t));
        MUST(cudaStreamIsCapturing(s, &status));
        printf("status %d\n", (int)status);
        SHOW(cudaStreamEndCapture(s, &graph));
        MUST(cudaMallocAsync(&p, 4096, t));
        MUST(cudaStreamSynchronize(t));
    }
}

int main()
{
    SECTION(one_after_another);
    SECTION(captured);
    SECTION(freed);
    SECTION(held);
    SECTION(elsewhere);
}
