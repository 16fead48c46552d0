// The types of one 16-bit format and of pairs of it; the macros are those of cuda_fp16.h. Included once per format.
struct GPUOPT_RAW { unsigned short x; };
struct GPUOPT_RAW2 { unsigned short x, y; };

struct __align__(2) GPUOPT_H {
  unsigned short __x;  // the name that NVIDIA's C++ libraries know
  GPUOPT_H() = default;
  GPUOPT_H(float v) : __x(GPUOPT_BITS(v)) {}
  GPUOPT_H(double v) : __x(GPUOPT_BITS(gpuopt_emu::to_odd(v))) {}
  GPUOPT_H(short v) : GPUOPT_H((float)v) {}
  GPUOPT_H(unsigned short v) : GPUOPT_H((float)v) {}
  GPUOPT_H(int v) : GPUOPT_H((double)v) {}
  GPUOPT_H(unsigned v) : GPUOPT_H((double)v) {}
  GPUOPT_H(long v) : GPUOPT_H((double)v) {}
  GPUOPT_H(unsigned long v) : GPUOPT_H((double)v) {}
  GPUOPT_H(long long v) : GPUOPT_H((double)v) {}
  GPUOPT_H(unsigned long long v) : GPUOPT_H((double)v) {}
  GPUOPT_H(const GPUOPT_RAW &raw) : __x(raw.x) {}
  static GPUOPT_H from_bits(unsigned short bits) {
    GPUOPT_H h;
    h.__x = bits;
    return h;
  }
  operator float() const { return GPUOPT_VALUE(__x); }
  operator GPUOPT_RAW() const { return GPUOPT_RAW{__x}; }
};
struct __align__(4) GPUOPT_H2 {
  GPUOPT_H x, y;
  GPUOPT_H2() = default;
  GPUOPT_H2(GPUOPT_H a, GPUOPT_H b) : x(a), y(b) {}
  GPUOPT_H2(const GPUOPT_RAW2 &raw) : x(GPUOPT_H::from_bits(raw.x)), y(GPUOPT_H::from_bits(raw.y)) {}
};
