// cuRAND's host library: MT19937, quasi-random generators in several dimensions, tables of direction vectors.
// flags: -lcurand
#include "show.h"
#include <curand.h>
#include <curand_kernel.h>
constexpr int COUNT = 6000;
template <class T, class Generate> void numbers(const char *name, curandRngType_t type, int dimensions, const Generate &generate) {
  T *o = array<T>(COUNT);
  curandGenerator_t generator;
  int status = curandCreateGenerator(&generator, type);
  if (dimensions)
    status += curandSetQuasiRandomGeneratorDimensions(generator, dimensions) + curandSetGeneratorOffset(generator, 11);
  else
    status += curandSetPseudoRandomGeneratorSeed(generator, 1234);
  status += generate(generator, o, 600) + generate(generator, o + 600, COUNT - 600);
  printf("%d ", status);
  digest(name, o, COUNT);
  curandDestroyGenerator(generator);
}
void all(const char *name, curandRngType_t type, int dimensions, bool wide) {
  if (wide)
    numbers<unsigned long long>(name, type, dimensions, curandGenerateLongLong);
  else
    numbers<unsigned>(name, type, dimensions, curandGenerate);
  numbers<float>(name, type, dimensions, curandGenerateUniform);
  numbers<double>(name, type, dimensions, curandGenerateUniformDouble);
}
__global__ void device(curandDirectionVectors32_t *v, curandDirectionVectors64_t *w, unsigned *o, unsigned long long *p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStateSobol32_t s;
  curandStateSobol64_t t;
  curand_init(v[i % 100], i / 100, &s);
  curand_init(w[i % 100], i / 100, &t);
  o[i] = curand(&s), p[i] = curand(&t);
  skipahead(12345u, &s);
  o[COUNT + i] = curand(&s);
}
int main() {
  all("MT19937", CURAND_RNG_PSEUDO_MT19937, 0, false);
  all("Sobol32 1", CURAND_RNG_QUASI_SOBOL32, 1, false);
  all("Sobol32 3", CURAND_RNG_QUASI_DEFAULT, 3, false);
  all("Sobol32 100", CURAND_RNG_QUASI_SOBOL32, 100, false);
  all("Sobol64 6", CURAND_RNG_QUASI_SOBOL64, 6, true);
  curandDirectionVectors32_t *narrow, *v;
  curandDirectionVectors64_t *wide, *w;
  curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  digest("vectors of 32 bits", narrow[0], 20000 * 32);
  digest("vectors of 64 bits", wide[0], 20000 * 64);
  cudaMalloc(&v, 100 * sizeof *v);
  cudaMalloc(&w, 100 * sizeof *w);
  cudaMemcpy(v, narrow, 100 * sizeof *v, cudaMemcpyHostToDevice);
  cudaMemcpy(w, wide, 100 * sizeof *w, cudaMemcpyHostToDevice);
  unsigned *o = array<unsigned>(2 * COUNT);
  unsigned long long *p = array<unsigned long long>(COUNT);
  device<<<COUNT / 100, 100>>>(v, w, o, p);
  digest("device 32", o, 2 * COUNT);
  digest("device 64", p, COUNT);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32);
  printf("%d", curandSetQuasiRandomGeneratorDimensions(generator, 0));
  printf(" %d", curandSetQuasiRandomGeneratorDimensions(generator, 20001));
  printf(" %d", curandSetPseudoRandomGeneratorSeed(generator, 1));
  printf(" %d", curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DEFAULT));
  printf(" %d", curandSetQuasiRandomGeneratorDimensions(generator, 3));
  printf(" %d", curandGenerate(generator, o, 10));
  printf(" %d\n", curandGenerateLongLong(generator, p, 9));
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937);
  printf("%d %d\n", curandSetGeneratorOffset(generator, 3), curandSetQuasiRandomGeneratorDimensions(generator, 3));
}
