// Code that asks for __CUDA_ARCH__: the host's answer in host code, the device's in kernels.
#include "check.h"

#ifdef __CUDA_ARCH__
__device__ int only_for_the_device(int x) { return x + 1; }
#endif

__host__ __device__ int where()
{
#ifdef __CUDA_ARCH__
    return 1000 + threadIdx.x;
#else
    return 1;
#endif
}

__global__ void kernel(int *out)
{
#if __CUDA_ARCH__ >= 700
    out[threadIdx.x] = only_for_the_device(where()) + 10000 * __LINE__;
#else
    out[threadIdx.x] = -1;
#endif
}

struct Member {
    int v;
    __host__ __device__ Member() : v(0)
    {
#if !defined(__CUDA_ARCH__)
        v = 5;
#elif __CUDA_ARCH__ == 700
        v = 6;
#endif
    }
};
__global__ void member(int *out) { *out = Member().v; }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double *, double) { return 0; }
#endif

// One of two, whose lines differ: the device's.
#if __CUDA_ARCH__ >= 500
static __device__ int either(int a, int b) { return a * b; }
#else
static __device__ int either(int x, int y)
{
    return x + y;
}
#endif
__global__ void one_of_two(int *out) { *out = either(5, 7); }

// Members of one pass only, and others that both have on different lines.
struct First {
#ifdef __CUDA_ARCH__
    __device__ operator int() const { return 10; }
    __device__ int on_the_device() const { return 20; }
#else
    __host__ __device__ operator int() const { return 1; }
    __host__ __device__ operator long() const { return 2; }
#endif
};
struct Second {
    int kept;
#ifdef __CUDA_ARCH__
    __device__ operator int() const { return 30; }
#else
    __host__ __device__ operator int() const { return 3; }
#endif
    __host__ __device__ int both() const { return 5; }
};
__global__ void members(int *out) { *out = (int)First() + First().on_the_device() + (int)Second() + Second().both(); }

// Classes of the device's pass only: a specialization in a namespace, and one that its functions use. A pragma by a macro.
namespace outer {
namespace inner {
template <class T, bool Pointer> struct Load {
    __host__ __device__ static int of(T from) { return *from; }
};
#ifdef __CUDA_ARCH__
template <class T> struct Load<T, true> {
    __host__ __device__ static int of(T from) { return *from + 1000; }
};
#endif
}  // namespace inner
template <class T> __device__ int load(T from) { return inner::Load<T, true>::of(from); }
}  // namespace outer
#ifdef __CUDA_ARCH__
#define UNROLLED #pragma unroll
struct Helper {
    int value;
    __device__ int twice() const { return 2 * value; }
};
__device__ inline int helped(int x) { return Helper{x}.twice(); }
#else
#define UNROLLED
__host__ __device__ inline int helped(int x) { return -x; }
#endif
__global__ void classes(int *out)
{
    int sum = 0;
    UNROLLED
    for (int i = 0; i < 4; ++i) sum += helped(i);
    out[1] = outer::load(out);
    out[2] = sum;
}

int main()
{
    int *out = device_array<int>(4);
    kernel<<<1, 4>>>(out);
    finish();
    EXPECT(out[2], 1003 + 10000 * 20);
    EXPECT(where(), 1);
    member<<<1, 1>>>(out);
    finish();
    EXPECT(*out, 6);
    EXPECT(Member().v, 5);
    one_of_two<<<1, 1>>>(out);
    finish();
    EXPECT(*out, 35);
    members<<<1, 1>>>(out);
    finish();
    EXPECT(*out, 65);
    EXPECT((int)First() + (int)Second() + (long)First(), 6);
    *out = 5;
    classes<<<1, 1>>>(out);
    finish();
    EXPECT(out[1], 1005);
    EXPECT(out[2], 12);
    EXPECT(helped(4), -4);
    EXPECT(__LINE__, 134);
    return verdict();
}
