// Templates of all kinds; what C++17 and C++20 added.
// flags: -std=c++20 -extended-lambda --expt-relaxed-constexpr
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

// Template-template params, variadic kernels, nested/anonymous namespaces, default args, typedef'd kernels, macros.
namespace kernels {
template <class T>
struct Add {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct Mul {
  __device__ T operator()(T a, T b) const { return a * b; }
};
template <template <class> class Op, class T, int N = 3>
__global__ void fold(T *out, T start) {
  T v = start;
  for (int i = 1; i <= N; ++i) v = Op<T>()(v, T(i));
  out[threadIdx.x] = v + T(threadIdx.x);
}
template <class... Ts>
__device__ double sum(Ts... ts) {
  double r = 0;
  int dummy[] = {0, (r += double(ts), 0)...};
  (void)dummy;
  return r;
}
template <class... Ts>
__global__ void variadic(double *out, Ts... ts) {
  out[threadIdx.x] = sum(ts...) * sizeof...(Ts);
}
namespace outer {
namespace {
__device__ int hidden = 5;
namespace inner {
__global__ void deep(int *p, int k = 7) { p[threadIdx.x] = hidden * k + threadIdx.x; }
}  // namespace inner
}  // namespace
inline namespace v2 {
template <typename T>
__global__ void tk(T *p) {
  p[threadIdx.x] = T(42) / T(4);
}
}  // namespace v2
}  // namespace outer
using Kernel = void (*)(int *, int);
typedef void (*TK)(float *);
#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
#define APPLY(f) f(int) f(float)
#define MAKE(T) \
  __global__ void made_##T(T *p) { p[threadIdx.x] = T(threadIdx.x * 3) / 2; }
APPLY(MAKE)
template <int... Is>
struct seq {};
template <int... Is>
__global__ void pack(int *out, seq<Is...>) {
  int v[] = {Is...};
  out[threadIdx.x] = v[threadIdx.x % sizeof...(Is)];
}
template <auto V>
struct C {
  static constexpr auto value = V;
};
template <class T, T... v>
__global__ void values(T *out) {
  T r = (v + ... + T(0));
  out[0] = r;
}
template <class F, class Tuple, size_t... I>
__device__ auto apply_impl(F f, Tuple &t, std::index_sequence<I...>) {
  return f(std::get<I>(t)...);
}
struct S {
  int a;
  float b;
  template <class U>
  __device__ U as() const {
    return U(a) + U(b);
  }
};
template <class U>
__global__ void member(U *o, S s) {
  o[threadIdx.x] = s.template as<U>() + threadIdx.x;
}
template <class T>
__global__ void spec(T *o) {
  o[0] = T(1);
}
template <>
__global__ void spec<char>(char *o) {
  o[0] = 'x';
}
template __global__ void spec<long>(long *);
void run() {
  double *d;
  int *i;
  float *f;
  cudaMallocManaged(&d, 512);
  cudaMallocManaged(&i, 512);
  cudaMallocManaged(&f, 512);
  fold<Add, double><<<1, 4>>>(d, 1.5);
  cudaDeviceSynchronize();
  printf("%g %g\n", d[0], d[3]);
  fold<Mul, int, 5><<<1, 2>>>(i, 2);
  cudaDeviceSynchronize();
  printf("%d %d\n", i[0], i[1]);
  variadic<<<1, 1>>>(d, 1, 2.5f, 3.25, 'a');
  cudaDeviceSynchronize();
  printf("%g\n", d[0]);
  variadic<<<1, 1>>>(d);
  cudaDeviceSynchronize();
  printf("%g\n", d[0]);
  Kernel k = outer::inner::deep;
  k<<<dim3(1), dim3(2, 1)>>>(i, 3);
  cudaDeviceSynchronize();
  printf("%d %d\n", i[0], i[1]);
  outer::inner::deep<<<1, 2>>>(i);
  cudaDeviceSynchronize();
  printf("%d %d\n", i[0], i[1]);
  TK t = &outer::tk<float>;
  t<<<1, 1>>>(f);
  (*t)<<<1, 2>>>(f);
  cudaDeviceSynchronize();
  printf("%g\n", f[1]);
  LAUNCH((fold<Add, int>), 1, 1, i, 100);
  LAUNCH(made_float, 1, 5, f);
  LAUNCH(made_int, 1, 5, i + 8);
  pack<<<1, 6>>>(i + 20, seq<4, 5, 6>{});
  values<int, 1, 2, 3><<<1, 1>>>(i + 40);
  values<int, C<9>::value><<<1, 1>>>(i + 41);
  cudaDeviceSynchronize();
  printf("%d %g %d %d %d %d\n", i[0], f[3], i[11], i[25], i[40], i[41]);
  member<double><<<1, 2>>>(d, S{2, .5f});
  spec<<<1, 1>>>((char *)i);
  spec<long><<<1, 1>>>((long *)f);
  cudaDeviceSynchronize();
  printf("%g %c %ld\n", d[1], *(char *)i, *(long *)f);
  auto launch = [&](auto kernel, auto... args) {
    kernel<<<1, 3>>>(args...);
    return cudaDeviceSynchronize();
  };
  launch(outer::tk<double>, d);
  launch(made_int, i);
  printf("%g %d\n", d[2], i[2]);
  void (*table[])(int *, int) = {outer::inner::deep, fold<Mul, int, 2>};
  for (auto fn : table) {
    fn<<<1, 1>>>(i, 11);
    cudaDeviceSynchronize();
    printf("%d ", i[0]);
  }
  puts("");
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace kernels
#undef LAUNCH
#undef APPLY
#undef MAKE

// CRTP, SFINAE, expression templates, visitors, type lists, policy kernels, recursion of templates, fold over launches,
// constexpr tables, std:: in device code.
namespace idioms {
template <class D>
struct Expr {
  __host__ __device__ const D &self() const { return static_cast<const D &>(*this); }
};
struct Vec : Expr<Vec> {
  const float *p;
  __host__ __device__ Vec(const float *q) : p(q) {}
  __host__ __device__ float operator[](int i) const { return p[i]; }
};
template <class L, class R, class Op>
struct Bin : Expr<Bin<L, R, Op>> {
  L l;
  R r;
  __host__ __device__ Bin(L a, R b) : l(a), r(b) {}
  __host__ __device__ float operator[](int i) const { return Op::go(l[i], r[i]); }
};
struct Plus {
  static __host__ __device__ float go(float a, float b) { return a + b; }
};
struct Times {
  static __host__ __device__ float go(float a, float b) { return a * b; }
};
template <class L, class R>
__host__ __device__ Bin<L, R, Plus> operator+(const Expr<L> &a, const Expr<R> &b) {
  return {a.self(), b.self()};
}
template <class L, class R>
__host__ __device__ Bin<L, R, Times> operator*(const Expr<L> &a, const Expr<R> &b) {
  return {a.self(), b.self()};
}
template <class E>
__global__ void eval(float *o, E e) {
  o[threadIdx.x] = e[threadIdx.x];
}
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
__global__ void sf(T *o) {
  o[0] = 1;
}
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
__global__ void sf(T *o) {
  o[0] = 2.5;
}
template <class... Ts>
struct List {};
template <class F, class... Ts>
void each(List<Ts...>, F f) {
  (f(Ts{}), ...);
}
template <int N>
struct Fib {
  static constexpr int v = Fib<N - 1>::v + Fib<N - 2>::v;
};
template <>
struct Fib<0> {
  static constexpr int v = 0;
};
template <>
struct Fib<1> {
  static constexpr int v = 1;
};
template <int N>
__device__ __forceinline__ void unroll(int *o) {
  if constexpr (N > 0) {
    o[N - 1] = Fib<N>::v;
    unroll<N - 1>(o);
  }
}
__global__ void fibs(int *o) { unroll<10>(o); }
struct RowMajor {
  template <int W>
  static __device__ int at(int r, int c) {
    return r * W + c;
  }
};
struct ColMajor {
  template <int W>
  static __device__ int at(int r, int c) {
    return c * W + r;
  }
};
template <class Layout, int W = 4, template <class...> class Holder = std::tuple>
__global__ void layout(int *o, Holder<int, int> h) {
  o[Layout::template at<W>(threadIdx.y, threadIdx.x)] = threadIdx.y * 10 + threadIdx.x + std::get<0>(h);
}
constexpr std::array<int, 8> make() {
  std::array<int, 8> a{};
  for (size_t i = 0; i < a.size(); ++i) a[i] = int(i * i + 1);
  return a;
}
constexpr auto host_table = make();
__constant__ std::array<int, 8> dev_table = make();
template <class T>
struct Opt {
  T v;
  bool has;
  template <class F>
  __device__ auto map(F f) const -> Opt<decltype(f(v))> {
    if (has) return {f(v), true};
    return {{}, false};
  }
};
__global__ void stds(float *o) {
  o[0] = std::max(1, 3) + std::min(2.f, 5.f);
  int a = 1;
  o[1] = a;
  o[2] = std::numeric_limits<int>::max() == 2147483647;
  o[3] = dev_table[3] + host_table[4];
  std::pair<int, float> p{3, 4.5f};
  o[4] = p.first + p.second;
  auto [x, y] = p;
  o[5] = x * y;
  o[6] = std::plus<float>()(1, 2) + std::abs(-2.5f) + fabs(-1.0) + std::clamp(9, 1, 5);
  std::array<int, 3> ar{{1, 2, 3}};
  int s = 0;
  for (int v : ar) s += v;
  o[7] = s + std::tuple_size<std::tuple<int, int>>::value;
  Opt<int> op{4, true};
  o[8] = op.map([](int q) { return q * 1.5f; }).map([](float f) { return f + 1; }).v;
  o[9] = 5;
  auto t = std::make_tuple(1, 2.5f, 'c');
  o[10] = std::apply([](auto... q) { return (float(q) + ...); }, t);
  o[11] = a;
}
template <class F>
struct Y {
  F f;
  template <class... A>
  __host__ __device__ auto operator()(A... a) const {
    return f(*this, a...);
  }
};
template <class F>
__host__ __device__ Y<F> make_y(F f) {
  return {f};
}
template <class F>
__global__ void go(int *o, F f) {
  o[0] = f(6);
}
struct Fact {
  template <class S>
  __host__ __device__ int operator()(S self, int n) const {
    return n < 2 ? 1 : n * self(n - 1);
  }
};
void run() {
  float *a, *b, *o;
  int *i;
  cudaMallocManaged(&a, 64);
  cudaMallocManaged(&b, 64);
  cudaMallocManaged(&o, 64);
  cudaMallocManaged(&i, 64);
  for (int k = 0; k < 8; ++k) a[k] = k, b[k] = 2;
  Vec va(a), vb(b);
  eval<<<1, 8>>>(o, va * vb + va * (vb + vb));
  cudaDeviceSynchronize();
  printf("%g %g\n", o[1], o[7]);
  each(List<int, double, char>{}, [&](auto t) {
    using T = decltype(t);
    sf<T><<<1, 1>>>((T *)o);
    cudaDeviceSynchronize();
    printf("%g ", (double)*(T *)o);
  });
  puts("");
  fibs<<<1, 1>>>(i);
  cudaDeviceSynchronize();
  printf("%d %d\n", i[9], i[4]);
  layout<RowMajor><<<1, dim3(4, 4)>>>(i, std::make_tuple(100, 1));
  cudaDeviceSynchronize();
  printf("%d ", i[6]);
  layout<ColMajor, 4><<<1, dim3(4, 4)>>>(i, std::tuple<int, int>(200, 1));
  cudaDeviceSynchronize();
  printf("%d\n", i[6]);
  stds<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  for (int k = 0; k < 12; ++k) printf("%g ", o[k]);
  puts("");
  go<<<1, 1>>>(i, make_y(Fact{}));
  cudaDeviceSynchronize();
  printf("%d\n", i[0]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace idioms

// C++20: concepts, if constexpr, constexpr __host__ __device__, consteval, designated init, <=> , template lambdas.
namespace newer {
template <class T>
concept Number = std::is_arithmetic_v<T>;
template <class T>
concept HasArea = requires(T t) {
  { t.area() } -> std::convertible_to<float>;
};
struct Sq {
  float s;
  __host__ __device__ constexpr float area() const { return s * s; }
};
struct Ci {
  float r;
  __device__ float area() const { return 3 * r * r; }
};
template <HasArea... S>
__global__ void areas(float *o, S... s) {
  int i = 0;
  ((o[i++] = s.area()), ...);
}
template <Number T>
__host__ __device__ constexpr T power(T b, int e) {
  return e == 0 ? T(1) : b * power(b, e - 1);
}
constexpr int table_size = power(2, 5);
struct Tab {
  int v[table_size];
  constexpr Tab() : v() {
    for (int i = 0; i < table_size; ++i) v[i] = i * i;
  }
};
__constant__ Tab tab = Tab();
__device__ constexpr float coeff[] = {1.5f, 2.5f, power(2.f, 3)};
template <class T>
__device__ auto describe(T x) {
  if constexpr (std::integral<T>) return 1 + x;
  else if constexpr (std::is_pointer_v<T>) return *x;
  else return T(x * 2);
}
__global__ void kinds(double *o, int *p) {
  o[0] = describe(3);
  o[1] = describe(2.25f);
  o[2] = describe(p);
  o[3] = tab.v[threadIdx.x + 7];
  o[4] = coeff[2];
}
struct V {
  int x, y;
  __host__ __device__ constexpr bool operator==(const V &) const = default;
};
consteval int at_compile(int k) { return k * 3; }
template <int N>
  requires(N > 2)
__global__ void req(int *o) {
  o[0] = N + at_compile(4);
  V a{.x = 1, .y = 2}, b{1, 2};
  o[1] = a == b;
}
template <class F>
__global__ void run(F f) {
  f();
}
enum class Color : unsigned char { red, green = 7 };
__global__ void misc(int *o) {
#ifdef __cpp_using_enum
  using enum Color;
#else
  constexpr Color green = Color::green;
#endif
  o[0] = (int)green;
  if (int k = o[0]; k > 3) [[likely]]
    o[1] = k;
  else [[unlikely]] o[1] = 0;
  auto [a, b] = V{4, 5};
  o[2] = a * 10 + b;
  constexpr auto sq = []<class T>(T t) { return t * t; };
  o[3] = sq(9);
  for (int i = 0; auto q : {1, 2, 3}) o[4 + i++] = q;
}
void run() {
  float *f;
  double *d;
  int *i;
  cudaMallocManaged(&f, 64);
  cudaMallocManaged(&d, 64);
  cudaMallocManaged(&i, 64);
  i[0] = 77;
  areas<<<1, 1>>>(f, Sq{2}, Ci{1}, Sq{.5f});
  kinds<<<1, 1>>>(d, i);
  cudaDeviceSynchronize();
  printf("%g %g %g | %g %g %g %g %g\n", f[0], f[1], f[2], d[0], d[1], d[2], d[3], d[4]);
  req<5><<<1, 1>>>(i);
  cudaDeviceSynchronize();
  printf("%d %d\n", i[0], i[1]);
  run<<<1, 1>>>([=] __device__() {
    i[2] = power(3, 4);
    i[3] = int(Sq{3}.area());
  });
  cudaDeviceSynchronize();
  printf("%d %d\n", i[2], i[3]);
  misc<<<1, 1>>>(i);
  cudaDeviceSynchronize();
  for (int k = 0; k < 7; ++k) printf("%d ", i[k]);
  puts("");
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace newer

int main() {
  kernels::run();
  idioms::run();
  newer::run();
}
