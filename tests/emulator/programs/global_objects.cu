// CUDA resources of global objects: all of the runtime is there before their constructors and behind their destructors, on
// the program's first thread and, for what a thread keeps, behind the thread's own.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <cuda.h>

#define CHECK(call)                                                             \
  do {                                                                          \
    const cudaError_t error_ = (call);                                          \
    if (error_ != cudaSuccess) printf("line %d: %s\n", __LINE__, cudaGetErrorName(error_)), _Exit(1); \
  } while (0)

__global__ void add(int *to, int by) {
  __shared__ int sum, unit;
  if (threadIdx.x == 0) sum = 0, unit = by;
  __syncthreads();
  atomicAdd(&sum, unit);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(to, sum);
}
__device__ int counted;
__managed__ int shared_by_all;

static int launch(int *on, cudaStream_t stream, int by) {
  int is;
  add<<<2, 64, 0, stream>>>(on, by);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(&is, on, sizeof is, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  return is;
}

struct Pool {
  const char *name;
  int *count = nullptr, *managed = nullptr;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaArray_t array;
  cudaGraphExec_t graph;
  void *function;

  explicit Pool(const char *called) : name(called) {
    CHECK(cudaMalloc(&count, 64));
    CHECK(cudaMallocManaged(&managed, 64));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, 8, 8));
    CHECK(cudaMemset(count, 0, 64));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    add<<<1, 32, 0, stream>>>(count, 1);
    cudaGraph_t captured;
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&graph, captured, 0));
    CHECK(cudaGraphDestroy(captured));
    CHECK(cudaGraphLaunch(graph, stream));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaGetSymbolAddress(&function, counted));
    *managed = 0;
    if (launch(count, stream, 1) != 32 + 128) printf("%s begins with another number\n", name), _Exit(1);
  }
  ~Pool() {
    CHECK(cudaGraphLaunch(graph, stream));
    const int is = launch(count, stream, 2);
    CUcontext context;
    if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context) printf("no context\n"), _Exit(1);
    CHECK(cudaGraphExecDestroy(graph));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(managed));
    CHECK(cudaFree(count));
    printf("%s ends with %d\n", name, is);
    fflush(stdout);
  }
};

struct OfThread {
  int *memory = nullptr;
  void use() {
    CHECK(cudaMalloc(&memory, 64));
    CHECK(cudaMemset(memory, 0, 64));
  }
  ~OfThread() {
    if (memory) launch(memory, cudaStreamPerThread, 1);
    if (memory) CHECK(cudaFree(memory));
  }
};

static Pool first __attribute__((init_priority(101)))("first");
static Pool plain("plain");
static thread_local OfThread own;

int main() {
  own.use();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([] {
      own.use();
      launch(own.memory, cudaStreamPerThread, 1);
    });
  for (std::thread &thread : threads) thread.join();
  static Pool late("late");
  shared_by_all = launch(late.count, late.stream, 1);
  printf("main has %d\n", shared_by_all);
  return 0;
}
