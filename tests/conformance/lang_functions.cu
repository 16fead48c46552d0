// Functions, classes, templates, lambdas, and how kernels are launched.
// flags: -std=c++17 -extended-lambda
#include "show.h"

namespace outer {
inline namespace v2 {
template <class T, int N = 3> struct Poly {
  T c[N];
  __host__ __device__ constexpr T operator()(T x) const {
    T sum = 0;
    for (int i = N - 1; i >= 0; --i) sum = sum * x + c[i];
    return sum;
  }
};
}  // namespace v2
namespace {
__global__ void hidden(int *out) { out[0] = 41; }
}  // namespace
template <class T> __global__ void evaluate(T *out, Poly<T> p) { out[threadIdx.x] = p(T(threadIdx.x)); }
}  // namespace outer

__constant__ int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__device__ int tally[4];
__managed__ int managed = 5;
__device__ constexpr int cube(int x) { return x * x * x; }
constexpr __host__ __device__ int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

struct Shape {
  int scale;
  __device__ explicit Shape(int s) : scale(s) {}
  __device__ virtual ~Shape() {}
  __device__ virtual int area(int x) const = 0;
};
struct Square : Shape {
  __device__ explicit Square(int s) : Shape(s) {}
  __device__ int area(int x) const override { return scale * x * x; }
};
struct Slice : Shape {
  __device__ explicit Slice(int s) : Shape(s) {}
  __device__ int area(int x) const override { return scale + x; }
};

__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
typedef int (*Binary)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ Binary table[2] = {add, mul};

template <class... T> __device__ auto sum(T... v) { return (0 + ... + v); }
template <class T> __device__ T biggest(T a) { return a; }
template <class T, class... R> __device__ T biggest(T a, R... r) { const T b = biggest(r...); return a > b ? a : b; }
template <int N> struct Factorial { static constexpr int value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr int value = 1; };

__device__ int from_default(int x = threadIdx.x * 2 + blockIdx.x) { return x; }
struct Initialised {
  int a = threadIdx.x;
  int b{(int)blockDim.x};
  int c;
  __device__ Initialised(int add = blockIdx.x) : c(threadIdx.x + add) {}
};

__global__ void language(int *out) {
  int n = 0;
  out[n++] = cube(3) + gcd(84, 36);
  out[n++] = ackermann(2, 3);
  out[n++] = table[0](6, 7) * 100 + table[1](6, 7);
  out[n++] = sum(1, 2, 3, 4) * 10 + biggest(3, 9, 4);
  out[n++] = Factorial<6>::value;
  Shape *shapes[2] = {new Square(3), new Slice(100)};
  out[n++] = shapes[0]->area(4) + shapes[1]->area(5);
  delete shapes[0];
  delete shapes[1];
  out[n++] = squares[5] + managed;
  auto twice = [](int x) { return 2 * x; };
  auto captured = [=, &n](auto x) { return x + n; };
  out[n] = twice(20) + captured(1);
  ++n;
  if constexpr (sizeof(void *) == 8) out[n++] = 64;
  struct Two {
    int quotient, rest;
  };
  auto [q, r] = Two{17 / 5, 17 % 5};
  out[n++] = q * 10 + r;
  struct Local {
    int x;
    __device__ int plus(int y) const { return x + y; }
  };
  out[n++] = Local{3}.plus(4);
  enum class Colour { red = 7, green };
  switch (Colour(8)) {
    case Colour::red: out[n++] = 1; break;
    case Colour::green: out[n++] = 2; break;
  }
  const char *text = "device";
  out[n++] = text[2];
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int total = 0;
  for (auto &row : grid)
    for (int v : row) total += v;
  out[n++] = total;
  goto end;
  out[0] = -1;
end:
  out[n++] = __func__[0];
}

__global__ void defaults(int *out) {
  const Initialised i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = from_default() + 100 * (i.a + i.b) + 10000 * i.c;
}
__global__ void overloaded(int *out, int) { out[0] = 1; }
__global__ void overloaded(int *out, float) { out[0] = 2; }
__global__ void count(int *out) { atomicAdd(out, 1); }
template <class F> __global__ void apply(int *out, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(i);
}
template <class T, int N> __global__ void __launch_bounds__(N) bounded(T *out) { out[threadIdx.x] = T(N); }
struct Holder {
  static __device__ int helper(int x) { return x + 1000; }
  template <class T> static void launch(T *out) { outer::evaluate<T><<<1, 4>>>(out, outer::Poly<T>{{1, 2, 3}}); }
};
__global__ void statics(int *out) { out[0] = Holder::helper(1); }
__global__ void globals() { tally[threadIdx.x] += 10 * threadIdx.x; managed += 1; }

int main() {
  int *out = array<int>(64);
  language<<<1, 1>>>(out);
  show("language", out, 15);
  defaults<<<2, 3>>>(out);
  show("defaults", out, 6);
  Holder::launch(out);
  show("members", out, 4);
  outer::hidden<<<1, 1>>>(out);
  show("unnamed namespace", out, 1);
  overloaded<<<1, 1>>>(out, 1);
  show("overload int", out, 1);
  static_cast<void (*)(int *, float)>(overloaded)<<<1, 1>>>(out, 1);
  show("overload float", out, 1);
  *out = 0;
  count<<<{2}, {64}>>>(out);
  show("braces", out, 1);
  count<<<dim3(2), {8, 8}>>>(out);
  show("braces for a block", out, 1);
  void (*pointer)(int *) = count;
  pointer<<<dim3(2, 3, 4), dim3(4, 2, 2), 0, 0>>>(out);
  show("pointer", out, 1);
  const int base = 7;
  apply<<<2, 4>>>(out, 6, [=] __device__(int i) { return base * i + (int)blockIdx.x; });
  show("extended lambda", out, 6);
  auto both = [=] __host__ __device__(int i) { return base + i; };
  apply<<<1, 4>>>(out, 4, both);
  show("host device lambda", out, 4);
  printf("on the host: %d\n", both(1));
  bounded<short, 32><<<1, 2>>>((short *)out);
  show("launch bounds", (short *)out, 2);
  statics<<<1, 1>>>(out);
  show("static member", out, 1);
  globals<<<1, 4>>>();
  cudaDeviceSynchronize();
  int back[4];
  cudaMemcpyFromSymbol(back, tally, sizeof back);
  show("device variable", back, 4);
  printf("managed: %d\n", managed > 5);
  cudaFuncAttributes attributes;
  printf("attributes: %d\n", (int)cudaFuncGetAttributes(&attributes, bounded<int, 64>));
  printf("max threads: %d\n", attributes.maxThreadsPerBlock);
  bounded<int, 64><<<1, 128>>>(out);
  printf("too many: %s\n", cudaGetErrorName(cudaGetLastError()));
}
