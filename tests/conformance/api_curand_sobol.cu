// flags: -lcurand
// cuRAND's device functions of Sobol's sequences, bit by bit.
#include "show.h"
#include <curand.h>
#include <curand_kernel.h>
constexpr int COUNT = 512;
typedef unsigned long long Word;
__device__ void put(Word *&o, unsigned v) { *o = v; o += COUNT; }
__device__ void put(Word *&o, Word v) { *o = v; o += COUNT; }
__device__ void put(Word *&o, float v) { *o = __float_as_uint(v); o += COUNT; }
__device__ void put(Word *&o, double v) { *o = (Word)__double_as_longlong(v); o += COUNT; }
template <class State, class N> __device__ void sequence(State *s, Word *&o, N far) {
  put(o, curand(s)); put(o, curand(s)); put(o, curand_uniform(s)); put(o, curand_uniform_double(s));
  put(o, curand_normal(s)); put(o, curand_normal(s)); put(o, curand_normal_double(s)); put(o, curand_normal_double(s));
  put(o, curand_log_normal(s, 0.3f, 0.7f)); put(o, curand_log_normal_double(s, 0.3, 0.7));
  skipahead((N)7, s); put(o, curand(s));
  skipahead(far, s); put(o, curand(s)); put(o, curand_normal(s)); put(o, curand_normal_double(s)); put(o, curand(s));
}
template <class State, class Vectors, class N> __global__ void plain(Vectors *v, Word *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s;
  curand_init(v[i % 128], (N)(i % 3 == 0 ? i : i % 3 == 1 ? i << 12 : 0), &s);
  Word *o = out + i;
  sequence(&s, o, sizeof(N) == 8 ? (N)((Word)i << 40) : (N)(i << 18));
}
template <class State, class Vectors, class N> __global__ void scrambled(Vectors *v, Word *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s;
  curand_init(v[i % 128], (N)(0x9e3779b97f4a7c15ull * (i + 1)), (N)(i % 3 == 0 ? i : i % 3 == 1 ? i << 12 : 0), &s);
  Word *o = out + i;
  sequence(&s, o, sizeof(N) == 8 ? (N)((Word)i << 40) : (N)(i << 18));
}
static void report(const char *name, int k, const Word *values) {
  Word hash = 1469598103934665603ull;
  for (int i = 0; i < COUNT; ++i) hash = (hash ^ values[i]) * 1099511628211ull;
  printf("%s %d: %016llx,", name, k, hash);
  for (int i = 0; i < COUNT; i += 101) printf(" %llx", values[i]);
  printf("\n");
}
template <class State, class Vectors> __global__ void poisson_sobol(Vectors *v, Word *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s;
  curand_init(v[i % 128], i % 7 * 1000, &s);
  Word *o = out + i;
  const double means[] = {0.1, 1, 5, 20, 50, 63.5, 64, 100, 500};
  for (double mean : means) put(o, curand_poisson(&s, mean));
}
int main() {
  curandDirectionVectors32_t *narrow, *v;
  curandDirectionVectors64_t *wide, *w;
  curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  cudaMalloc(&v, 128 * sizeof *v);
  cudaMalloc(&w, 128 * sizeof *w);
  cudaMemcpy(v, narrow, 128 * sizeof *v, cudaMemcpyHostToDevice);
  cudaMemcpy(w, wide, 128 * sizeof *w, cudaMemcpyHostToDevice);
  Word *o = array<Word>(32 * COUNT);
  plain<curandStateSobol32_t, curandDirectionVectors32_t, unsigned><<<COUNT / 64, 64>>>(v, o);
  finish("Sobol32"); for (int k = 0; k < 15; ++k) report("Sobol32", k, o + k * COUNT);
  plain<curandStateSobol64_t, curandDirectionVectors64_t, Word><<<COUNT / 64, 64>>>(w, o);
  finish("Sobol64"); for (int k = 0; k < 15; ++k) report("Sobol64", k, o + k * COUNT);
  scrambled<curandStateScrambledSobol32_t, curandDirectionVectors32_t, unsigned><<<COUNT / 64, 64>>>(v, o);
  finish("scrambled Sobol32"); for (int k = 0; k < 15; ++k) report("scrambled Sobol32", k, o + k * COUNT);
  scrambled<curandStateScrambledSobol64_t, curandDirectionVectors64_t, Word><<<COUNT / 64, 64>>>(w, o);
  finish("scrambled Sobol64"); for (int k = 0; k < 15; ++k) report("scrambled Sobol64", k, o + k * COUNT);
  poisson_sobol<curandStateSobol32_t, curandDirectionVectors32_t><<<COUNT / 64, 64>>>(v, o);
  finish("poisson Sobol32"); for (int k = 0; k < 9; ++k) report("poisson Sobol32", k, o + k * COUNT);
  poisson_sobol<curandStateSobol64_t, curandDirectionVectors64_t><<<COUNT / 64, 64>>>(w, o);
  finish("poisson Sobol64"); for (int k = 0; k < 9; ++k) report("poisson Sobol64", k, o + k * COUNT);
}
