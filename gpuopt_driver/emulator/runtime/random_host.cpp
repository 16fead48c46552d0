// cuRAND's host library: every pseudo-random generator is Philox4x32-10, one number after another.
#include "curand.h"
#include "curand_kernel.h"

struct curandGenerator_st {
  curandStatePhilox4_32_10_t state;
  unsigned long long seed, offset;

  void restart() { curand_init(seed, 0, offset, &state); }
};

namespace {
template <class T, class Make>
curandStatus_t fill(curandGenerator_t generator, T *to, size_t count, bool pairs, const Make &make) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (pairs && count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (cudaPeekAtLastError() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
  for (size_t i = 0; i < count; ++i) to[i] = make(&generator->state);
  return CURAND_STATUS_SUCCESS;
}
}  // namespace

typedef curandStatePhilox4_32_10_t State;

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  if (type < CURAND_RNG_PSEUDO_DEFAULT || type >= CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st();
  (*generator)->restart();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
  return curandCreateGenerator(generator, type);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  if (type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = type == MAJOR_VERSION ? CURAND_VER_MAJOR : type == MINOR_VERSION ? CURAND_VER_MINOR : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t) {
  return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->restart();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->restart();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_OUT_OF_RANGE : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned int) {
  return CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t count) {
  return fill(generator, to, count, false, [](State *s) { return curand(s); });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t, unsigned long long *, size_t) {
  return CURAND_STATUS_TYPE_ERROR;  // as of every generator but the 64-bit quasi-random ones
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count) {
  return fill(generator, to, count, false, [](State *s) { return curand_uniform(s); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count) {
  return fill(generator, to, count, false, [](State *s) {
    const unsigned low = curand(s);
    return gpuopt_emu::uniform_double(low, curand(s));
  });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count, float mean, float deviation) {
  return fill(generator, to, count, true, [=](State *s) { return mean + deviation * curand_normal(s); });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean,
                                          double deviation) {
  return fill(generator, to, count, true, [=](State *s) { return mean + deviation * curand_normal_double(s); });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count, float mean,
                                       float deviation) {
  return fill(generator, to, count, true, [=](State *s) { return expf(mean + deviation * curand_normal(s)); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean,
                                             double deviation) {
  return fill(generator, to, count, true, [=](State *s) { return exp(mean + deviation * curand_normal_double(s)); });
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *to, size_t count, double mean) {
  if (mean <= 0) return CURAND_STATUS_OUT_OF_RANGE;
  return fill(generator, to, count, false, [=](State *s) { return curand_poisson(s, mean); });
}
}
