// cuRAND's host library. XORWOW, MRG32k3a and Philox4x32-10 deliver what cuRAND's do: numbers of many subsequences in turn.
// MTGP32 is Philox, too.
#include <vector>

#include <stdio.h>
#include "check.h"
#include "random_source.h"

namespace {

using gpuopt_emu::Source;

// A generator's subsequences, made when they are first needed; `GROUP` numbers of one, then those of the next.
template <class State, unsigned SUBSEQUENCES, unsigned GROUP> struct Subsequences final : Source {
  std::vector<State> states;
  unsigned long long seed = 0, rounds = 0, ahead = 0;
  unsigned at = 0, taken = 0;

  void restart(unsigned long long new_seed, unsigned long long offset) override {
    states.clear();
    seed = new_seed;
    ahead = offset / GROUP % SUBSEQUENCES;  // so many have delivered one more group
    rounds = offset / GROUP / SUBSEQUENCES;
    at = (unsigned)ahead;
    taken = 0;
    for (unsigned i = 0; i < offset % GROUP; ++i) integer();
  }
  // The one whose turn it is; `count` numbers of its group are about to be taken.
  State *turn(unsigned count) {
    while (states.size() <= at) {
      State next;
      if (states.empty()) {
        curand_init(seed, 0, 0, &last_);
        next = last_;
      } else {
        next_subsequence(&last_);
        next = last_;
      }
      skipahead((rounds + (states.size() < ahead)) * GROUP, &next);
      states.push_back(next);
    }
    State *state = &states[at];
    if ((taken += count) >= GROUP) {
      taken = 0;
      if (++at == SUBSEQUENCES) at = 0;
    }
    return state;
  }
  unsigned integer() override { return curand(turn(1)); }
  float uniform() override { return curand_uniform(turn(1)); }
  void pair(float2 *to) override { *to = curand_normal2(turn(2)); }
  double uniform_double() override { return one_double(turn(1)); }
  void pair_double(double2 *to) override { *to = curand_normal2_double(turn(2)); }
  unsigned poisson(double mean) override { return curand_poisson(turn(1), mean); }

 private:
  State last_;
  double kept_ = 0;
  template <class Any> double one_double(Any *state) { return curand_uniform_double(state); }
  double one_double(curandStatePhilox4_32_10_t *state) {  // two at a time
    if (taken % 2 == 0) return kept_;
    const double2 both = curand_uniform2_double(state);
    kept_ = both.y;
    return both.x;
  }
  static void next_subsequence(curandStateXORWOW_t *s) { skipahead_sequence(1ull, s); }
  static void next_subsequence(curandStateMRG32k3a_t *s) { gpuopt_emu::mrg_next_subsequence(s); }
  static void next_subsequence(curandStatePhilox4_32_10_t *s) { skipahead_sequence(1ull, s); }
};

}  // namespace

struct curandGenerator_st {
  std::unique_ptr<Source> source;
  unsigned long long seed, offset;
  curandRngType_t type;
  unsigned dimensions;
  bool quasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
  bool wide() const { return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64; }
  void restart() { source->restart(seed, offset); }
};

namespace {
// `make` gives one number; of a quasi-random generator all of one dimension, then those of the next.
template <class T, class Make> curandStatus_t fill(curandGenerator_t generator, T *to, size_t count, const Make &make) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (count % generator->dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (cudaPeekAtLastError() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
  if (gpuopt_emu::checking) gpuopt_emu::check_filled(to, count * sizeof(T));
  Source *const source = generator->source.get();
  const size_t each = count / generator->dimensions;
  for (unsigned d = 0; d < generator->dimensions; ++d) {
    source->dimension(d);
    for (size_t i = 0; i < each; ++i) *to++ = make(source);
  }
  source->advance(each);
  return CURAND_STATUS_SUCCESS;
}
// Normal numbers: `convert` makes two of two, `one` one of one.
template <class T, class Convert, class One>
curandStatus_t fill_pairs(curandGenerator_t generator, T *to, size_t count, const Convert &convert, const One &one) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->source->pairs()) return fill(generator, to, count, one);
  if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (cudaPeekAtLastError() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
  if (gpuopt_emu::checking) gpuopt_emu::check_filled(to, count * sizeof(T));
  for (size_t i = 0; i < count; i += 2) convert(generator->source.get(), to + i);
  return CURAND_STATUS_SUCCESS;
}
float2 normals(Source *s) {
  float2 both;
  s->pair(&both);
  return both;
}
double2 normals_double(Source *s) {
  double2 both;
  s->pair_double(&both);
  return both;
}
}  // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  std::unique_ptr<Source> source = gpuopt_emu::sobol(type);
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW: source.reset(new Subsequences<curandStateXORWOW_t, 4096, 1>()); break;
    case CURAND_RNG_PSEUDO_MRG32K3A: source.reset(new Subsequences<curandStateMRG32k3a_t, 81920, 1>()); break;
    case CURAND_RNG_PSEUDO_MT19937: source = gpuopt_emu::twister(); break;
    case CURAND_RNG_PSEUDO_MTGP32:
      fprintf(stderr, "gpuopt emulator: curandCreateGenerator: MTGP32 is not there; the numbers are those of Philox4x32-10\n");
      // fall through
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: source.reset(new Subsequences<curandStatePhilox4_32_10_t, 65536, 4>()); break;
    default: break;
  }
  if (!source) return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st();
  (*generator)->source = std::move(source);
  (*generator)->type = type;
  (*generator)->dimensions = 1;
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
  if (generator->quasi()) return CURAND_STATUS_TYPE_ERROR;
  generator->seed = seed;
  generator->restart();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->source->jumps()) return CURAND_STATUS_TYPE_ERROR;
  generator->offset = offset;
  generator->restart();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  const curandRngType_t type = generator->type;
  const bool quasi = order == CURAND_ORDERING_QUASI_DEFAULT, seeded = order == CURAND_ORDERING_PSEUDO_SEEDED;
  const bool xorwow = type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_DEFAULT;
  const bool dynamic = order == CURAND_ORDERING_PSEUDO_DYNAMIC;
  if (generator->quasi() != quasi || (seeded && !xorwow) || (dynamic && type == CURAND_RNG_PSEUDO_MT19937))
    return CURAND_STATUS_OUT_OF_RANGE;  // as an H200's library answers
  if (seeded || (dynamic && xorwow) || (order == CURAND_ORDERING_PSEUDO_LEGACY && type == CURAND_RNG_PSEUDO_MRG32K3A))
    fprintf(stderr, "gpuopt emulator: curandSetGeneratorOrdering: the numbers stay in the default order\n");
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int dimensions) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->quasi()) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions < 1 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
  generator->dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t count) {
  if (generator && generator->wide()) return CURAND_STATUS_TYPE_ERROR;
  return fill(generator, to, count, [](Source *s) { return s->integer(); });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *to, size_t count) {
  if (generator && !generator->wide()) return CURAND_STATUS_TYPE_ERROR;
  return fill(generator, to, count, [](Source *s) { return s->long_integer(); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count) {
  return fill(generator, to, count, [](Source *s) { return s->uniform(); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count) {
  return fill(generator, to, count, [](Source *s) { return s->uniform_double(); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count, float mean, float deviation) {
  return fill_pairs(generator, to, count, [=](Source *s, float *pair) {
    const float2 both = normals(s);
    pair[0] = mean + deviation * both.x, pair[1] = mean + deviation * both.y;
  }, [=](Source *s) { return mean + deviation * s->normal(); });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean,
                                          double deviation) {
  return fill_pairs(generator, to, count, [=](Source *s, double *pair) {
    const double2 both = normals_double(s);
    pair[0] = mean + deviation * both.x, pair[1] = mean + deviation * both.y;
  }, [=](Source *s) { return mean + deviation * s->normal_double(); });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count, float mean,
                                       float deviation) {
  return fill_pairs(generator, to, count, [=](Source *s, float *pair) {
    const float2 both = normals(s);
    pair[0] = expf(mean + deviation * both.x), pair[1] = expf(mean + deviation * both.y);
  }, [=](Source *s) { return expf(mean + deviation * s->normal()); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean,
                                             double deviation) {
  return fill_pairs(generator, to, count, [=](Source *s, double *pair) {
    const double2 both = normals_double(s);
    pair[0] = exp(mean + deviation * both.x), pair[1] = exp(mean + deviation * both.y);
  }, [=](Source *s) { return exp(mean + deviation * s->normal_double()); });
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *to, size_t count, double mean) {
  if (mean <= 0) return CURAND_STATUS_OUT_OF_RANGE;
  return fill(generator, to, count, [=](Source *s) { return s->poisson(mean); });
}
}
