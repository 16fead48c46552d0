// Objects, pointers to functions, control flow, layouts.
// flags: -std=c++17
#include <cstdint>
#include <cstdio>
#include <new>

// Device function pointers in __constant__/__managed__/__device__ tables, virtual functions on the device, placement new,
// recursion with struct returns.
namespace objects {
typedef float (*Fn)(float);
__device__ float sq(float x) { return x * x; }
__device__ float neg(float x) { return -x; }
__device__ Fn table[2] = {sq, neg};
__constant__ Fn ctable[2] = {neg, sq};
__managed__ Fn mtable[2];
__device__ Fn pick(int i) {
  switch (i) {
    case 0: return sq;
    default: return neg;
  }
}
__global__ void fill() {
  mtable[0] = table[1];
  mtable[1] = ctable[1];
}
__global__ void calls(float *o, Fn f) {
  o[0] = table[threadIdx.x](3);
  o[1] = ctable[0](4);
  o[2] = mtable[1](5);
  o[3] = pick(1)(6);
  o[4] = (*f)(7);
}
struct Shape {
  int id;
  __device__ Shape(int i) : id(i) {}
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Box : Shape {
  float a, b;
  __device__ Box(float x, float y) : Shape(1), a(x), b(y) {}
  __device__ float area() const override { return a * b; }
};
struct Disc : Shape {
  float r;
  __device__ Disc(float x) : Shape(2), r(x) {}
  __device__ float area() const override { return 3 * r * r; }
};
__global__ void build(Shape **s) {
  s[0] = new Box(2, 3);
  s[1] = new Disc(2);
  __shared__ Shape *t;
  if (threadIdx.x == 0) t = nullptr;
  (void)t;
}
__global__ void use(Shape **s, float *o) {
  int i = threadIdx.x;
  o[i] = s[i]->area() * s[i]->id;
}
__global__ void drop(Shape **s) {
  delete s[0];
  delete s[1];
}
struct Pair {
  int lo, hi;
};
__device__ Pair minmax(const int *a, int n) {
  if (n == 1) return {a[0], a[0]};
  Pair l = minmax(a, n / 2), r = minmax(a + n / 2, n - n / 2);
  return {l.lo < r.lo ? l.lo : r.lo, l.hi > r.hi ? l.hi : r.hi};
}
__device__ int odd(int n);
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__global__ void rec(int *o, int n) {
  Pair p = minmax(o, n);
  __syncthreads();
  if (threadIdx.x == 0) {
    o[0] = p.lo;
    o[1] = p.hi;
    o[2] = even(9);
  }
}
struct Buf {
  alignas(16) char raw[64];
};
__device__ int ended;
struct Acc {
  double v[3];
  __device__ Acc(double a) {
    v[0] = a;
    v[1] = a * 2;
    v[2] = a * 3;
  }
  __device__ ~Acc() { atomicAdd(&ended, int(v[1])); }
};
__global__ void place(double *o) {
  __shared__ Buf b[4];
  Acc *a = new (b[threadIdx.x].raw) Acc(threadIdx.x + .5);
  __syncthreads();
  o[threadIdx.x] = ((Acc *)b[(threadIdx.x + 1) % 4].raw)->v[2];
  __syncthreads();
  a->~Acc();
  __syncthreads();
  o[4 + threadIdx.x] = ended;
}
struct Node {
  int v;
  Node *next;
};
__global__ void list(int *o) {
  Node *head = nullptr;
  for (int i = 0; i < 5; ++i) head = new Node{i * i, head};
  int s = 0;
  while (head) {
    s = s * 3 + head->v;
    Node *n = head->next;
    delete head;
    head = n;
  }
  o[threadIdx.x] = s;
  int *arr = new int[10]();
  arr[3] = 4;
  o[1] = arr[3] + arr[4];
  delete[] arr;
}
struct M {
  int a, b;
  __device__ int get(int k) const { return a * k + b; }
  __device__ int put(int k) { return a - k; }
};
__global__ void pm(int *o) {
  M m{3, 4};
  int M::*p = &M::b;
  int (M::*f)(int) const = &M::get;
  o[0] = m.*p;
  o[1] = (m.*f)(5);
  M *q = &m;
  o[2] = (q->*(&M::put))(1);
}
void run() {
  float *f;
  int *i;
  double *d;
  Shape **s;
  cudaMallocManaged(&f, 64);
  cudaMallocManaged(&i, 64);
  cudaMallocManaged(&d, 64);
  cudaMalloc(&s, 16);
  Fn h;
  cudaMemcpyFromSymbol(&h, table, sizeof(Fn), sizeof(Fn));
  fill<<<1, 1>>>();
  calls<<<1, 1>>>(f, h);
  cudaDeviceSynchronize();
  for (int k = 0; k < 5; ++k) printf("%g ", f[k]);
  puts("");
  build<<<1, 1>>>(s);
  use<<<1, 2>>>(s, f);
  drop<<<1, 1>>>(s);
  cudaDeviceSynchronize();
  printf("%g %g\n", f[0], f[1]);
  for (int k = 0; k < 9; ++k) i[k] = (k * 37) % 11 - 3;
  rec<<<1, 8>>>(i, 9);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", i[0], i[1], i[2]);
  place<<<1, 4>>>(d);
  cudaDeviceSynchronize();
  for (int k = 0; k < 8; ++k) printf("%g ", d[k]);
  puts("");
  list<<<1, 1>>>(i);
  cudaDeviceSynchronize();
  printf("%d %d\n", i[0], i[1]);
  pm<<<1, 1>>>(i);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", i[0], i[1], i[2]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace objects

// Templated extern __shared__, launch bounds with template args, switch fallthrough with goto, bit-fields, unions, local
// structs, static local, static members.
namespace layouts {
template <class T>
struct Shared {
  __device__ operator T *() {
    extern __shared__ int raw[];
    return (T *)raw;
  }
};
template <>
struct Shared<double> {
  __device__ operator double *() {
    extern __shared__ double raw_d[];
    return raw_d;
  }
};
template <class T, int B, int M>
__global__ void __launch_bounds__(B, M) rev(T *p) {
  T *s = Shared<T>();
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[B - 1 - threadIdx.x];
}
template <typename T>
__global__ void generic(T *p) {
  extern __shared__ __align__(sizeof(double)) unsigned char mem[];
  T *s = reinterpret_cast<T *>(mem);
  s[threadIdx.x] = p[threadIdx.x] * 2;
  __syncthreads();
  p[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
__global__ void duff(int *o, int n) {
  int i = 0, s = 0, left = (n + 3) / 4;
  switch (n % 4) {
    case 0:
      do {
        s += i++;
        [[fallthrough]];
        case 3: s += i++ * 2;
        case 2: s += i++ * 3;
        case 1: s += i++ * 4;
      } while (--left > 0);
  }
  switch (threadIdx.x) {
    case 0: s += 1000; goto end;
    case 1: {
      int z = s;
      s = z * 2;
    }
    case 2: s += 7; break;
    default: goto again;
  }
  goto end;
again:
  if (s < 100000) {
    s = s * 3 + 1;
    goto again;
  }
end:
  o[threadIdx.x] = s;
}
struct Bits {
  unsigned a : 3, b : 5;
  int c : 7;
  unsigned : 0;
  unsigned d : 9;
};
union U {
  float f;
  uint32_t u;
  struct {
    unsigned short lo, hi;
  };
  unsigned char b[4];
};
__global__ void bits(int *o, Bits in) {
  Bits x = in;
  x.a += 6;
  x.b = x.b * 3;
  x.c -= 100;
  x.d = ~0u;
  U u;
  u.f = 1.5f;
  o[0] = x.a;
  o[1] = x.b;
  o[2] = x.c;
  o[3] = x.d;
  o[4] = u.hi;
  o[5] = u.b[3];
  u.lo = 0xffff;
  o[6] = u.u;
  o[7] = sizeof(Bits);
}
struct Cfg {
  static constexpr int width = 8;
  static const int height = 4;
  enum { area = width * height };
  template <int K>
  struct Deep {
    static __device__ int value() { return K * area; }
  };
};
__device__ int counter;
__global__ void statics(int *o) {
  __shared__ struct {
    int v;
    float w;
  } loc;
  struct P {
    int x;
    __device__ int dbl() { return 2 * x; }
  };
  if (threadIdx.x == 0) {
    loc.v = 5;
    loc.w = 2.5f;
  }
  __syncthreads();
  o[threadIdx.x] = P{int(threadIdx.x)}.dbl() + Cfg::Deep<2>::value() + loc.v + int(loc.w * 2);
  static __device__ int once = 3;
  if (threadIdx.x == 0) { counter += once++; }
  o[4] = Cfg::width;
}
template <int R, int Cc>
__global__ void tile2(float *o) {
  __shared__ float t[R][Cc + 1], u[Cc];
  t[threadIdx.y][threadIdx.x] = threadIdx.y * 10 + threadIdx.x;
  if (!threadIdx.y) u[threadIdx.x] = 100;
  __syncthreads();
  o[threadIdx.x * R + threadIdx.y] = t[threadIdx.y][threadIdx.x] + u[(threadIdx.x + 1) % Cc];
}
__global__ void ternary(int *o) {
  int i = threadIdx.x;
  const int *p = i & 1 ? o : o + 8;
  int v = p[i];
  __syncthreads();
  o[i] = v + (i > 2 ? i < 4 ? 10 : 20 : 30), o[i] += 1;
  int *q = &o[i];
  *q++ |= 1 << i, --*(q - 1);
}
void run() {
  int *i;
  float *f;
  double *d;
  cudaMallocManaged(&i, 256);
  cudaMallocManaged(&f, 256);
  cudaMallocManaged(&d, 256);
  for (int k = 0; k < 32; ++k) i[k] = k, f[k] = k + .5f, d[k] = k * 2.25;
  rev<int, 8, 2><<<1, 8, 32>>>(i);
  rev<double, 4, 1><<<1, 4, 32>>>(d);
  generic<<<1, 4, 16>>>(f);
  cudaDeviceSynchronize();
  printf("%d %d %g %g %g %g\n", i[0], i[7], d[0], d[3], f[0], f[3]);
  for (int n = 1; n < 9; ++n) {
    duff<<<1, 7>>>(i, n);
    cudaDeviceSynchronize();
    for (int k = 0; k < 7; ++k) printf("%d ", i[k]);
  }
  puts("");
  Bits b;
  b.a = 3;
  b.b = 11;
  b.c = 5;
  b.d = 1;
  bits<<<1, 1>>>(i, b);
  cudaDeviceSynchronize();
  for (int k = 0; k < 8; ++k) printf("%d ", i[k]);
  puts("");
  statics<<<1, 4>>>(i);
  statics<<<1, 4>>>(i);
  int c;
  cudaMemcpyFromSymbol(&c, counter, 4);
  printf("%d %d %d %d\n", i[0], i[3], i[4], c);
  tile2<2, 3><<<1, dim3(3, 2)>>>(f);
  cudaDeviceSynchronize();
  for (int k = 0; k < 6; ++k) printf("%g ", f[k]);
  puts("");
  for (int k = 0; k < 32; ++k) i[k] = k;
  ternary<<<1, 6>>>(i);
  cudaDeviceSynchronize();
  for (int k = 0; k < 6; ++k) printf("%d ", i[k]);
  puts("");
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace layouts

int main() {
  objects::run();
  layouts::run();
}
