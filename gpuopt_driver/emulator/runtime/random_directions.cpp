// Direction vectors of Sobol's sequences, and the quasi-random generators of cuRAND's host library.
//
// random_directions.cpp.bin holds the polynomials and initial numbers of S. Joe and F. Y. Kuo ("Constructing Sobol sequences
// with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008; new-joe-kuo-6.21201; licence beside it) for the
// dimensions 2 to 20000: a, then m_2 to m_s without the last bit, which is set. cuRAND's tables are those, bit by bit; its
// scrambled ones are not published, so those here are others: a random lower triangular matrix and a random shift for each
// dimension (Matousek, "On the L2-discrepancy for anchored boxes", 1998).
#include <mutex>
#include <vector>

#include <stdio.h>
#include "random_source.h"

__asm__(
    ".pushsection .rodata\n.globl gpuopt_emu_joe_kuo\n.hidden gpuopt_emu_joe_kuo\ngpuopt_emu_joe_kuo:\n.incbin \"" __FILE__
    ".bin\"\n.popsection");
extern "C" __attribute__((visibility("hidden"))) const unsigned char gpuopt_emu_joe_kuo[];

namespace {

const int DIMENSIONS = 20000;
// How many primitive polynomials have the degree 1, 2, ...: (2^s - 1)'s totient over s; of degree 18 the rest is used.
const int OF_DEGREE[] = {1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776};

struct Bits {
  size_t at = 0;
  unsigned take(int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i, ++at) value |= (unsigned)(gpuopt_emu_joe_kuo[at / 8] >> at % 8 & 1) << i;
    return value;
  }
};

template <class Word> void fill_recurrence(Word *v, int degree, unsigned inner, int bits) {
  for (int i = degree; i < bits; ++i) {
    v[i] = v[i - degree] ^ v[i - degree] >> degree;
    for (int k = 1; k < degree; ++k)
      if (inner >> (degree - 1 - k) & 1) v[i] ^= v[i - k];
  }
}
template <class Word> std::vector<Word> plain_vectors() {
  const int bits = sizeof(Word) * 8;
  std::vector<Word> all((size_t)DIMENSIONS * bits);
  for (int i = 0; i < bits; ++i) all[i] = (Word)1 << (bits - 1 - i);
  Bits packed;
  int dimension = 1;
  for (int degree = 1; degree <= 18; ++degree)
    for (int n = 0; n < OF_DEGREE[degree - 1] && dimension < DIMENSIONS; ++n, ++dimension) {
      Word *v = &all[(size_t)dimension * bits];
      const unsigned inner = packed.take(degree - 1);
      for (int i = 0; i < degree; ++i) v[i] = (Word)(packed.take(i) << 1 | 1) << (bits - 1 - i);
      fill_recurrence(v, degree, inner, bits);
    }
  return all;
}

// Vigna's splitmix64, for the scrambles.
unsigned long long mixed(unsigned long long *state) {
  unsigned long long z = *state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
template <class Word> std::vector<Word> constants() {
  std::vector<Word> all(DIMENSIONS);
  unsigned long long state = 1;
  for (Word &word : all) word = (Word)(mixed(&state) >> (64 - sizeof(Word) * 8));
  return all;
}
template <class Word> std::vector<Word> scrambled_vectors(const std::vector<Word> &plain) {
  const int bits = sizeof(Word) * 8;
  std::vector<Word> all(plain.size());
  unsigned long long state = 2;
  for (int d = 0; d < DIMENSIONS; ++d) {
    Word column[bits];  // what the bit of worth 2^(bits - 1 - i) turns into: itself and bits of less worth
    for (int i = 0; i < bits; ++i) {
      const Word own = (Word)1 << (bits - 1 - i);
      column[i] = own | ((Word)mixed(&state) & (own - 1));
    }
    for (int k = 0; k < bits; ++k) {
      Word result = 0;
      for (int i = 0; i < bits; ++i)
        if (plain[(size_t)d * bits + k] >> (bits - 1 - i) & 1) result ^= column[i];
      all[(size_t)d * bits + k] = result;
    }
  }
  return all;
}

template <class Word> Word *directions(bool scrambled) {
  static std::vector<Word> plain, other;
  static std::mutex making;
  const std::lock_guard<std::mutex> held(making);
  if (plain.empty()) plain = plain_vectors<Word>();
  if (scrambled && other.empty()) other = scrambled_vectors(plain);
  return scrambled ? other.data() : plain.data();
}
template <class Word> Word *scrambles() {
  static std::vector<Word> all = constants<Word>();
  return all.data();
}
void say_others() {
  static bool said = false;
  if (!said) fprintf(stderr, "gpuopt emulator: cuRAND's scrambled direction vectors are not published; these are others\n");
  said = true;
}

void start(curandStateSobol32_t *s, unsigned d, unsigned long long n) {
  curand_init(directions<unsigned>(false) + d * 32, (unsigned)n, s);
}
void start(curandStateSobol64_t *s, unsigned d, unsigned long long n) {
  curand_init(directions<unsigned long long>(false) + d * 64, n, s);
}
void start(curandStateScrambledSobol32_t *s, unsigned d, unsigned long long n) {
  curand_init(directions<unsigned>(true) + d * 32, scrambles<unsigned>()[d], (unsigned)n, s);
}
void start(curandStateScrambledSobol64_t *s, unsigned d, unsigned long long n) {
  curand_init(directions<unsigned long long>(true) + d * 64, scrambles<unsigned long long>()[d], n, s);
}

template <class State> struct Sequences final : gpuopt_emu::Source {
  State state;
  unsigned long long place = 0;
  void restart(unsigned long long, unsigned long long offset) override { place = offset; }
  void dimension(unsigned d) override { start(&state, d, place); }
  void advance(unsigned long long count) override { place += count; }
  unsigned integer() override { return (unsigned)curand(&state); }
  unsigned long long long_integer() override { return curand(&state); }
  float uniform() override { return curand_uniform(&state); }
  double uniform_double() override { return curand_uniform_double(&state); }
  bool pairs() const override { return false; }
  float normal() override { return curand_normal(&state); }
  double normal_double() override { return curand_normal_double(&state); }
  unsigned poisson(double mean) override { return curand_poisson(&state, mean); }
};

template <class Word, class Vectors>
curandStatus_t give(Vectors **vectors, curandDirectionVectorSet_t set, curandDirectionVectorSet_t plain,
                    curandDirectionVectorSet_t scrambled) {
  if (!vectors || (set != plain && set != scrambled)) return CURAND_STATUS_OUT_OF_RANGE;
  if (set == scrambled) say_others();
  *vectors = reinterpret_cast<Vectors *>(directions<Word>(set == scrambled));
  return CURAND_STATUS_SUCCESS;
}

}  // namespace

namespace gpuopt_emu {
std::unique_ptr<Source> sobol(curandRngType type) {
  if (type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64) say_others();
  switch (type) {
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32: return std::unique_ptr<Source>(new Sequences<curandStateSobol32_t>());
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32: return std::unique_ptr<Source>(new Sequences<curandStateScrambledSobol32_t>());
    case CURAND_RNG_QUASI_SOBOL64: return std::unique_ptr<Source>(new Sequences<curandStateSobol64_t>());
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: return std::unique_ptr<Source>(new Sequences<curandStateScrambledSobol64_t>());
    default: return nullptr;
  }
}
}  // namespace gpuopt_emu

extern "C" {
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
  return give<unsigned>(vectors, set, CURAND_DIRECTION_VECTORS_32_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
  return give<unsigned long long>(vectors, set, CURAND_DIRECTION_VECTORS_64_JOEKUO6,
                                  CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}
curandStatus_t curandGetScrambleConstants32(unsigned int **to) {
  say_others();
  *to = scrambles<unsigned>();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants64(unsigned long long **to) {
  say_others();
  *to = scrambles<unsigned long long>();
  return CURAND_STATUS_SUCCESS;
}
}
