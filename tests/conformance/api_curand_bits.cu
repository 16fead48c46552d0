// Normal and log-normal numbers of cuRAND's device functions, bit by bit.
#include "show.h"
#include <curand_kernel.h>
constexpr int COUNT = 2048;
template <class State> __global__ void numbers(float *o, double *d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s;
  curand_init(1234, i, 5, &s);
  float *p = o + i * 8;
  p[0] = curand_normal(&s); p[1] = curand_normal(&s);
  const float2 two = curand_normal2(&s); p[2] = two.x; p[3] = two.y;
  p[4] = curand_log_normal(&s, 0.5f, 0.25f); p[5] = curand_log_normal(&s, 0.5f, 0.25f);
  p[6] = curand_uniform(&s); p[7] = (float)(curand(&s) >> 8);
  d[i] = curand_uniform_double(&s);
}
template <class T> void report(const char *name, const T *values, int first, int step) {
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < COUNT; ++i) {
    unsigned long long bits = 0;
    memcpy(&bits, values + i * step + first, sizeof(T));
    hash = (hash ^ bits) * 1099511628211ull;
  }
  printf("%s %d: %016llx\n", name, first, hash);
}
template <class State> void all(const char *name) {
  float *o = array<float>(COUNT * 8);
  double *d = array<double>(COUNT);
  numbers<State><<<COUNT / 128, 128>>>(o, d);
  finish(name);
  for (int k = 0; k < 8; ++k) report(name, o, k, 8);
  report(name, d, 0, 1);
}
int main() {
  all<curandStateXORWOW_t>("XORWOW");
  all<curandStatePhilox4_32_10_t>("Philox");
  all<curandStateMRG32k3a_t>("MRG32k3a");
}
