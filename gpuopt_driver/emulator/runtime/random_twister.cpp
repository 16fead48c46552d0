// MT19937 (Matsumoto and Nishimura, "Mersenne twister", 1998) as cuRAND's host library delivers it: 8192 sequences, each 2^2048
// numbers behind the one before it, 8 numbers of each in turn.
#include <vector>

#include <stdint.h>
#include "random_source.h"
#include "os_thread.h"

namespace {

const int N = 624, M = 397, DEGREE = 19937, WORDS = DEGREE / 64 + 1;
const int SEQUENCES = 8192, TOGETHER = 8, ROWS = N / TOGETHER, NIBBLES = DEGREE / 4 + 1;
typedef std::vector<uint64_t> Polynomial;  // over two elements, the lowest coefficient first

// The exponents of the characteristic polynomial, by the formula of the paper's appendix.
std::vector<bool> times(const std::vector<bool> &a, int x, int y) {  // a * (t^x + t^y)
  std::vector<bool> result(a.size() + x);
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i]) result[i + x] = !result[i + x], result[i + y] = !result[i + y];
  return result;
}
std::vector<int> characteristic() {
  std::vector<bool> sum(DEGREE + 1), power = times({true}, N, M);  // (t^N + t^M) (t^(N-1) + t^(M-1))^k
  const auto add = [&](const std::vector<bool> &part) {
    for (size_t i = 0; i < part.size(); ++i)
      if (part[i]) sum[i] = !sum[i];
  };
  for (int k = 0; k <= 31; ++k, power = k <= 31 ? times(power, N - 1, M - 1) : power)
    if (k == 31 || 0x9908b0dfu >> (30 - k) & 1) add(power);
  sum[0] = !sum[0];  // the last bit of 0x9908b0df
  std::vector<int> exponents;
  for (int i = 0; i < DEGREE; ++i)
    if (sum[i]) exponents.push_back(i);
  return exponents;
}
Polynomial square(const Polynomial &p, const std::vector<int> &rest) {
  Polynomial wide(2 * WORDS + 1);
  const auto spread = [](uint64_t x) {
    x = (x | x << 16) & 0x0000ffff0000ffffull;
    x = (x | x << 8) & 0x00ff00ff00ff00ffull;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
    x = (x | x << 2) & 0x3333333333333333ull;
    return (x | x << 1) & 0x5555555555555555ull;
  };
  for (int i = 0; i < WORDS; ++i) wide[2 * i] = spread(p[i] & 0xffffffffu), wide[2 * i + 1] = spread(p[i] >> 32);
  for (int i = 2 * WORDS - 1; i >= DEGREE / 64; --i) {  // t^DEGREE is the sum of the others, which are far below it
    const int kept = i == DEGREE / 64 ? DEGREE % 64 : 0, from = i * 64 + kept - DEGREE;
    const uint64_t high = wide[i] >> kept;
    wide[i] ^= high << kept;
    for (int e : rest) {
      const int word = (from + e) / 64, shift = (from + e) % 64;
      wide[word] ^= high << shift;
      if (shift) wide[word + 1] ^= high >> (64 - shift);
    }
  }
  wide.resize(WORDS);
  return wide;
}
// t^(2^2048), four coefficients at a time.
std::vector<unsigned char> far() {
  const std::vector<int> rest = characteristic();
  Polynomial p(WORDS);
  p[0] = 2;
  for (int i = 0; i < 2048; ++i) p = square(p, rest);
  std::vector<unsigned char> nibbles(NIBBLES);
  for (int i = 0; i < NIBBLES; ++i) nibbles[i] = (unsigned char)(p[i / 16] >> i % 16 * 4 & 15);
  return nibbles;
}

void twist(uint32_t *w, int count) {  // w[N] and following, from the N before each
  for (int i = N; i < N + count; ++i) {
    const uint32_t y = (w[i - N] & 0x80000000u) | (w[i - N + 1] & 0x7fffffffu);
    w[i] = w[i - N + M] ^ y >> 1 ^ ((0u - (y & 1)) & 0x9908b0dfu);
  }
}
uint32_t tempered(uint32_t y) {
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

const int ROUNDED = 640;  // N, in blocks of 32 words
void jump(const uint32_t *state, uint32_t *to) {
  typedef uint32_t Four __attribute__((vector_size(16)));
  static const std::vector<unsigned char> nibbles = far();
  const int length = NIBBLES * 4 + ROUNDED;
  // sums[m][i]: of w[i + b] for the bits b of m
  static thread_local gpuopt_emu::OfThread<std::vector<uint32_t>> kept;
  std::vector<uint32_t> &sums = *kept;
  sums.resize(16 * (size_t)length);
  std::vector<uint32_t> w(length + 4 + N);
  for (int i = 0; i < N; ++i) w[i] = state[i];
  twist(w.data(), length + 4);
  for (int m = 1; m < 16; ++m)
    for (int i = 0, b = __builtin_ctz(m); i < length; ++i)
      sums[(size_t)m * length + i] = w[i + b] ^ (m & (m - 1) ? sums[(size_t)(m & (m - 1)) * length + i] : 0);
  for (int block = 0; block < ROUNDED; block += 32) {
    Four sum[8] = {};
    for (int i = 0; i < NIBBLES; ++i) {
      if (!nibbles[i]) continue;
      const uint32_t *from = &sums[(size_t)nibbles[i] * length + i * 4 + block];
      for (int k = 0; k < 8; ++k) {
        Four part;
        __builtin_memcpy(&part, from + 4 * k, sizeof part);
        sum[k] ^= part;
      }
    }
    for (int k = 0; k < 32 && block + k < N; ++k) to[block + k] = sum[k / 4][k % 4];
  }
}

// Which of a sequence's N numbers stands in a row of 8: the first row's lie among the others'.
int number(int row, int column) {
  static const short first[] = {0, 113, 170, 283, 340, 397, 510, 567};
  static const short groups[] = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};  // of seven rows
  return row ? groups[(row - 1) / 7] + 7 * column + (row - 1) % 7 : first[column];
}

struct Twister final : gpuopt_emu::Source {
  std::vector<uint32_t> states;  // N words of each sequence that is there
  std::vector<int> turns;        // of N numbers, that were made of it
  unsigned long long place = 0;
  int made = 0;

  void restart(unsigned long long seed, unsigned long long) override {
    states.assign((size_t)SEQUENCES * N, 0);
    turns.assign(SEQUENCES, 0);
    states[0] = (uint32_t)seed;
    for (int i = 1; i < N; ++i) states[i] = 1812433253u * (states[i - 1] ^ states[i - 1] >> 30) + (uint32_t)i;
    place = 0;
    made = 1;
  }
  unsigned integer() override {
    const int within = (int)(place % (SEQUENCES * TOGETHER)), sequence = within / TOGETHER;
    const unsigned long long row = place++ / (SEQUENCES * TOGETHER);
    for (; made <= sequence; ++made) jump(&states[(size_t)(made - 1) * N], &states[(size_t)made * N]);
    uint32_t *state = &states[(size_t)sequence * N];
    if (turns[sequence] <= (int)(row / ROWS)) {
      // the next sequence starts from this one's first state
      if (!turns[sequence] && made == sequence + 1 && made < SEQUENCES) {
        jump(state, state + N);
        ++made;
      }
      uint32_t w[2 * N];
      __builtin_memcpy(w, state, sizeof w / 2);
      twist(w, N);
      __builtin_memcpy(state, w + N, sizeof w / 2);
      ++turns[sequence];
    }
    return tempered(state[number((int)(row % ROWS), within % TOGETHER)]);
  }
  float uniform() override { return (float)uniform_double(); }
  double uniform_double() override { return (integer() + 0.5) * 2.3283064365386963e-10; }
  bool pairs() const override { return false; }
  bool jumps() const override { return false; }
  float normal() override { return gpuopt_emu::sobol_normal(integer()); }
  double normal_double() override { return gpuopt_emu::sobol_normal_double(integer()); }
  unsigned poisson(double mean) override { return gpuopt_emu::sobol_poisson(mean, integer()); }
};

}  // namespace

namespace gpuopt_emu {
std::unique_ptr<Source> twister() { return std::unique_ptr<Source>(new Twister()); }
}  // namespace gpuopt_emu
