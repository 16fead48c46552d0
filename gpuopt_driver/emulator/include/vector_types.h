/* CUDA's vector types: the same names, members, sizes and alignments. */
#ifndef GPUOPT_VECTOR_TYPES_H
#define GPUOPT_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* as programs ask for it */

#define GPUOPT_ALIGNED(bytes) __attribute__((aligned(bytes)))

#define GPUOPT_VECTORS(name, type, a1, a2, a4)                       \
  struct GPUOPT_ALIGNED(a1) name##1 { type x; };                     \
  struct GPUOPT_ALIGNED(a2) name##2 { type x, y; };                  \
  struct GPUOPT_ALIGNED(a1) name##3 { type x, y, z; };               \
  struct GPUOPT_ALIGNED(a4) name##4 { type x, y, z, w; };            \
  typedef struct name##1 name##1;                                    \
  typedef struct name##2 name##2;                                    \
  typedef struct name##3 name##3;                                    \
  typedef struct name##4 name##4;

GPUOPT_VECTORS(char, signed char, 1, 2, 4)
GPUOPT_VECTORS(uchar, unsigned char, 1, 2, 4)
GPUOPT_VECTORS(short, short, 2, 4, 8)
GPUOPT_VECTORS(ushort, unsigned short, 2, 4, 8)
GPUOPT_VECTORS(int, int, 4, 8, 16)
GPUOPT_VECTORS(uint, unsigned int, 4, 8, 16)
GPUOPT_VECTORS(long, long int, 8, 16, 16)
GPUOPT_VECTORS(ulong, unsigned long int, 8, 16, 16)
GPUOPT_VECTORS(longlong, long long int, 8, 16, 16)
GPUOPT_VECTORS(ulonglong, unsigned long long int, 8, 16, 16)
GPUOPT_VECTORS(float, float, 4, 8, 16)
GPUOPT_VECTORS(double, double, 8, 16, 16)
#undef GPUOPT_VECTORS

/* Four numbers of 8 bytes, with the alignment in the name (CUDA 13). */
#define GPUOPT_VECTORS(name, type)                                             \
  struct GPUOPT_ALIGNED(16) name##4_16a { type x, y, z, w; };                  \
  struct GPUOPT_ALIGNED(32) name##4_32a { type x, y, z, w; };                  \
  typedef struct name##4_16a name##4_16a;                                      \
  typedef struct name##4_32a name##4_32a;
GPUOPT_VECTORS(long, long int)
GPUOPT_VECTORS(ulong, unsigned long int)
GPUOPT_VECTORS(longlong, long long int)
GPUOPT_VECTORS(ulonglong, unsigned long long int)
GPUOPT_VECTORS(double, double)
#undef GPUOPT_VECTORS

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  operator uint3() const { uint3 t = {x, y, z}; return t; }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
