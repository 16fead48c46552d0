// What is no number: the signs of sums, products, quotients, roots and functions that have no value, single and double.
#include "show.h"
#include <cmath>

__device__ float over(float a, float b) { return a / b; }
__device__ double over(double a, double b) { return a / b; }
__device__ float by_steps(float a, float b) {
  float v = a;
  v /= b;
  return v + 1.0f;
}

// LU without pivots, of a matrix whose first row is zero.
__global__ void divide_row(float *a, int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < n) a[k * n + j] = a[k * n + j] / a[k * n + k];
}
__global__ void subtract(float *a, int n, int k) {
  const int j = threadIdx.x, i = threadIdx.y;
  if (i > k && j > k && i < n && j < n) a[i * n + j] = a[i * n + j] - a[i * n + k] * a[k * n + j];
}

// Of each thread: the mean of no numbers.
__global__ void means(const float *values, const int *counts, float *floats, double *doubles) {
  float sum = 0;
  for (int i = 0; i < counts[threadIdx.x]; ++i) sum += values[i];
  floats[threadIdx.x] = sum / counts[threadIdx.x];
  doubles[threadIdx.x] = (double)sum / counts[threadIdx.x];
}

// Of each pair: sums and products of infinities, straight, in loops and by both ways of a branch; and what is moved.
template <class T> __global__ void sums(T *o, const T *x, const T *y, T nothing, int n) {
  const int i = threadIdx.x;
  const T a = x[i], b = y[i];
  T total = 0, chosen;
  for (int k = 0; k < n; ++k) total += a * y[k];
  if (i % 2) chosen = a * nothing;
  else chosen = a - b;
  o[i] = a + b;
  o[i + n] = a - b;
  o[i + 2 * n] = a * b;
  o[i + 3 * n] = a * nothing + b;
  o[i + 4 * n] = (a + b) * nothing - a;
  o[i + 5 * n] = total;
  o[i + 6 * n] = chosen;
  o[i + 7 * n] = x[i];
  o[i + 8 * n] = a;
}

#define ALL(X) \
  X(over(x, y)) X(sqrt(x)) X(rsqrt(x)) X(log(x)) X(log2(x)) X(log10(x)) X(log1p(x)) X(sin(x / y)) X(cos(x / y)) X(tan(x / y)) X(asin(x)) X(acos(x)) \
  X(acosh(x)) X(atanh(x)) X(pow(x, x / 6)) X(erfinv(x)) X(tgamma(x)) X(y0(x)) X(over(x, y) * 2 + 1) X(sqrt(x) + over(x, y))
#define FLOATS(X) \
  X(by_steps(x, y)) X(sqrtf(x)) X(rsqrtf(x)) X(logf(x)) X(__logf(x)) X(__fdividef(y, y)) X(fdividef(x, y)) X(sinf(x / y)) X(__frsqrt_rn(x)) X(1.0f / sqrtf(x))

template <class T> __global__ void all(T *o, T x, T y) {
  int k = 0;
#define ONE(e) o[k++] = e;
  ALL(ONE)
}
__global__ void floats(float *o, float x, float y) {
  int k = 0;
  FLOATS(ONE)
}
#define NAME(e) #e,
static const char *const names[] = {ALL(NAME)}, *const float_names[] = {FLOATS(NAME)};

template <class T> void print(const char *const *name, int count, const T *o) {
  for (int i = 0; i < count; ++i) printf("  %s: %g\n", name[i], (double)o[i]);
}

template <class T> void both() {
  T *o = array<T>(64);
  const T pairs[][2] = {{-3, 0}, {0, 0}, {3, 0}};
  for (const auto &pair : pairs) {
    printf("%s %g %g\n", sizeof(T) == 4 ? "float" : "double", (double)pair[0], (double)pair[1]);
    all<<<1, 1>>>(o, pair[0], pair[1]);
    finish("all");
    print(names, sizeof names / sizeof *names, o);
  }
}

template <class T> void pairs() {
  const T large = (T)HUGE_VAL, values[] = {large, -large, 0, 2, (T)NAN, -(T)NAN};
  const int kinds = sizeof(T) == 4 ? 6 : 4, n = kinds * kinds;  // of doubles that are none the processor keeps one, a GPU another
  T *x = array<T>(n), *y = array<T>(n), *o = array<T>(9 * n);
  for (int i = 0; i < n; ++i) x[i] = values[i / kinds], y[i] = values[i % kinds];
  sums<<<1, n>>>(o, x, y, (T)0, n);
  finish("sums");
  const char *const name[] = {"sum", "difference", "product", "fused", "two", "total", "chosen", "moved", "held"};
  for (int k = 0; k < 9; ++k) {
    printf("%s:", name[k]);
    for (int i = 0; i < n; ++i) printf(" %g", (double)o[k * n + i]);
    printf("\n");
  }
}

int main() {
  both<float>();
  both<double>();
  pairs<float>();
  pairs<double>();
  float *o = array<float>(64), *a = array<float>(36), *sums = array<float>(4);
  floats<<<1, 1>>>(o, -2.0f, 0.0f);
  finish("floats");
  print(float_names, sizeof float_names / sizeof *float_names, o);
  for (int i = 0; i < 36; ++i) a[i] = (float)(i / 6 * (i % 6)) / 6;
  for (int k = 0; k < 6; ++k) {
    divide_row<<<1, 6>>>(a, 6, k);
    subtract<<<1, dim3(6, 6)>>>(a, 6, k);
  }
  finish("lu");
  for (int i = 0; i < 36; ++i) printf("%g%c", a[i], i % 6 == 5 ? '\n' : ' ');
  int *counts = array<int>(4);
  double *doubles = array<double>(4);
  for (int i = 0; i < 4; ++i) counts[i] = i;
  means<<<1, 4>>>(a, counts, sums, doubles);
  finish("means");
  for (int i = 0; i < 4; ++i) printf("%g %g\n", sums[i], doubles[i]);
}
