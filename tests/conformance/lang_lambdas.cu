// Extended lambdas; variables of all kinds; spellings that a translator must see through.
// flags: -std=c++17 -extended-lambda
#include <cstdio>

// Extended lambdas: by value in class methods, mutable, generic, nested in templates; host-device lambdas.
namespace lambdas {
template <class F>
__global__ void run(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class F, class... A>
__global__ void call(F f, A... a) {
  f(a...);
}
template <class F>
__device__ __host__ int twice(F f, int x) {
  return f(f(x));
}
struct Solver {
  int n, *data, scale;
  void scale_all() {
    auto self = *this;
    run<<<1, n>>>(n, [self] __device__(int i) { self.data[i] *= self.scale; });
  }
  void star() {
    run<<<1, n>>>(n, [=, *this] __device__(int i) { data[i] += n; });
  }
  template <class T>
  void both(T k) {
    auto f = [=] __host__ __device__(int x) { return x + int(k); };
    int *d = data;
    run<<<2, 4>>>(n, [=] __device__(int i) { d[i] = twice(f, d[i]); });
    cudaDeviceSynchronize();
    printf("host %d\n", twice(f, 1));
  }
};
template <class T>
struct Outer {
  struct Inner {
    T *p;
    template <class Op>
    void go(Op op, int n) {
      T *q = p;
      run<<<1, n>>>(n, [q, op] __device__(int i) { q[i] = op(q[i], T(i)); });
    }
  };
};
struct Arr {
  int v[4];
};
void run() {
  int *d;
  cudaMallocManaged(&d, 256);
  for (int i = 0; i < 64; ++i) d[i] = i;
  Solver s{6, d, 3};
  s.scale_all();
  s.star();
  s.both(2.75);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) printf("%d ", d[i]);
  puts("");
  Outer<int>::Inner in{d};
  in.go([] __device__(int a, int b) { return a * 10 + b; }, 5);
  cudaDeviceSynchronize();
  for (int i = 0; i < 6; ++i) printf("%d ", d[i]);
  puts("");
  Arr a{{1, 2, 3, 4}};
  int local[3] = {7, 8, 9};
  run<<<1, 4>>>(4, [=] __device__(int i) mutable {
    a.v[i] += local[i % 3];
    d[i] = a.v[i];
  });
  call<<<1, 2>>>(
      [] __device__(int *p, int k) {
        extern __shared__ int unused[];
        p[10 + threadIdx.x] = k + [](int z) { return z * z; }(threadIdx.x + 2);
      },
      d, 100);
  cudaDeviceSynchronize();
  for (int i = 0; i < 12; ++i) printf("%d ", d[i]);
  puts("");
  auto choose = [](bool b) {
    return [=] __host__ __device__(int x) -> int {
      if (b) return x + 1;
      else return x - 1;
    };
  };
  auto f = choose(true);
  auto g = choose(false);
  run<<<1, 2>>>(2, [=] __device__(int i) {
    d[i] = i ? g(i) : f(i);
    __syncwarp();
  });
  cudaDeviceSynchronize();
  printf("%d %d\n", d[0], d[1]);
  struct Local {
    int k;
  };
  Local l{5};
  run<<<1, 1>>>(1, [d, k = l.k * 2] __device__(int i) {
    for (int j : {1, 2, 3}) d[i] += j * k;
  });
  cudaDeviceSynchronize();
  printf("%d\n", d[0]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace lambdas

// Shared variables in scopes, loops, templates, lambdas; constants of class type; device variables; static members; odd
// initialisers.
namespace variables {
struct P {
  float x, y;
  P() = default;
  __host__ __device__ constexpr P(float a, float b) : x(a), y(b) {}
  __host__ __device__ constexpr float dot(P o) const { return x * o.x + y * o.y; }
};
__constant__ P points[2] = {P(1, 2), P(3, 4)};
__device__ P dpoint{5, 6};
__device__ const float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
static __constant__ int c1, c2[4] = {1, 2}, *cptr;
__device__ int d1 = 3, d2[] = {4, 5, 6}, *dp = d2 + 1, (*da)[3] = &d2;
__device__ struct {
  int a;
  struct {
    short s[2];
  } in;
} anon = {7, {{8, 9}}};
typedef struct Tag {
  int t;
} Tag_t;
__device__ Tag_t tag = {10};
enum E { one = 1, two };
__device__ E e = two;
__device__ volatile int vol = 11;
__device__ unsigned long long int ull = 12ULL;
__device__ long double *ldp;
__device__ char text[] = "hello", text2[3] = {'a', 'b'};
const int host_const = 13;
constexpr float cf = 1.5f;
static const float arr_size = 4;
__device__ bool flags[3] = {true};
__device__ float4 vec = {1, 2, 3, 4};
__device__ uint3 vec3 = {1u, 2u};
__device__ const char *names[] = {"zero", "one"};
template <class T, int N>
struct Buffer {
  T data[N];
  __device__ T &operator[](int i) { return data[i]; }
  __device__ static constexpr int size() { return N; }
};
template <class T>
__device__ T reduce(T v) {
  __shared__ T buf[64];
  buf[threadIdx.x] = v;
  __syncthreads();
  T s = T();
  for (int i = 0; i < blockDim.x; ++i) s += buf[i];
  __syncthreads();
  return s;
}
template <class T, int N>
__global__ void scopes(T *o) {
  T r = 0;
  {
    __shared__ T a[N];
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    r += a[N - 1 - threadIdx.x];
    __syncthreads();
  }
  {
    __shared__ Buffer<T, N * 2> a;
    a[threadIdx.x] = 100;
    a[threadIdx.x + N] = 1;
    __syncthreads();
    r += a[(threadIdx.x + 1) % (2 * N)] + a.size();
  }
  for (int k = 0; k < 2; ++k) {
    __shared__ int c, d[2], (*pd)[2];
    if (!threadIdx.x) c = k, d[0] = k * 10, d[1] = 5, pd = &d;
    __syncthreads();
    r += c + (*pd)[0] + d[1];
    __syncthreads();
  }
  if (blockDim.x == N) {
    __shared__ volatile T w;
    w = 3;
    __syncthreads();
    r += w;
  }
  r += reduce(T(1)) + T(reduce(2.5f));
  auto l = [&](int q) {
    __shared__ int in_lambda;
    in_lambda = 4;
    __syncthreads();
    return in_lambda * q;
  };
  r += l(2);
  o[threadIdx.x] = r;
}
__global__ void vars(float *o) {
  float s = points[1].dot(dpoint) + weights[1][2] + c2[1] + c1 + *cptr + d1 + d2[2] + *dp + (*da)[0] + anon.in.s[1] +
            tag.t + e + vol + ull + text[4] + text2[1] + host_const + cf + flags[0] + vec.w + vec3.y + names[1][2];
  o[0] = s;
  constexpr P pc(2, 3);
  o[1] = pc.dot(P(1, 1));
  static const int lut[] = {3, 1, 4};
  o[2] = lut[threadIdx.x + 2];
  const float *w = &weights[0][1];
  o[3] = w[1];
  d2[0]++;
  vol = vol + 1;
  o[4] = text[0];
  dpoint.x *= 2;
}
template <class F>
__global__ void run(F f) {
  f();
}
struct Mgr {
  static constexpr int table[3] = {2, 4, 8};
  static constexpr P origin{7, 8};
  template <int I>
  __device__ static int at() {
    return table[I];
  }
};
__global__ void members(float *o) {
  o[0] = Mgr::at<1>() + Mgr::table[2];
  o[1] = Mgr::origin.dot({1, 1});
}
void run() {
  float *o;
  int *i;
  cudaMallocManaged(&o, 512);
  cudaMallocManaged(&i, 512);
  scopes<float, 8><<<2, 8>>>(o);
  scopes<int, 16><<<1, 16>>>(i);
  cudaDeviceSynchronize();
  printf("%g %g %d %d\n", o[0], o[7], i[0], i[15]);
  int five = 5, *p;
  cudaMemcpyToSymbol(c1, &five, 4);
  cudaGetSymbolAddress((void **)&p, d2);
  cudaMemcpyToSymbol(cptr, &p, sizeof p);
  vars<<<1, 1>>>(o);
  vars<<<1, 1>>>(o + 8);
  cudaDeviceSynchronize();
  for (int k = 0; k < 13; ++k) printf("%g ", k == 5 || k == 6 || k == 7 ? 0 : o[k]);
  puts("");
  P hp;
  size_t n;
  cudaMemcpyFromSymbol(&hp, dpoint, sizeof hp);
  cudaGetSymbolSize(&n, weights);
  printf("%g %zu\n", hp.x, n);
  members<<<1, 1>>>(o);
  run<<<1, 4>>>([=] __device__() {
    __shared__ int s[4];
    s[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    i[threadIdx.x] = s[3 - threadIdx.x];
  });
  cudaDeviceSynchronize();
  printf("%g %g %d %d\n", o[0], o[1], i[0], i[1]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace variables

// Spellings: orders of specifiers, extern "C", trailing return, macros, odd spacing of <<< >>>, raw strings, digraphs,
// attributes, friend kernels.
namespace spellings {
#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)
#define CFG(g, b) <<<g, b>>>
#define GLOBAL __global__
#define COMMA ,
extern "C" __global__ void c_name(int *o) { o[0] = 1; }
extern "C" {
__global__ void c_block(int *o) { o[1] = 2; }
__device__ int c_dev(int x) { return x * 3; }
}
void __global__ reversed(int *o) { o[2] = c_dev(1); }
static GLOBAL void __launch_bounds__(64) bounds(int *o) { o[3] = 4; }
__launch_bounds__(32, 1) __global__ void bounds2(int *o) { o[4] = 5; }
inline __global__ void inl(int *o) { o[5] = 6; }
template <class T>
static __global__ void __launch_bounds__(sizeof(T) * 32) tb(T *o) {
  o[6] = 7;
}
KERNEL(by_macro, int *o, int v = 8) { o[7] = v; }
[[maybe_unused]] __global__ void attr([[maybe_unused]] int *o, int) { o[8] = 9; }
__global__ __attribute__((unused)) void gnu(int *o) { o[9] = 10; }
__forceinline__ __device__ int f1(int a) { return a + 1; }
__noinline__ __device__ int f2(int a) { return a + 2; }
__device__ __forceinline__ static auto f3(int a) -> int { return a + 3; }
__inline__ __device__ __host__ int f4(int a = 4) { return a; }
__global__ void decl(int *, int);
__global__ void decl(int *o, int n = 3);
__global__ void decl(int *o, int n) { o[10] = f1(f2(f3(f4()))) + n; }
template <class T>
struct Box {
  T v;
  template <class U>
  struct In {
    U u;
  };
};
template <class T>
__global__ void nest(T *o, typename Box<T>::template In<int> b) {
  o[11] = b.u;
}
class Access {
  int secret = 13;
  friend __global__ void peek(int *, Access);
  template <class T>
  friend __global__ void peek_t(T *, Access);
};
__global__ void peek(int *o, Access a) { o[12] = a.secret; }
template <class T>
__global__ void peek_t(T *o, Access a) {
  o[13] = a.secret + 1;
}
const char *raw = R"x(k<<<1, 2>>>(o); __global__ void "no" )x";
const char *str = "<<<1,1>>> __shared__ \" // ";
const char ch = '"';
__global__ void literals(int *o) {
  o[14] = 1'000 + 0b101 + 0x1F + 'A' + L'b' + u8'c' + 017;
  const char *s =
      "<<<"
      ">>>"
      R"(\n)";
  int n = 0;
  while (s[n]) ++n;
  o[15] = n; /* <<< */
  int x = 1 << 2, y = x >> 1;
  o[16] = x << 3 >> y;
  o[17] = (x < y) > (1 >> 1);  // >>> \
 o[17] = 99;
  o<:18:> = 19;
}
template <int A, int B>
__global__ void two(int *o) {
  o[19] = A * B;
}
template <bool>
struct If {
  enum { v = 21 };
};
template <class T>
__global__ void dep(T *o) {
  o[20] = If<(sizeof(T) > 2)>::v;
}
namespace a::b {
__global__ void k(int *o) { o[21] = 22; }
namespace c {
using b::k;
}
}  // namespace a::b
namespace al = a::b;
template <int (*F)(int)>
__global__ void fnp(int *o) {
  o[22] = F(20);
}
__device__ int addone(int x) { return x + 3; }
template <class T>
__device__ T var = T(24.5);
__global__ void vars(int *o) {
  o[23] = int(var<float>) + int(var<double>) - 24;
  o[24] = ([](auto... v) { return (v + ...); })(5, 10, 10);
}
__device__ int operator""_k(unsigned long long v) { return int(v) * 2; }
struct F3 {
  float x;
  __device__ F3 operator+(F3 b) const { return {x + b.x}; }
  __device__ F3 &operator+=(float s) {
    x += s;
    return *this;
  }
  __device__ operator int() const { return int(x); }
  __device__ float operator[](int i) const { return x * i; }
  __device__ float operator()(int a, int b) const { return x + a * b; }
};
__device__ float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
__global__ void ops(int *o) {
  F3 f{1};
  f += 2;
  o[25] = 13_k;
  o[26] = f + F3{24.f};
  o[27] = int(f[9]) + 1;
  o[28] = int(f(2, 13));
  float3 v = make_float3(1, 2, 3) * 10.f;
  o[29] = v.z;
}
void run() {
  int *o;
  cudaMallocManaged(&o, 512);
  for (int k = 0; k < 32; ++k) o[k] = -1;
  c_name<<<1, 1>>>(o);
  c_block<<<1, 1>>>(o);
  reversed<<<dim3(1, 1), dim3{1}>>>(o);
  bounds<<<1 /* >>> */, 1>>>(o);
  bounds2<<<1, 1, 0, 0>>>(o);
  inl<<<1, (1, 1)>>>(o);
  tb<int><<<1, 1>>>(o);
  by_macro CFG(1, 1)(o);
  attr<<<1, 1>>>(o, 0);
  gnu<<<1, 1 COMMA 0>>>(o);
  decl<<<1, 1>>>(o);
  nest<int><<<1, 1>>>(o, Box<int>::In<int>{12});
  peek<<<1, 1>>>(o, Access());
  spellings::peek_t<int><<<1, 1>>>(o, {});
  literals<<<1, 1>>>(o);
  two<(4 > 2) ? 4 : 1, (20 >> 2)><<<1, 1>>>(o);
  dep<int><<<1, 1>>>(o);
  al::c::k<<<1, 1>>>(o);
  fnp<addone><<<1, 1>>>(o);
  vars<<<1, 1>>>(o);
  ops<<<1 << 0, 2 >> 1>>>(o);
  if (o) {
  } else c_name<<<1, 1>>>(o);
  [&] { c_name<<<1, 1>>>(o); }();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int k = 0; k < 30; ++k) printf("%d ", o[k]);
  printf("%zu %zu %c\n", sizeof raw, sizeof(str), ch);
}
}  // namespace spellings
#undef KERNEL
#undef CFG
#undef GLOBAL
#undef COMMA

int main() {
  lambdas::run();
  variables::run();
  spellings::run();
}
