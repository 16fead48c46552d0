// The smaller and the larger of two numbers: to a GPU -0 is less than 0, to a C library they are equal and either may
// come out, of a compiler's choice where it computes the result itself. Hidden: other libraries of the program keep theirs.
#include <string.h>

namespace {

template <class Bits, class T> inline Bits bits(T x) {
  Bits given;
  memcpy(&given, &x, sizeof given);
  return given;
}

template <class Bits, class T> inline T smaller(T x, T y) {
  if (x == y) return bits<Bits>(x) > bits<Bits>(y) ? x : y;  // of equal numbers only zeros have two forms
  return x < y ? x : y == y ? y : x == x ? x : x + y;
}

template <class Bits, class T> inline T larger(T x, T y) {
  if (x == y) return bits<Bits>(x) < bits<Bits>(y) ? x : y;
  return x > y ? x : y == y ? y : x == x ? x : x + y;
}

}  // namespace

#define GPUOPT_EMU_HIDDEN __attribute__((visibility("hidden")))
extern "C" GPUOPT_EMU_HIDDEN float fminf(float x, float y) noexcept { return smaller<unsigned>(x, y); }
extern "C" GPUOPT_EMU_HIDDEN float fmaxf(float x, float y) noexcept { return larger<unsigned>(x, y); }
extern "C" GPUOPT_EMU_HIDDEN double fmin(double x, double y) noexcept { return smaller<unsigned long long>(x, y); }
extern "C" GPUOPT_EMU_HIDDEN double fmax(double x, double y) noexcept { return larger<unsigned long long>(x, y); }
#undef GPUOPT_EMU_HIDDEN
