// cuRAND's device functions of the pseudo-random generators, bit by bit.
#include "show.h"
#include <curand_kernel.h>
constexpr int COUNT = 512;
typedef unsigned long long Word;
__device__ Word word(unsigned v) { return v; }
__device__ Word word(float v) { return __float_as_uint(v); }
__device__ Word word(double v) { return (Word)__double_as_longlong(v); }
__device__ void put(Word *&o, unsigned v) { *o = v; o += COUNT; }
__device__ void put(Word *&o, float v) { *o = word(v); o += COUNT; }
__device__ void put(Word *&o, double v) { *o = word(v); o += COUNT; }
template <class V> __device__ void put2(Word *&o, V v) { put(o, v.x); put(o, v.y); }
template <class V> __device__ void put4(Word *&o, V v) { put(o, v.x); put(o, v.y); put(o, v.z); put(o, v.w); }
static const char *const names[] = {
  "curand", "curand", "uniform", "uniform", "uniform_double", "uniform_double", "normal", "normal", "normal", "curand", "normal2", "normal2",
  "normal_double", "normal_double", "normal_double", "normal2_double", "normal2_double", "log_normal", "log_normal", "log_normal2", "log_normal2",
  "log_normal_double", "log_normal_double", "log_normal2_double", "log_normal2_double", "poisson 0.1", "poisson 5", "poisson 40", "poisson 4500.5", "poisson 1000000", "skipahead 7", "skipahead 2^40+3",
  "skipahead_sequence 3", "curand"};
constexpr int COMMON = sizeof names / sizeof *names;
template <class State> __device__ void common(State *s, Word *&o) {
  put(o, curand(s)); put(o, curand(s));
  put(o, curand_uniform(s)); put(o, curand_uniform(s));
  put(o, curand_uniform_double(s)); put(o, curand_uniform_double(s));
  put(o, curand_normal(s)); put(o, curand_normal(s)); put(o, curand_normal(s)); put(o, curand(s));
  put2(o, curand_normal2(s));
  put(o, curand_normal_double(s)); put(o, curand_normal_double(s)); put(o, curand_normal_double(s));
  put2(o, curand_normal2_double(s));
  put(o, curand_log_normal(s, 0.3f, 0.7f)); put(o, curand_log_normal(s, 0.3f, 0.7f));
  put2(o, curand_log_normal2(s, -1.5f, 2.0f));
  put(o, curand_log_normal_double(s, 0.3, 0.7)); put(o, curand_log_normal_double(s, 0.3, 0.7));
  put2(o, curand_log_normal2_double(s, -1.5, 2.0));
  put(o, curand_poisson(s, 0.1)); put(o, curand_poisson(s, 5.0)); put(o, curand_poisson(s, 40.0)); put(o, curand_poisson(s, 4500.5)); put(o, curand_poisson(s, 1e6));
  skipahead(7ull, s); put(o, curand(s));
  skipahead((1ull << 40) + 3, s); put(o, curand(s));
  skipahead_sequence(3ull, s); put(o, curand(s)); put(o, curand(s));
}
__device__ void start(int i, Word &seed, Word &sequence, Word &offset) {
  seed = i % 4 == 0 ? 1234 : i % 4 == 1 ? 0 : i % 4 == 2 ? 0xdeadbeefcafebabeull + i : (Word)i << 33;
  sequence = i % 3 == 0 ? i : i % 3 == 1 ? (Word)i << 35 : 0;
  offset = i % 5 == 0 ? 0 : i % 5 == 1 ? i : i % 5 == 2 ? (Word)i << 30 : i % 5 == 3 ? ((Word)i << 40) + 5 : 2 * i + 1;
}
template <class State> __global__ void numbers(Word *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Word seed, sequence, offset;
  start(i, seed, sequence, offset);
  State s;
  curand_init(seed, sequence, offset, &s);
  Word *o = out + i;
  common(&s, o);
}
__global__ void of_four(Word *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Word seed, sequence, offset;
  start(i, seed, sequence, offset);
  curandStatePhilox4_32_10_t s;
  curand_init(seed, sequence, offset, &s);
  Word *o = out + i;
  put4(o, curand4(&s)); put4(o, curand_uniform4(&s)); put4(o, curand_normal4(&s)); put4(o, curand_log_normal4(&s, 0.3f, 0.7f));
  put2(o, curand_uniform2_double(&s)); put2(o, curand_normal2_double(&s)); put2(o, curand_log_normal2_double(&s, 0.3, 0.7));
  put4(o, curand_uniform4_double(&s)); put4(o, curand_normal4_double(&s)); put4(o, curand_log_normal4_double(&s, 0.3, 0.7));
  put(o, curand(&s)); put4(o, curand4(&s));
  put4(o, curand_poisson4(&s, 3.0)); put4(o, curand_poisson4(&s, 50.0)); put4(o, curand_poisson4(&s, 5000.0)); put(o, curand(&s));
}
__global__ void mrg_skips(Word *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Word seed, sequence, offset;
  start(i, seed, sequence, offset);
  curandStateMRG32k3a_t s;
  curand_init(seed, sequence, offset, &s);
  Word *o = out + i;
  put(o, curand_uniform_double(&s));
  skipahead_subsequence((Word)i * 3, &s); put(o, curand_uniform_double(&s));
  skipahead_sequence((Word)i + 1, &s); put(o, curand_uniform_double(&s));
  skipahead((Word)i << 45, &s); put(o, curand_uniform_double(&s)); put(o, curand(&s));
}
static void report(const char *name, int k, const Word *values) {
  Word hash = 1469598103934665603ull;
  for (int i = 0; i < COUNT; ++i) hash = (hash ^ values[i]) * 1099511628211ull;
  printf("%s %d: %016llx,", name, k, hash);
  for (int i = 0; i < COUNT; i += 101) printf(" %llx", values[i]);
  printf("\n");
}
template <class State> void all(const char *name) {
  Word *o = array<Word>(COMMON * COUNT);
  numbers<State><<<COUNT / 64, 64>>>(o);
  finish(name);
  printf("%s\n", name);
  for (int k = 0; k < COMMON; ++k) report(names[k], k, o + k * COUNT);
}
int main() {
  all<curandStateXORWOW_t>("XORWOW");
  all<curandStatePhilox4_32_10_t>("Philox");
  all<curandStateMRG32k3a_t>("MRG32k3a");
  Word *o = array<Word>(64 * COUNT);
  of_four<<<COUNT / 64, 64>>>(o);
  finish("of_four");
  for (int k = 0; k < 52; ++k) report("of four", k, o + k * COUNT);
  mrg_skips<<<COUNT / 64, 64>>>(o);
  finish("mrg_skips");
  for (int k = 0; k < 5; ++k) report("mrg skips", k, o + k * COUNT);
}
