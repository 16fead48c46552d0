// Mathematical functions bit by bit: hashes of what 4096 arguments give, small, large and any bit pattern.
#include "show.h"
#include <cmath>

#define FLOATS(X) \
  X(sinf(x)) X(cosf(x)) X(tanf(x)) X(expf(x)) X(exp2f(x)) X(exp10f(x)) X(logf(x)) X(log2f(x)) X(log10f(x)) X(tanhf(x)) X(sinhf(x)) \
  X(coshf(x)) X(asinf(x)) X(acosf(x)) X(atanf(x)) X(erff(x)) X(cbrtf(x)) X(hypotf(x, y)) X(sqrtf(x)) X(rsqrtf(x)) \
  X(powf(x, y)) X(powf(fabsf(x), y)) X(x / y) X(fmodf(x, y)) X(__fdividef(x, y)) X(__sinf(x)) X(__cosf(x)) X(__tanf(x)) X(__expf(x)) \
  X(__exp10f(x)) X(__logf(x)) X(__log2f(x)) X(__log10f(x)) X(__powf(x, y))
#define DOUBLES(X) X(sin(x)) X(cos(x)) X(exp(x)) X(log(x)) X(sqrt(x)) X(pow(x, y)) X(pow(fabs(x), y)) X(x / y) X(fmod(x, y))
constexpr int COUNT = 4096;

__host__ __device__ unsigned mixed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352dU;
  x ^= x >> 15; x *= 0x846ca68bU;
  return x ^ x >> 16;
}
__device__ float argument(unsigned i) {
  const unsigned r = mixed(i);
  switch (i & 3) {
    case 0: return __fmul_rn(__uint2float_rn(r >> 8), 0x1p-24f);
    case 1: return __fmul_rn(__int2float_rn(int(r) >> 8), 10 * 0x1p-23f);
    case 2: return __fmul_rn(__int2float_rn(int(r) >> 8), 128 * 0x1p-23f);
  }
  return __uint_as_float(r);
}
__device__ double argument_double(unsigned i) {
  const unsigned long long r = (unsigned long long)mixed(2 * i + 1) << 32 | mixed(2 * i + 2);
  switch (i & 3) {
    case 0: return double(r >> 11) * 0x1p-53;
    case 1: return __dmul_rn(double((long long)r >> 11), 10 * 0x1p-52);
    case 2: return __dmul_rn(double((long long)r >> 11), 700 * 0x1p-52);
  }
  return __longlong_as_double(r);
}
__global__ void floats(unsigned *o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = argument(i), y = argument(i * 4 + 100001);
  int k = 0;
#define X(e) { const float v = e; o[k++ * COUNT + i] = isnan(v) ? 0x7fffffff : __float_as_uint(v); }
  FLOATS(X)
#undef X
}
__global__ void doubles(unsigned long long *o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = argument_double(i), y = argument_double(i * 4 + 100001);
  int k = 0;
#define X(e) { const double v = e; o[k++ * COUNT + i] = isnan(v) ? ~0ull : __double_as_longlong(v); }
  DOUBLES(X)
#undef X
}
template <class T> void report(const char *const *names, int count, const T *values) {
  for (int f = 0; f < count; ++f) {
    unsigned long long hash = 1469598103934665603ull;
    for (int i = 0; i < COUNT; ++i) hash = (hash ^ values[f * COUNT + i]) * 1099511628211ull;
    printf("%s: %016llx\n", names[f], hash);
  }
}
int main() {
#define X(e) #e,
  static const char *const in_float[] = {FLOATS(X)}, *const in_double[] = {DOUBLES(X)};
#undef X
  const int n = sizeof in_float / sizeof *in_float, m = sizeof in_double / sizeof *in_double;
  unsigned *f = array<unsigned>(n * COUNT);
  floats<<<COUNT / 128, 128>>>(f);
  finish("floats");
  report(in_float, n, f);
  unsigned long long *d = array<unsigned long long>(m * COUNT);
  doubles<<<COUNT / 128, 128>>>(d);
  finish("doubles");
  report(in_double, m, d);
}
