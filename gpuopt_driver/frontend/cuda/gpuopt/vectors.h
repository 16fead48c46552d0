// Built-in vector types, dim3 and the variables that say which thread this is. The latter are plain objects, so
// that `threadIdx.x` is an ordinary member expression.
#pragma once

typedef __SIZE_TYPE__ size_t;

#define GPUOPT_VECTOR1(T, N) \
    struct N##1 { T x; }; \
    static inline N##1 make_##N##1(T x) { return N##1{x}; }
#define GPUOPT_VECTOR2(T, N, ALIGN) \
    struct __attribute__((aligned(ALIGN))) N##2 { T x, y; }; \
    static inline N##2 make_##N##2(T x, T y) { return N##2{x, y}; }
#define GPUOPT_VECTOR3(T, N) \
    struct N##3 { T x, y, z; }; \
    static inline N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }
#define GPUOPT_VECTOR4(T, N, ALIGN) \
    struct __attribute__((aligned(ALIGN))) N##4 { T x, y, z, w; }; \
    static inline N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
#define GPUOPT_VECTORS(T, N, ALIGN2, ALIGN4) \
    GPUOPT_VECTOR1(T, N) \
    GPUOPT_VECTOR2(T, N, ALIGN2) \
    GPUOPT_VECTOR3(T, N) \
    GPUOPT_VECTOR4(T, N, ALIGN4)

GPUOPT_VECTORS(signed char, char, 2, 4)
GPUOPT_VECTORS(unsigned char, uchar, 2, 4)
GPUOPT_VECTORS(short, short, 4, 8)
GPUOPT_VECTORS(unsigned short, ushort, 4, 8)
GPUOPT_VECTORS(int, int, 8, 16)
GPUOPT_VECTORS(unsigned int, uint, 8, 16)
GPUOPT_VECTORS(long, long, 16, 16)
GPUOPT_VECTORS(unsigned long, ulong, 16, 16)
GPUOPT_VECTORS(long long, longlong, 16, 16)
GPUOPT_VECTORS(unsigned long long, ulonglong, 16, 16)
GPUOPT_VECTORS(float, float, 8, 16)
GPUOPT_VECTORS(double, double, 16, 16)

// CUDA 13's names for vectors of four long elements, aligned to 16 or 32 bytes.
#define GPUOPT_ALIGNED4(T, N) \
    struct __attribute__((aligned(16))) N##4_16a { T x, y, z, w; }; \
    struct __attribute__((aligned(32))) N##4_32a { T x, y, z, w; }; \
    static inline N##4_16a make_##N##4_16a(T x, T y, T z, T w) { return N##4_16a{x, y, z, w}; } \
    static inline N##4_32a make_##N##4_32a(T x, T y, T z, T w) { return N##4_32a{x, y, z, w}; }
GPUOPT_ALIGNED4(long, long)
GPUOPT_ALIGNED4(unsigned long, ulong)
GPUOPT_ALIGNED4(long long, longlong)
GPUOPT_ALIGNED4(unsigned long long, ulonglong)
GPUOPT_ALIGNED4(double, double)

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;
