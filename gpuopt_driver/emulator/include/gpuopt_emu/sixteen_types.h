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
  GPUOPT_H(long v) : GPUOPT_H(gpuopt_emu::wholly(v)) {}
  GPUOPT_H(unsigned long v) : GPUOPT_H(gpuopt_emu::wholly(v)) {}
  GPUOPT_H(long long v) : GPUOPT_H(gpuopt_emu::wholly(v)) {}
  GPUOPT_H(unsigned long long v) : GPUOPT_H(gpuopt_emu::wholly(v)) {}
  GPUOPT_H(const GPUOPT_RAW &raw) : __x(raw.x) {}
  static GPUOPT_H from_bits(unsigned short bits) {
    GPUOPT_H h;
    h.__x = bits;
    return h;
  }
  operator float() const { return GPUOPT_VALUE(__x); }
#define GPUOPT_WHOLE(type) explicit operator type() const { return gpuopt_emu::saturated<type>(GPUOPT_VALUE(__x)); }
  GPUOPT_WHOLE(char) GPUOPT_WHOLE(signed char) GPUOPT_WHOLE(unsigned char) GPUOPT_WHOLE(short) GPUOPT_WHOLE(unsigned short)
  GPUOPT_WHOLE(int) GPUOPT_WHOLE(unsigned) GPUOPT_WHOLE(long) GPUOPT_WHOLE(unsigned long) GPUOPT_WHOLE(long long)
  GPUOPT_WHOLE(unsigned long long)
#undef GPUOPT_WHOLE
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
  operator GPUOPT_RAW() const { return GPUOPT_RAW{__x}; }
  operator GPUOPT_RAW() const volatile { return GPUOPT_RAW{__x}; }
  GPUOPT_H &operator=(const GPUOPT_RAW &raw) { return __x = raw.x, *this; }
  volatile GPUOPT_H &operator=(const GPUOPT_RAW &raw) volatile { return __x = raw.x, *this; }
};
struct __align__(4) GPUOPT_H2 {
  GPUOPT_H x, y;
  GPUOPT_H2() = default;
  GPUOPT_H2(GPUOPT_H a, GPUOPT_H b) : x(a), y(b) {}
  GPUOPT_H2(const GPUOPT_RAW2 &raw) : x(GPUOPT_H::from_bits(raw.x)), y(GPUOPT_H::from_bits(raw.y)) {}
};
