// Sums of products: which product is rounded with its sum, and which by itself.
#include "show.h"
constexpr int COUNT = 4096;

#define FORMS(X)                                                                                          \
  X(0, a * b + c * d) X(1, a * b - c * d) X(2, -(a * b) + c * d) X(3, -(a * b) - c * d)                   \
  X(4, a * b + c * d + e * f) X(5, a * b + (c * d + e * f)) X(6, a * b - c * d + e * f)                   \
  X(7, a * b + c * d + e) X(8, e + a * b + c * d) X(9, e + (a * b + c * d)) X(10, a * b * c + d * e * f)  \
  X(11, a * a + b * b) X(12, (a * b + c) * d + e * f) X(13, e * f + (a * b + c) * d)                      \
  X(14, a * b + e + c * d) X(15, (a * b + c * d) + (e * f + a * c)) X(16, (a * b + c * d) - (e * f + a * c)) \
  X(17, (a - b) * c + (a - d) * e) X(18, a * (b * c + d * e) + f * a) X(19, -a * b + c * d)               \
  X(20, a * b + -c * d) X(21, e - (a * b + c * d)) X(22, e - (a * b - c * d)) X(23, (a * b - c * d) - e)  \
  X(24, a * b - (c - d * e)) X(25, a * b + c * d + e * f + a * c + b * d + c * e) X(26, a * b + a * b)    \
  X(27, a * (T)0.3 + b * (T)0.7) X(28, a + (T)3 * b * c) X(29, a * b * c - d)

// One form for each kernel: what several of them share would be computed once.
template <int FORM, class T> __device__ T form(T a, T b, T c, T d, T e, T f) {
#define CASE(n, form) \
  case n: return form;
  switch (FORM) { FORMS(CASE) }
#undef CASE
  return 0;
}
template <int FORM, class T> __global__ void of_parameters(T *o, const T *x, T a, T b, T c, T d, T e, T f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > (T)-9) o[i] = form<FORM>(a, b, c, d, e, f);
}
template <int FORM, class T> __global__ void of_loads(T *o, const T *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = form<FORM>(x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]);
}
// What is loaded where it is needed, and what was known before.
template <class T> __global__ void mixed(T *o, const T *x, T p, T q) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = x[i] * p + p * q;
  o[COUNT + i] = p * q + x[i] * p;
  o[2 * COUNT + i] = p * x[i] + q * x[i + 1];
  o[3 * COUNT + i] = q * x[i + 1] + p * x[i];
  o[4 * COUNT + i] = x[i] * x[i + 1] + x[i + 2] * p;
  o[5 * COUNT + i] = x[i + 2] * p - x[i] * x[i + 1];
  const T s = x[i] + x[i + 1];
  o[6 * COUNT + i] = s * p + x[i + 2] * q;
  o[7 * COUNT + i] = x[i + 2] * q + s * p;
}
template <class T> __global__ void loops(T *o, const T *x, T p, T q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T s = 0, t = 1, u = 0, w = 1, y = 0;
  for (int k = 0; k < n; ++k) {
    s += p * x[i + k] + q * x[i + k + 1];
    t = t * p + x[i + k] * q;
    u = x[i + k] * q + u * p;
    w = p * w - q * x[i + k];
    y += x[k] * x[i + k] * p;
  }
  o[i] = s, o[COUNT + i] = t, o[2 * COUNT + i] = u, o[3 * COUNT + i] = w, o[4 * COUNT + i] = y;
}
// A lattice that is folded, as option prices are.
template <class T> __global__ void lattice(T *o, T up, T down) {
  __shared__ T level[129];
  const int i = threadIdx.x;
  level[i] = (T)(i * 3 % 17) * (T)0.7 + (T)blockIdx.x;
  if (i == 0) level[128] = 1;
  __syncthreads();
  for (int k = 128; k > 0; --k) {
    const T next = up * level[i + 1] + down * level[i];
    __syncthreads();
    if (i < k) level[i] = next;
    __syncthreads();
  }
  o[blockIdx.x * blockDim.x + i] = level[i];
}
template <class T> void all(const char *name) {
  T *o = array<T>(8 * COUNT), *x = array<T>(COUNT + 64);
  unsigned seed = 7;
  for (int i = 0; i < COUNT + 64; ++i) x[i] = rounded_product((T)((seed = seed * 1664525u + 1013904223u) >> 8), (T)1e-6) - (T)8;
  char what[128];
#define RUN(n, form)                                              \
  of_loads<n><<<COUNT / 128, 128>>>(o, x);                        \
  sprintf(what, "%s of loads %d: %s", name, n, #form), digest(what, o, COUNT); \
  for (int k = 0; k < COUNT; k += 128) of_parameters<n><<<1, 128>>>(o + k, x, x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5]); \
  sprintf(what, "%s of parameters %d", name, n), digest(what, o, COUNT);
  FORMS(RUN)
#undef RUN
  mixed<T><<<COUNT / 128, 128>>>(o, x, (T)0.37, (T)-1.9);
  for (int n = 0; n < 8; ++n) sprintf(what, "%s mixed %d", name, n), digest(what, o + n * COUNT, COUNT);
  loops<T><<<COUNT / 128, 128>>>(o, x, (T)0.37, (T)-0.19, 37);
  for (int n = 0; n < 5; ++n) sprintf(what, "%s loops %d", name, n), digest(what, o + n * COUNT, COUNT);
  lattice<T><<<COUNT / 128, 128>>>(o, (T)0.51, (T)0.487);
  sprintf(what, "%s lattice", name), digest(what, o, COUNT);
}
int main() {
  all<float>("float");
  all<double>("double");
}
