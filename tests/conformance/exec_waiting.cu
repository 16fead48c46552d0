// Launches whose threads wait for what the program does after them: the program goes on, streams keep their order.
// An argument: the error of a launch that had waited.
#include "api_print.h"
#include <atomic>
#include <chrono>
#include <thread>

typedef volatile unsigned Flag;

__global__ void wait_for(Flag *flag, int *out, int value) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    while (*flag == 0) {}
    *out = value;
  }
}
__global__ void wait_and_trap(Flag *flag) {
  while (*flag == 0) {}
  __trap();
}
__global__ void wait_by_atomics(unsigned *flag, int *out) {
  while (atomicCAS(flag, 1u, 2u) != 1u) {}
  atomicAdd(out, 100);
}
__global__ void set(unsigned *flag) {
  __threadfence_system();
  *flag = 1;
}
__global__ void add(int *p, int n) { atomicAdd(p, n); }
__global__ void answer(Flag *question, Flag *reply, unsigned count) {
  for (unsigned i = 1; i <= count; ++i) {
    while (*question < i) {}
    *reply = i * i;
    __threadfence_system();
  }
}

__global__ void ask(Flag *question, Flag *reply, int *sum, unsigned count) {
  for (unsigned i = 1; i <= count; ++i) {
    *question = i;
    __threadfence_system();
    while (*reply != i * i) {}
    *sum += *reply;
  }
}

static unsigned *flag;  // in memory that both sides see
static int *number;
static cudaStream_t a, b, free_stream;

static const char *state(cudaStream_t stream) { return cudaGetErrorName(cudaStreamQuery(stream)); }
static void close_flag() {
  *(Flag *)flag = 0;
  *number = 0;
}
static void open_flag() { *(Flag *)flag = 1; }

static void a_latch() {
  close_flag();
  cudaEvent_t event;
  MUST(cudaEventCreate(&event));
  wait_for<<<3, 64, 0, a>>>(flag, number, 5);
  add<<<2, 32, 0, a>>>(number, 1);
  MUST(cudaEventRecord(event, a));
  SHOW(cudaGetLastError());
  SHOW(cudaEventQuery(event));
  printf("the stream: %s\n", state(a));
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  open_flag();
  MUST(cudaEventSynchronize(event));
  printf("opened: %d %s %s\n", *number, state(a), cudaGetErrorName(cudaEventQuery(event)));
  MUST(cudaEventDestroy(event));
}

static void two_streams() {
  close_flag();
  wait_for<<<1, 1, 0, a>>>(flag, number, 7);
  set<<<1, 1, 0, b>>>(flag);
  MUST(cudaStreamSynchronize(a));
  printf("set by another stream: %d\n", *number);
  close_flag();
  wait_by_atomics<<<1, 1, 0, a>>>(flag, number);
  set<<<1, 1, 0, b>>>(flag);
  MUST(cudaDeviceSynchronize());
  printf("and seen by atomics: %d\n", *number);
}

static void events() {
  close_flag();
  cudaEvent_t first, last;
  float ms;
  MUST(cudaEventCreate(&first));
  MUST(cudaEventCreate(&last));
  MUST(cudaEventRecord(first, a));
  wait_for<<<1, 1, 0, a>>>(flag, number, 3);
  MUST(cudaEventRecord(last, a));
  MUST(cudaStreamWaitEvent(b, last, 0));
  add<<<1, 1, 0, b>>>(number, 10);
  printf("behind an event: %s, elapsed: %s\n", state(b), cudaGetErrorName(cudaEventElapsedTime(&ms, first, last)));
  open_flag();
  MUST(cudaStreamSynchronize(b));
  printf("then: %d, elapsed: %s\n", *number, cudaGetErrorName(cudaEventElapsedTime(&ms, first, last)));
  cudaGetLastError();
  MUST(cudaEventDestroy(first));
  MUST(cudaEventDestroy(last));
}

static void default_stream() {
  close_flag();
  int *other = number + 1;
  *other = 0;
  wait_for<<<1, 1, 0, a>>>(flag, number, 1);
  printf("b has nothing to do: %s\n", state(b));
  add<<<1, 1>>>(number, 10);
  add<<<1, 1, 0, b>>>(number, 100);
  add<<<1, 1, 0, free_stream>>>(other, 4);
  MUST(cudaStreamSynchronize(free_stream));
  printf("free: %d; a %s, default %s, b %s\n", *other, state(a), state(0), state(b));
  open_flag();
  MUST(cudaStreamSynchronize(b));
  printf("all in order: %d, default %s\n", *number, state(0));
  cudaGetLastError();
}

static void copies() {
  close_flag();
  int *pinned, *device;
  MUST(cudaMallocHost(&pinned, 8 * sizeof(int)));
  MUST(cudaMalloc(&device, 8 * sizeof(int)));
  for (int i = 0; i < 8; ++i) pinned[i] = i;
  wait_for<<<1, 1, 0, a>>>(flag, number, 1);
  MUST(cudaMemsetAsync(device, 0, 8 * sizeof(int), a));
  MUST(cudaMemcpyAsync(device, pinned, 4 * sizeof(int), cudaMemcpyHostToDevice, a));
  MUST(cudaMemcpyAsync(device + 5, device + 1, 3 * sizeof(int), cudaMemcpyDeviceToDevice, a));
  add<<<1, 1, 0, a>>>(device, 40);
  MUST(cudaMemcpyAsync(pinned, device, 8 * sizeof(int), cudaMemcpyDeviceToHost, a));
  pinned[2] = 22;  // before the copy reads it
  printf("copies wait: %d %s\n", pinned[5], state(a));
  open_flag();
  MUST(cudaStreamSynchronize(a));
  printf("copied:");
  for (int i = 0; i < 8; ++i) printf(" %d", pinned[i]);
  printf("\n");
  cudaGetLastError();
  MUST(cudaFree(device));
  MUST(cudaFreeHost(pinned));
}

static std::atomic<int> go(0);
static void host_function(void *data) {
  while (!go) std::this_thread::yield();
  *(int *)data = 9;
}
static void functions() {
  close_flag();
  go = 0;
  MUST(cudaLaunchHostFunc(a, host_function, number));
  add<<<1, 1, 0, a>>>(number, 1);
  printf("a function waits: %s\n", state(a));
  go = 1;
  MUST(cudaStreamSynchronize(a));
  printf("and has ended: %d\n", *number);
  cudaGetLastError();
}

static void dialogue() {
  Flag *question = flag, *reply = flag + 1;
  *question = *reply = 0;
  answer<<<1, 1, 0, a>>>(question, reply, 6);
  printf("dialogue:");
  for (unsigned i = 1; i <= 6; ++i) {
    *question = i;
    while (*reply != i * i) {}
    printf(" %u", *reply);
  }
  MUST(cudaStreamSynchronize(a));
  printf("\n");
}

static void graphs() {
  close_flag();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  wait_for<<<1, 1, 0, a>>>(flag, number, 2);
  add<<<1, 1, 0, a>>>(number, 20);
  MUST(cudaStreamEndCapture(a, &graph));
  MUST(cudaGraphInstantiate(&exec, graph, 0));
  MUST(cudaGraphUpload(exec, b));
  MUST(cudaStreamSynchronize(b));
  MUST(cudaGraphLaunch(exec, b));
  add<<<1, 1, 0, b>>>(number, 200);
  printf("a graph waits: %s\n", state(b));
  open_flag();
  MUST(cudaStreamSynchronize(b));
  printf("and has ended: %d\n", *number);
  cudaGetLastError();
  MUST(cudaGraphExecDestroy(exec));
  MUST(cudaGraphDestroy(graph));
}

// Branches of one graph that wait for each other, in the order in which they were captured and against it.
static void branches() {
  for (int which = 0; which < 2; ++which) {
    close_flag();
    flag[1] = flag[2] = 0;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t fork, join;
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventCreate(&join));
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(number, 1);
    MUST(cudaEventRecord(fork, a));
    MUST(cudaStreamWaitEvent(b, fork, 0));
    if (which) ask<<<1, 1, 0, b>>>(flag + 1, flag + 2, number + 1, 4);
    answer<<<1, 1, 0, a>>>(flag + 1, flag + 2, 4);
    if (!which) ask<<<1, 1, 0, b>>>(flag + 1, flag + 2, number + 1, 4);
    wait_for<<<1, 1, 0, a>>>(flag, number, 50);
    set<<<1, 1, 0, b>>>(flag);
    MUST(cudaEventRecord(join, b));
    MUST(cudaStreamWaitEvent(a, join, 0));
    add<<<1, 1, 0, a>>>(number, 2);
    MUST(cudaStreamEndCapture(a, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    number[1] = 0;
    MUST(cudaGraphLaunch(exec, a));
    MUST(cudaStreamSynchronize(a));
    printf("branches: %d %d\n", number[0], number[1]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaEventDestroy(fork));
    MUST(cudaEventDestroy(join));
  }
}

// Calls that wait for everything: another thread opens the flag meanwhile.
static void waiting_calls() {
  int *device;
  MUST(cudaMalloc(&device, 64));
  for (int which = 0; which < 3; ++which) {
    close_flag();
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    wait_for<<<1, 1, 0, stream>>>(flag, number, 1);
    add<<<1, 1, 0, stream>>>(number, 1);
    std::thread later([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      open_flag();
    });
    int copied = -1;
    if (which == 0) MUST(cudaFree(device));
    if (which == 1) MUST(cudaStreamDestroy(stream));
    if (which == 1) MUST(cudaDeviceSynchronize());
    if (which == 2) MUST(cudaMemcpy(&copied, number, sizeof copied, cudaMemcpyDefault));
    printf("waited: %d %d\n", *number, copied);
    later.join();
    if (which != 1) MUST(cudaStreamDestroy(stream));
  }
}

static void an_error() {
  close_flag();
  wait_and_trap<<<1, 1, 0, a>>>(flag);
  add<<<1, 1, 0, a>>>(number, 1);
  SHOW(cudaGetLastError());
  open_flag();
  printf("the stream's: %s\n", cudaGetErrorName(cudaStreamSynchronize(a)));
  int *p;
  SHOW(cudaMalloc(&p, 4));
  SHOW(cudaDeviceSynchronize());
  printf("nothing done behind it: %d\n", *number);
}

int main(int argc, char **) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  MUST(cudaMallocHost(&flag, 64));
  MUST(cudaMallocHost(&number, 64));
  MUST(cudaStreamCreate(&a));
  MUST(cudaStreamCreate(&b));
  MUST(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
  // All of them once: a GPU may load code only when it does nothing else.
  open_flag();
  wait_for<<<1, 1>>>(flag, number, 1);
  *(Flag *)(flag + 1) = 1;
  set<<<1, 1>>>(flag + 1);
  MUST(cudaDeviceSynchronize());
  wait_by_atomics<<<1, 1>>>(flag + 1, number);
  add<<<1, 1>>>(number, 0);
  answer<<<1, 1>>>(flag, flag + 1, 1);
  ask<<<1, 1>>>(flag + 2, flag + 1, number, 1);
  cudaFuncAttributes attributes;
  MUST(cudaFuncGetAttributes(&attributes, wait_and_trap));
  MUST(cudaMemcpy(number, number + 1, 4, cudaMemcpyDefault));
  MUST(cudaDeviceSynchronize());
  if (argc > 1) {
    an_error();
    return 0;
  }
  a_latch();
  two_streams();
  events();
  default_stream();
  copies();
  functions();
  dialogue();
  graphs();
  branches();
  waiting_calls();
  return 0;
}
