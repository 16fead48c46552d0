// -ftz=true: device code takes numbers below 2^-126 for 0, in what it reads and in what comes out. The processor does so
// while such a kernel's threads run; it does the same in double below 2^-1022, where a GPU does not.
#ifndef GPUOPT_EMU_FLUSHING_H
#define GPUOPT_EMU_FLUSHING_H

namespace gpuopt_emu {

#if defined(__x86_64__)
enum : unsigned { FLUSH_BITS = 0x8040 };  // MXCSR: flush to zero, denormals are zeros
static inline unsigned arithmetic_mode() {
  unsigned mode;
  asm volatile("stmxcsr %0" : "=m"(mode));
  return mode;
}
static inline void set_arithmetic_mode(unsigned mode) { asm volatile("ldmxcsr %0" : : "m"(mode) : "memory"); }
#elif defined(__aarch64__)
enum : unsigned { FLUSH_BITS = 1u << 24 };  // FPCR.FZ
static inline unsigned arithmetic_mode() {
  unsigned long long mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return (unsigned)mode;
}
static inline void set_arithmetic_mode(unsigned mode) { asm volatile("msr fpcr, %0" : : "r"((unsigned long long)mode) : "memory"); }
#else
enum : unsigned { FLUSH_BITS = 0 };
static inline unsigned arithmetic_mode() { return 0; }
static inline void set_arithmetic_mode(unsigned) {}
#endif

// As it was before, when this ends.
class KeptArithmetic {
 public:
  KeptArithmetic() : mode_(arithmetic_mode()) {}
  ~KeptArithmetic() { set_arithmetic_mode(mode_); }
  KeptArithmetic(const KeptArithmetic &) = delete;

 private:
  unsigned mode_;
};
// What a number below 2^-126 is taken for. Processors choose the less of two numbers, and change signs, without doing so.
static inline float flushed_to_zero(float x) { return __builtin_fabsf(x) < 1.1754944e-38f ? __builtin_copysignf(0.0f, x) : x; }

}  // namespace gpuopt_emu

#endif
