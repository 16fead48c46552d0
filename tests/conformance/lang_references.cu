// Objects with constructors as parameters, and parameters named like built-in variables. Kernels whose parameters are references: to objects that both sides see, to arrays, in packs; launched by
// address, too.
// flags: -std=c++17
#include "show.h"

struct Sums {
  int count;
  float parts[4];
};

__global__ void add(Sums &s, const int &more) {
  atomicAdd(&s.count, more);
  s.parts[threadIdx.x] = (float)(threadIdx.x + more);
}
template <class T> __global__ void twice(T &value) { value = value + value; }
__global__ void rotate(int (&of)[4]) {
  const int next = of[(threadIdx.x + 1) % 4];
  __syncthreads();
  of[threadIdx.x] = next;
}
template <class... T> __global__ void raise(int by, T &...values) { ((values += (T)by), ...); }
// What one block has stored in what a parameter refers to, it finds there behind a barrier.
__global__ void until(int &left, int *turns) {
  while (left > 0) {
    __syncthreads();
    if (threadIdx.x == 0) --left;
    turns[threadIdx.x] += 1;
    __syncthreads();
  }
}
__global__ void guarded(const int &count, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = i;
}

// A copy is made by the host; threads get its bytes.
struct Counted {
  int value;
  int *copies;  // of the host's
  explicit Counted(int *c) : value(7), copies(c) {}
  Counted(const Counted &other) : value(other.value), copies(other.copies) { ++*copies; }
  ~Counted() { ++*copies; }
};
__device__ int scaled(int x, int gridDim) { return x * gridDim; }
__global__ void objects(Counted c, int *out) {
  c.value += threadIdx.x;
  out[threadIdx.x] = scaled(c.value, 2);
}
__global__ void objects_and_barriers(Counted c, int *out) {
  __shared__ int values[4];
  values[threadIdx.x] = c.value * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] += values[3 - threadIdx.x];
}

int main() {
  Sums *s = array<Sums>(1);
  int *n = array<int>(8), *out = array<int>(64);
  *n = 5;
  add<<<1, 4>>>(*s, *n);
  finish("add");
  printf("add: %d %g %g %g %g\n", s->count, s->parts[0], s->parts[1], s->parts[2], s->parts[3]);
  twice<<<1, 1>>>(*n);
  twice<<<1, 1>>>(s->parts[3]);
  finish("twice");
  printf("twice: %d %g\n", *n, s->parts[3]);
  for (int i = 0; i < 4; ++i) n[i] = 10 * i;
  rotate<<<1, 4>>>(*reinterpret_cast<int(*)[4]>(n));
  show("rotate", n, 4);
  raise<<<1, 1>>>(3, n[0], s->parts[0], s->count);
  finish("raise");
  printf("raise: %d %g %d\n", n[0], s->parts[0], s->count);
  n[5] = 3;
  until<<<1, 4>>>(n[5], out);
  show("until", out, 4);
  n[6] = 6;
  guarded<<<2, 4>>>(n[6], out);
  show("guarded", out, 8);
  int *more = &n[7];
  *more = 100;
  void *arguments[] = {&s, &more};
  cudaLaunchKernel((void *)add, dim3(1), dim3(4), arguments, 0, nullptr);
  finish("by address");
  printf("by address: %d\n", s->count);
  int copies = 0;
  objects<<<1, 4>>>(Counted(&copies), out);
  show("objects", out, 4);
  objects_and_barriers<<<1, 4>>>(Counted(&copies), out);
  show("objects and barriers", out, 4);
}
