// Streams, events and callbacks; capturing, and what must not be done meanwhile.
#include "api_print.h"

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }

static int called;
static void callback(cudaStream_t, cudaError_t status, void *data) { called = called * 10 + *(int *)data + (int)status; }
static void host_function(void *data) { called = called * 10 + *(int *)data; }

static void streams(int *p)
{
    int least = 9, greatest = 9, priority = 9;
    unsigned flags = 9;
    cudaStream_t plain, fast, never = nullptr;
    SHOW(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("range %d %d\n", least, greatest);
    SHOW(cudaStreamCreateWithFlags(&plain, cudaStreamNonBlocking));
    SHOW(cudaStreamGetFlags(plain, &flags));
    printf("flags %u\n", flags);
    SHOW(cudaStreamCreateWithPriority(&fast, cudaStreamDefault, -1000));
    SHOW(cudaStreamGetPriority(fast, &priority));
    printf("priority %d\n", priority);
    SHOW(cudaStreamCreateWithFlags(&never, 7));
    SHOW(cudaStreamGetPriority(0, &priority));
    printf("priority %d\n", priority);
    add<<<1, 4, 0, plain>>>(p, 1);
    int one = 1, two = 2;
    SHOW(cudaStreamAddCallback(plain, callback, &one, 0));
    SHOW(cudaLaunchHostFunc(plain, host_function, &two));
    SHOW(cudaStreamSynchronize(plain));
    printf("called %d\n", called);
    SHOW(cudaStreamQuery(plain));
    SHOW(cudaStreamAddCallback(plain, callback, &one, 1));
    SHOW(cudaStreamSynchronize(cudaStreamPerThread));
    SHOW(cudaStreamSynchronize(cudaStreamLegacy));
    SHOW(cudaStreamDestroy(fast));
    SHOW(cudaStreamDestroy(plain));
    SHOW(cudaStreamDestroy(0));
}

static void events()
{
    cudaEvent_t a, b, untimed, none;
    float ms = -1;
    SHOW(cudaEventCreate(&a));
    SHOW(cudaEventCreate(&b));
    SHOW(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    SHOW(cudaEventCreateWithFlags(&none, 1 << 8));
    SHOW(cudaEventCreateWithFlags(&none, cudaEventInterprocess));
    SHOW(cudaEventQuery(a));
    SHOW(cudaEventSynchronize(a));
    SHOW(cudaEventElapsedTime(&ms, a, b));
    SHOW(cudaEventRecord(a));
    SHOW(cudaEventRecord(b));
    SHOW(cudaEventSynchronize(b));
    SHOW(cudaEventElapsedTime(&ms, a, b));
    printf("time is not negative: %d\n", ms >= 0);
    SHOW(cudaEventRecord(untimed));
    SHOW(cudaEventElapsedTime(&ms, a, untimed));
    SHOW(cudaStreamWaitEvent(0, a, 0));
    SHOW(cudaEventDestroy(a));
    SHOW(cudaEventDestroy(b));
    SHOW(cudaEventDestroy(untimed));
}

static void captures(int *p)
{
    cudaStream_t s, t;
    cudaGraph_t graph = nullptr;
    cudaEvent_t fork, join;
    cudaStreamCaptureStatus status;
    void *memory = nullptr;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventCreate(&join));
    SHOW(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, s>>>(p, 1);
    SHOW(cudaGetLastError());
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("a graph: %d\n", graph != nullptr);
    SHOW(cudaGraphDestroy(graph));

    printf("waiting\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaStreamIsCapturing(s, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaMemsetAsync(p, 0, 4, s));
    SHOW(cudaStreamEndCapture(s, &graph));
    printf("a graph: %d\n", graph != nullptr);

    printf("allocating\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaMalloc(&memory, 16));
    SHOW(cudaStreamEndCapture(s, &graph));

    printf("allocating, relaxed\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SHOW(cudaMalloc(&memory, 16));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaGraphDestroy(graph));
    SHOW(cudaFree(memory));

    printf("not joined\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaEventRecord(fork, s));
    SHOW(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 4, 0, t>>>(p, 1);
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);
    SHOW(cudaStreamEndCapture(t, &graph));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaStreamIsCapturing(t, &status));
    printf("status %d\n", (int)status);

    printf("joined\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(fork, s));
    MUST(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 4, 0, t>>>(p, 1);
    MUST(cudaEventRecord(join, t));
    MUST(cudaStreamWaitEvent(s, join, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaGraphDestroy(graph));

    printf("asked for an event\n");
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(fork, s));
    SHOW(cudaEventQuery(fork));
    SHOW(cudaStreamWaitEvent(t, fork, 0));
    SHOW(cudaStreamEndCapture(s, &graph));

    printf("event from outside\n");
    MUST(cudaEventRecord(fork, t));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamWaitEvent(s, fork, 0));
    SHOW(cudaStreamEndCapture(s, &graph));
    SHOW(cudaDeviceSynchronize());
    MUST(cudaStreamDestroy(s));
    MUST(cudaStreamDestroy(t));
}

int main()
{
    int *p, values[4];
    MUST(cudaMalloc(&p, 64));
    MUST(cudaMemset(p, 0, 64));
    streams(p);
    events();
    captures(p);
    MUST(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
}
