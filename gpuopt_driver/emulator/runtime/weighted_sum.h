// What a linear filter makes of elements and their weights, to the last bit.
#ifndef GPUOPT_EMU_WEIGHTED_SUM_H
#define GPUOPT_EMU_WEIGHTED_SUM_H

#include <math.h>
#include <string.h>

#include <algorithm>

namespace gpuopt_emu {

// Elements of one plane are aligned with the one that has the largest exponent, four bits more are kept and what is
// behind them is cut off; they are multiplied by their weights (256ths) and added. A second plane's sum is aligned with the
// first's, rounded down. The result is rounded to the nearest float, of two the one farther from 0. What is smaller than a
// normal number is 0, in elements and results. (Fitted to what an H200 makes of 4096 random places for each of five kinds of
// numbers: in a line and in a plane all agree, and between planes all but 6 whose elements are up to 2^60 times each other.)
class WeightedSum {
 public:
  void add(float value, int weight) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits >> 23 & 255);
    const long long mantissa = exponent ? (long long)(bits & 0x7fffff) | 0x800000 : 0;
    special_ += (double)value * weight;
    not_finite_ |= exponent == 255;
    all_negative_ &= bits >> 31 != 0;
    elements_[count_++] = Element{bits >> 31 ? -mantissa : mantissa, exponent, weight};
  }
  void end_plane() {
    int most = LEAST;
    for (int i = 0; i < count_; ++i)
      if (elements_[i].mantissa) most = std::max(most, elements_[i].exponent);
    long long plane = 0;
    for (int i = 0; i < count_; ++i) {
      const long long size = (elements_[i].mantissa < 0 ? -elements_[i].mantissa : elements_[i].mantissa) << KEPT;
      const long long cut = size >> std::min(most - elements_[i].exponent, 63);
      plane += (elements_[i].mantissa < 0 ? -cut : cut) * elements_[i].weight;
    }
    count_ = 0;
    if (most == LEAST) return;
    const int above = std::max(most, exponent_);
    sum_ = (sum_ >> std::min(above - exponent_, 63)) + (plane >> std::min(above - most, 63));
    exponent_ = above;
  }
  float result() const {
    if (not_finite_) return (float)(special_ / 256);
    if (!sum_) return all_negative_ ? -0.0f : 0.0f;
    unsigned long long size = sum_ < 0 ? 0ull - (unsigned long long)sum_ : (unsigned long long)sum_;
    const int more = 64 - __builtin_clzll(size) - 24;
    if (more > 0) size = (size + (1ull << (more - 1))) >> more << more;
    const double value = ldexp((double)size, exponent_ - 150 - 8 - KEPT);
    return copysignf(value < 0x1p-126 ? 0.0f : (float)value, sum_ < 0 ? -1.0f : 1.0f);
  }

 private:
  static constexpr int KEPT = 4, LEAST = 0;
  struct Element {
    long long mantissa;
    int exponent, weight;
  };
  Element elements_[4];
  int count_ = 0, exponent_ = LEAST;
  long long sum_ = 0;
  double special_ = 0;
  bool not_finite_ = false, all_negative_ = true;
};

}  // namespace gpuopt_emu

#endif
