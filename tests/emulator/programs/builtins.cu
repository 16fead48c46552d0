// Built-in variables in all places where they may stand, and other things that have their names.
#include "check.h"

__device__ int whole(uint3 b = blockIdx) { return (int)b.x; }
__device__ int by_reference(const uint3 &t = threadIdx) { return (int)t.x; }
__device__ int sizes(dim3 b = blockDim, dim3 g = gridDim) { return (int)(b.x * 100 + g.x); }
template <class T = uint3> __device__ int cast(T b = T(blockIdx)) { return (int)b.x; }
__device__ int first_of(uint3 at) { return (int)at.x; }
__device__ int of_a_call(int v = first_of(threadIdx), int w = ::blockIdx.x) { return v * 10 + w; }
struct Place {
    uint3 block = blockIdx;
    uint3 thread{threadIdx};
};
struct Constructed {
    uint3 at;
    dim3 of;
    __device__ Constructed() : at(threadIdx), of{blockDim} {}
};
struct Own {
    uint3 blockIdx, threadIdx{};
    dim3 *gridDim = nullptr;
    __device__ int sum() const { return (int)(blockIdx.x + threadIdx.x); }
    __device__ int others() const { return (int)(::blockIdx.x + ::threadIdx.x); }
    __device__ int outside() const;
};
__device__ int Own::outside() const { return (int)blockIdx.x * 2; }
struct Derived : Own {
    __device__ int twice() const { return (int)(this->blockIdx.x + blockIdx.x); }
};
enum class Names { blockIdx, threadIdx };

__global__ void everywhere(int *p)
{
    __shared__ int s[64];
    const int at = ::blockIdx.x * ::blockDim.x + ::threadIdx.x;
    s[threadIdx.x] = 100 * (int)::threadIdx.x;
    __syncthreads();
    int sum = s[(::threadIdx.x + 1) % blockDim.x] + whole() + by_reference() + sizes() + cast() + of_a_call();
    const Place place;
    const Constructed made;
    sum += (int)(place.block.x + place.thread.x + made.at.x + made.of.x);
    {
        const uint3 threadIdx = {7, 0, 0};
        sum += (int)(threadIdx.x + ::threadIdx.x);
    }
    sum += (int)threadIdx.x;
    p[at] = sum;
}

__global__ void named(int *p)
{
    Derived own;
    own.blockIdx.x = 5;
    own.threadIdx.x = 6;
    auto blockIdx = 8 + (int)Names::threadIdx;
    p[::blockIdx.x * blockDim.x + threadIdx.x] =
        own.sum() * 1000000 + own.others() * 10000 + own.outside() * 100 + own.twice() + blockIdx;
}

int main()
{
    int *p = device_array<int>(128);
    everywhere<<<2, 64>>>(p);
    finish();
    for (int b = 0; b < 2; ++b)
        for (int t = 0; t < 64; ++t)
            EXPECT(p[b * 64 + t], (t + 1) % 64 * 100 + b + t + 6402 + b + (t * 10 + b) + b + t + t + 64 + 7 + t + t);
    named<<<2, 64>>>(p);
    finish();
    for (int b = 0; b < 2; ++b)
        for (int t = 0; t < 64; ++t) EXPECT(p[b * 64 + t], 11 * 1000000 + (b + t) * 10000 + 10 * 100 + 10 + 9);
    return verdict();
}
