// Products that are used several times, by name, in other blocks or in loops: which sums they are rounded with.
#include "show.h"
constexpr int COUNT = 4096;

// Each form stores up to three results, o[0] to o[2], of what is loaded (a to f, p[0] to p[5]) and of parameters (u, v, w).
#define FORMS(X)                                                                                                  \
  X(0, o[0] = a + u * v; o[1] = u * v - b; o[2] = c - v * w)                                                      \
  X(1, T t = a * b; o[0] = t; o[1] = t + c)                                                                       \
  X(2, T t = a * b; o[0] = t + c; o[1] = d - t; o[2] = t - e)                                                     \
  X(3, T t = a * b; o[0] = t * d; o[1] = t + c)                                                                   \
  X(4, T t = a * b; o[0] = -t; o[1] = t + c)                                                                      \
  X(5, T t = a * b; T s = t + c; o[0] = s * t + d)                                                                \
  X(6, T t = a * b; if (a > c) o[0] = t + c; else o[1] = t - d)                                                   \
  X(7, T t = a * b; o[0] = c * d + t; o[1] = e * f + t; o[2] = f + t)                                             \
  X(8, T t = a * b; o[0] = f + t; o[1] = c * d + t; o[2] = e * f + t)                                             \
  X(9, T t = a * b, s = c * d; o[0] = t; o[1] = t + s)                                                            \
  X(10, T t = a * b, s = c * d; o[0] = s; o[1] = t + s)                                                           \
  X(11, T t = a * b, s = c * d; o[0] = s - t; o[1] = t - e)                                                       \
  X(12, T t = a * b, s = c * d; o[0] = t - s; o[1] = s + e)                                                       \
  X(13, T t = a * b, s = c * d; o[0] = s - t; o[1] = s + t)                                                       \
  X(14, T t = a * b, s = c * d; o[0] = t - s; o[1] = t - e; o[2] = s - f)                                         \
  X(15, T t = a * b, s = c * d, r = e * f; o[0] = t - s; o[1] = s - r; o[2] = r - t)                              \
  X(16, T t = a * b; o[0] = t - c; o[1] = t - d * e; o[2] = t - f)                                                \
  X(17, T t = a * b, s = c * d; o[0] = t - s; o[1] = t * s)                                                       \
  X(18, T t = a * b; t += c; o[0] = t * d - e; t -= c * d; o[1] = t)                                              \
  X(19, T t = a * b; t += c * d; t += e * f; o[0] = t)                                                            \
  X(20, o[0] = a * b; o[1] = a * b + c; o[2] = b * a - d)                                                         \
  X(21, o[0] = a * b + (a * b + c) * d; o[1] = e * a + a * b)                                                     \
  X(22, T t = a * b; if (a > c) t = c * d; o[0] = t + e)                                                          \
  X(23, T t = u * v; o[0] = t + a; o[1] = t * b + c)                                                              \
  X(25, T t = a * b; T s = t; t = c; o[0] = s + t)                                                                \
  X(26, o[0] = -a * b - c; o[1] = -(d * e) - f; o[2] = -a * d + c)                                                \
  X(27, T t = -a * b; o[0] = t + c; o[1] = t - d)                                                                 \
  X(28, T t = a * b; o[0] = a > c ? t + d : t - e; o[1] = t)                                                      \
  X(29, T t = u * v; for (int k = 0; k < n; ++k) o[k % 3] = p[k] + t)                                             \
  X(30, T t = u * v; for (int k = 0; k < n; ++k) o[k % 3] = p[k] * p[k + 5] + t)                                  \
  X(31, T t = u * v; for (int k = 0; k < n; ++k) o[k % 3] = p[k] + t; o[2] = t)                                   \
  X(32, T s = 0; for (int k = 0; k < n; ++k) s += p[k] * p[k + 1] + u * v; o[0] = s)                              \
  X(33, T s = 0, q = 0; for (int k = 0; k < n; ++k) { T t = p[k] * p[k + 5]; s += t; q += t * w; } o[0] = s; o[1] = q) \
  X(34, T s = 0; for (int k = 0; k < n; ++k) if (p[k] > 0) s += p[k] * p[k + 1]; o[0] = s)                        \
  X(35, T s = 0; for (int k = 0; k < n; ++k) { T t = p[k] * u; s = s * t + t; } o[0] = s)                         \
  X(36, T t = (a + u) * (b - v); o[0] = t + c; o[1] = d * e - t)                                                  \
  X(37, T t = a * b; __syncthreads(); o[0] = c * d + u * v + t * w)                                               \
  X(38, T t = b; o[0] = a + u * t; for (int k = 1; k < n - 1; ++k) { t = p[k]; o[1] += p[k + 1] + u * t; } o[2] = f + u * t) \
  X(39, T t = b; o[0] = a + u * t; for (int k = 1; k < n; ++k) { t = p[k]; o[1] += p[k + 1] + u * t; } o[2] = f + u * t) \
  X(40, o[0] = a * b - c / d; o[1] = c / d - a * b; o[2] = a * b + c / d)                                         \
  X(41, T t = a * b, q = c / d; o[0] = q - t; o[1] = t - e; o[2] = q - e * f)                                     \
  X(42, T t = a * b; t -= c / d; o[0] = t; o[1] = d * e - t / f)                                                  \
  X(43, T q = 1 / (a * a + 1); o[0] = a * b - q * c; o[1] = q * d - e * f)                                        \
  X(44, T t = u * v; o[0] = a / b - t; o[1] = t - c / d)                                                          \
  X(45, T s = sin(a); o[0] = b * c + s; o[1] = d * e - s)                                                         \
  X(46, T t = b * c; o[0] = t + sin(a); o[1] = t - d)                                                             \
  X(47, T t = b * c, s = log(a * a + 1); o[0] = t + s; o[1] = d * e - s)                                          \
  X(48, T t = b * c; o[0] = t - sqrt(a * a + 1); o[1] = sqrt(d * d + 1) - e * f)                                  \
  X(49, o[0] = a * b - exp(c); o[1] = pow(a * a + 1, b) - c * d)                                                  \
  X(50, T t = a / 2; o[0] = t + b; o[1] = c * d - e / 4; o[2] = a * b - c / T(0.5))                               \
  X(51, T t = -(a * b); t += (c + d); o[0] = t; t = T(-0.75) * e; t += (a + f); o[1] = t)                         \
  X(52, T t = -a * b; t -= (c + d); o[0] = t; t = a * b; t += (c - d); o[1] = t)                                  \
  X(53, T t = a * b; if (c > d) t = e / f; o[0] = t - c; o[1] = a > b ? c * d : e * f - a / b)                    \
  X(54, T t = a > b ? c : d * e; o[0] = f + t; o[1] = u + t)                                                      \
  X(55, T t = a; t *= b; o[0] = t + c; o[1] = t - d)                                                              \
  X(56, T t = a + b; t *= c; t += d; o[0] = t; t *= e; o[1] = t - f)                                              \
  X(58, T r[2] = {a * b - c, d * e}; o[0] = r[n & 1]; o[1] = r[0] + a)                                            \
  X(59, T t = a * b; T r[2] = {t - c, d}; o[0] = r[n & 1]; o[1] = t + e)                                          \
  X(60, T t = a * b; T r[2] = {t - c, t}; o[0] = r[n & 1]; o[1] = t + e)                                          \
  X(61, o[0] = a - (T(2) - T(3.5)) * b; o[1] = (T(0.5) - 1) * a + b * c; o[2] = c * d + (T(1) - 3) * e)           \
  X(62, T t = T(3) / 4 * a; o[0] = t + b; o[1] = c - t)

template <int FORM, class T> struct Body;
#define BODY(form, ...)                                                                                   \
  template <class T> struct Body<form, T> {                                                             \
    static __device__ void run(T *o, const T *p, T u, T v, T w, int n) {                                \
      const T a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5];                               \
      (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;                                             \
      __VA_ARGS__;                                                                                      \
    }                                                                                                   \
  };
FORMS(BODY)
#undef BODY
template <int FORM, class T> __global__ void whole(T *__restrict__ o, const T *__restrict__ x, T u, T v, T w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body<FORM, T>::run(o + 3 * i, x + i, u, v, w, n);
}
template <class T> void all(const char *name) {
  T *o = array<T>(3 * COUNT), *x = array<T>(COUNT + 64);
  unsigned seed = 11;
  for (int i = 0; i < COUNT + 64; ++i) x[i] = rounded_product((T)((seed = seed * 1664525u + 1013904223u) >> 8), (T)1e-7) - (T)0.8;
  char what[32];
#define RUN(form, ...)                                                                   \
  memset((void *)o, 0, 3 * COUNT * sizeof(T));                                         \
  whole<form><<<COUNT / 128, 128>>>(o, x, (T)0.37, (T)-1.9, (T)0.61, 17);                  \
  sprintf(what, "%s %d", name, form), digest(what, o, 3 * COUNT);
  FORMS(RUN)
#undef RUN
}
// Products that go in and out of functions.
__device__ inline float pressure_of(float &mass, float &energy, float &square) {
  return (1.4f - 1.0f) * (energy - 0.5f * mass * square);
}
__device__ inline float squared(float3 &v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
__host__ __device__ inline void flux_of(float &energy, float3 &m, float3 &v, float &pressure, float3 &flux, float3 &work) {
  flux.x = v.x * m.x + pressure;
  flux.y = v.y * m.y + pressure;
  flux.z = v.z * m.z + pressure;
  float all = energy + pressure;
  work.x = v.x * all;
  work.y = v.y * all;
  work.z = v.z * all;
}
__device__ float area(float a, float b) { return a * b; }
__device__ void add_to(float &sum, float a, float b) { sum += area(a, b); }
__global__ void fluxes(float *__restrict__ o, const float *__restrict__ x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mass = x[i] + 2, energy = x[i + 1] + 3;
  float3 momentum, v, flux, work;
  momentum.x = x[i + 2], momentum.y = x[i + 3], momentum.z = x[i + 4];
  v.x = momentum.x / mass, v.y = momentum.y / mass, v.z = momentum.z / mass;
  float square = squared(v);
  float pressure = pressure_of(mass, energy, square);
  flux_of(energy, momentum, v, pressure, flux, work);
  o[6 * i] = flux.x, o[6 * i + 1] = flux.y, o[6 * i + 2] = flux.z;
  o[6 * i + 3] = work.x, o[6 * i + 4] = work.y, o[6 * i + 5] = work.z;
}
__global__ void areas(float *__restrict__ o, const float *__restrict__ x, float u, float v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
  float t = area(a, b), s = area(u, v), r = c;
  o[6 * i] = t + c, o[6 * i + 1] = d - t, o[6 * i + 2] = c + s;
  add_to(r, a, d);
  o[6 * i + 3] = r, o[6 * i + 4] = area(a, c) + area(b, d), o[6 * i + 5] = area(a + b, c) - d;
}
// Products with a kernel's parameter, which are computed again in other blocks and in loops.
__global__ void lines(float *__restrict__ o, const float *__restrict__ x, float u, float v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[i], b = x[i + 1], t = u * a, s = v * threadIdx.x, step = u * 16;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const float d = s - x[i + k], e = d + step;
    sum += d * d + e * e;
  }
  o[2 * i] = sum, o[2 * i + 1] = b;
  if (b > a) o[2 * i + 1] = t + b;
  else if (b > 0) o[2 * i + 1] = b - t;
}
int main() {
  all<float>("float");
  all<double>("double");
  float *o = array<float>(6 * COUNT), *x = array<float>(COUNT + 64);
  unsigned seed = 5;
  for (int i = 0; i < COUNT + 64; ++i) x[i] = rounded_product((float)((seed = seed * 1664525u + 1013904223u) >> 8), 1e-7f) - 0.8f;
  fluxes<<<COUNT / 128, 128>>>(o, x);
  digest("fluxes", o, 6 * COUNT);
  areas<<<COUNT / 128, 128>>>(o, x, 0.37f, -1.9f);
  digest("areas", o, 6 * COUNT);
  lines<<<COUNT / 128, 128>>>(o, x, 0.37f, 0.0193f, 9);
  digest("lines", o, 2 * COUNT);
}
