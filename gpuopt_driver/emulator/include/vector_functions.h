// make_TYPEn for every vector type.
#ifndef GPUOPT_VECTOR_FUNCTIONS_H
#define GPUOPT_VECTOR_FUNCTIONS_H
#include "vector_types.h"
#ifdef __cplusplus

#define GPUOPT_MAKE(name, type)                                                                          \
  static inline constexpr name##1 make_##name##1(type x) { return name##1{x}; }                          \
  static inline constexpr name##2 make_##name##2(type x, type y) { return name##2{x, y}; }               \
  static inline constexpr name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }    \
  static inline constexpr name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }

GPUOPT_MAKE(char, signed char)
GPUOPT_MAKE(uchar, unsigned char)
GPUOPT_MAKE(short, short)
GPUOPT_MAKE(ushort, unsigned short)
GPUOPT_MAKE(int, int)
GPUOPT_MAKE(uint, unsigned int)
GPUOPT_MAKE(long, long int)
GPUOPT_MAKE(ulong, unsigned long int)
GPUOPT_MAKE(longlong, long long int)
GPUOPT_MAKE(ulonglong, unsigned long long int)
GPUOPT_MAKE(float, float)
GPUOPT_MAKE(double, double)
#undef GPUOPT_MAKE
#define GPUOPT_MAKE(name, type)                                                                                     \
  static inline constexpr name make_##name(type x, type y, type z, type w) { return name{x, y, z, w}; }
#define GPUOPT_ALIGNED_MAKE(name, type) GPUOPT_MAKE(name##_16a, type) GPUOPT_MAKE(name##_32a, type)
GPUOPT_ALIGNED_MAKE(long4, long int)
GPUOPT_ALIGNED_MAKE(ulong4, unsigned long int)
GPUOPT_ALIGNED_MAKE(longlong4, long long int)
GPUOPT_ALIGNED_MAKE(ulonglong4, unsigned long long int)
GPUOPT_ALIGNED_MAKE(double4, double)
#undef GPUOPT_ALIGNED_MAKE
#undef GPUOPT_MAKE

#endif
#endif
