// Older programs: threads of a warp in step on volatile memory, and waiting loops on it.
#include "check.h"

template <unsigned Size> __device__ void sum_in_last_warp(volatile int *s, unsigned t)
{
    if (Size >= 64) s[t] += s[t + 32];
    if (Size >= 32) s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void sum(const int *in, int *out)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) sum_in_last_warp<64>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

// Lanes read what lanes below them wrote a step ago: no order of whole threads does that.
__global__ void scan(int *out)
{
    volatile __shared__ int s[64];
    int x = threadIdx.x + 1;
    s[threadIdx.x] = 0;
    s[threadIdx.x + 32] = x;
    for (int distance = 1; distance < 32; distance *= 2) s[threadIdx.x + 32] = x = x + s[threadIdx.x + 32 - distance];
    out[threadIdx.x] = s[threadIdx.x + 32];
}

__global__ void wait_for_flag(volatile int *flag, int *out)
{
    volatile int *same;
    same = flag;
    if (threadIdx.x == 3) {
        while (flag[0] == 0)
            ;
        out[0] = flag[0];
    }
    if (threadIdx.x == 50) same[0] = 7;
}

// Elements with operators of their own, in a template and outside of one.
struct Total
{
    int value, times;
    __device__ void operator+=(int x) volatile { value += x, ++times; }
    template <class T> __device__ int operator-=(const T &x) volatile { return value -= (int)x; }
};
template <class T> __device__ void add_twice(volatile T *v, int i, int x)
{
    v[i] += x;
    v[i] += (short)x;
    v[i] -= 1LL;
}
template <class T> __global__ void totals(T *out)
{
    volatile __shared__ T v[32];
    v[threadIdx.x].value = v[threadIdx.x].times = 0;
    volatile Total *same = v;
    same[threadIdx.x] += 100;
    add_twice(v, threadIdx.x, threadIdx.x);
    out[threadIdx.x].value = v[threadIdx.x].value;
    out[threadIdx.x].times = v[threadIdx.x].times;
}
__global__ void numbers(int *out)
{
    volatile __shared__ int v[32];
    v[threadIdx.x] = 0;
    add_twice(v, threadIdx.x, 3);
    out[threadIdx.x] = v[threadIdx.x];
}

int main()
{
    int *in = device_array<int>(512), *out = device_array<int>(32), *flag = device_array<int>(1), total = 0;
    for (int i = 0; i < 512; ++i) total += in[i] = i * 7 % 31;
    sum<<<2, 256, 256 * sizeof(int)>>>(in, out);
    finish();
    EXPECT(out[0] + out[1], total);
    scan<<<1, 32>>>(out);
    finish();
    for (int t = 0; t < 32; ++t) EXPECT(out[t], (t + 1) * (t + 2) / 2);
    Total *total_of = device_array<Total>(32);
    totals<<<1, 32>>>(total_of);
    numbers<<<1, 32>>>(out);
    finish();
    for (int t = 0; t < 32; ++t) {
        EXPECT(total_of[t].value, 99 + 2 * t);
        EXPECT(total_of[t].times, 3);
        EXPECT(out[t], 5);
    }
    wait_for_flag<<<1, 64>>>(flag, out);
    finish();
    EXPECT(out[0], 7);
    return verdict();
}
