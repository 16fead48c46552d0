// Barriers, warp operations and shared memory under divergence.
#include "check.h"

// Threads leave one after another; the others keep meeting, and see what the others wrote.
__global__ void threads_leave(int *out)
{
    __shared__ int turn[64];
    int rounds = 0;
    for (int i = 0; i < 64; ++i) {
        if ((int)threadIdx.x == i) {
            out[threadIdx.x] = rounds;
            return;
        }
        __syncthreads();
        turn[threadIdx.x] = ++rounds;
        __syncthreads();
        for (int k = i + 1; k < 64; ++k)
            if (turn[k] != rounds) out[threadIdx.x] = -1000;
    }
}

__global__ void barrier_on_both_sides(int *out)
{
    __shared__ int data[128];
    data[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 2) {
        __syncthreads();
        out[threadIdx.x] = data[127 - threadIdx.x];
    } else {
        __syncthreads();
        out[threadIdx.x] = -data[127 - threadIdx.x];
    }
}

__global__ void barrier_votes(int *out)
{
    const int t = threadIdx.x;
    const int thirds = __syncthreads_count(t % 3 == 0);
    const int all = __syncthreads_and(t >= 0), not_all = __syncthreads_and(t > 0);
    const int one = __syncthreads_or(t == 95), none = __syncthreads_or(t == 96);
    if (t < 32) return;
    const int left = __syncthreads_count(1);
    out[t] = thirds + 1000 * all + 2000 * not_all + 4000 * one + 8000 * none + 10000 * left;
}

// Producers go on at once, consumers wait for them; barrier 0 is everybody's.
__global__ void named_barriers(int *out)
{
    __shared__ int box;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) box = 42;
        asm volatile("bar.arrive 1, 64;");
    } else {
        asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(64));
        out[threadIdx.x] = box;
    }
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = box + 1;
}

static void barriers(int *out)
{
    threads_leave<<<1, 64>>>(out);
    finish();
    for (int t = 0; t < 64; ++t) EXPECT(out[t], t);
    barrier_on_both_sides<<<3, 128>>>(out);
    finish();
    for (int t = 0; t < 128; ++t) EXPECT(out[t], t % 2 ? 127 - t : t - 127);
    barrier_votes<<<1, 96>>>(out);
    finish();
    for (int t = 32; t < 96; ++t) EXPECT(out[t], 32 + 1000 + 4000 + 10000 * 64);
    named_barriers<<<1, 64>>>(out);
    finish();
    for (int t = 0; t < 64; ++t) EXPECT(out[t], t < 32 ? 43 : 42);
}

// 80 threads: the last warp has 16 lanes.
__global__ void shuffles(int *out, double *wide)
{
    const int t = threadIdx.x, lane = t % 32;
    const unsigned mask = t < 64 ? 0xffffffffu : 0x0000ffffu;
    out[t] = __shfl_sync(mask, t, 5);
    out[80 + t] = __shfl_up_sync(mask, t, 3);
    out[160 + t] = __shfl_down_sync(mask, t, 2, 8);
    out[240 + t] = __shfl_xor_sync(mask, t, 1);
    wide[t] = __shfl_sync(mask, 0.5 + t, (lane + 1) % 16, 16);
}

// Both sides of a branch meet under masks of their own; then lanes drop out of a loop one by one.
__global__ void masks(int *out)
{
    const int t = threadIdx.x, lane = t % 32;
    int v = 0;
    if (lane < 16) {
        for (int k = 0; k < 3; ++k) v += __shfl_xor_sync(0x0000ffffu, lane + k, 1);
    } else {
        v = __reduce_add_sync(0xffff0000u, 1u);
        v += 100 * (__ballot_sync(0xffff0000u, lane & 1) >> 16);
    }
    __syncwarp();
    int lanes = 0;
    for (int k = 0; k <= lane; ++k) lanes += __popc(__ballot_sync(0xffffffffu << k, 1));
    __syncthreads();
    out[t] = v * 1000 + lanes;
}

// Exited lanes are in the mask, and are not waited for.
__global__ void exited_lanes(unsigned *out)
{
    const int t = threadIdx.x;
    if (t % 4 == 3) return;
    out[t] = __ballot_sync(0xffffffffu, t % 2 == 0);
    out[32 + t] = __any_sync(0xffffffffu, t == 3) * 2 + __all_sync(0xffffffffu, t != 3);
}

__global__ void matches(unsigned *out)
{
    const int t = threadIdx.x;
    int same;
    out[t] = __match_any_sync(~0u, t % 3);
    out[32 + t] = __match_all_sync(~0u, 7, &same) == ~0u && same;
    out[64 + t] = __match_all_sync(~0u, t / 31, &same) == 0 && !same;
}

// Operations without a mask are for the lanes that are there.
__global__ void without_masks(unsigned *out)
{
    const int t = threadIdx.x;
    if (t % 2) out[t] = __activemask(); else if (t % 4) out[t] = __activemask(); else out[t] = 1;
    __syncwarp();
    out[32 + t] = __activemask();
    out[64 + t] = __ballot(t < 7);
    if (t < 10) out[96 + t] = __any(t == 9) + 2 * __all(t < 10);
    out[128 + t] = __shfl(t * t, 31 - t);
}

static void warps(int *out)
{
    double *wide = device_array<double>(80);
    shuffles<<<1, 80>>>(out, wide);
    finish();
    for (int t = 0; t < 80; ++t) {
        const int lane = t % 32, first = t - lane;
        EXPECT(out[t], first + 5);
        EXPECT(out[80 + t], lane < 3 ? t : t - 3);
        EXPECT(out[160 + t], lane % 8 < 6 ? t + 2 : t);
        EXPECT(out[240 + t], t ^ 1);
        EXPECT(wide[t], 0.5 + first + lane / 16 * 16 + (lane + 1) % 16);
    }
    masks<<<2, 64>>>(out);
    finish();
    for (int t = 0; t < 64; ++t) {
        const int lane = t % 32, v = lane < 16 ? 3 * (lane ^ 1) + 3 : 16 + 100 * 0xaaaa;
        EXPECT(out[t], v * 1000 + (lane + 1) * 32 - lane * (lane + 1) / 2);
    }
    unsigned *bits = (unsigned *)out;
    exited_lanes<<<1, 32>>>(bits + 1000);
    matches<<<1, 32>>>(bits + 2000);
    without_masks<<<1, 32>>>(bits);
    finish();
    for (int t = 0; t < 32; ++t) {
        if (t % 4 != 3) EXPECT(bits[1000 + t], 0x55555555u);
        if (t % 4 != 3) EXPECT(bits[1032 + t], 1u);
        unsigned thirds = 0;
        for (int k = t % 3; k < 32; k += 3) thirds |= 1u << k;
        EXPECT(bits[2000 + t], thirds);
        EXPECT(bits[2032 + t], 1u);
        EXPECT(bits[2064 + t], 1u);
        EXPECT(bits[t], t % 2 ? 0xaaaaaaaau : t % 4 ? 0x44444444u : 1u);
        EXPECT(bits[32 + t], ~0u);
        EXPECT(bits[64 + t], 127u);
        if (t < 10) EXPECT(bits[96 + t], 3u);
        EXPECT(bits[128 + t], (unsigned)((31 - t) * (31 - t)));
    }
}

template <class T, int N> struct Tile {
    T v[N];
};

template <class T, int N> __device__ T block_sum(T x)
{
    __shared__ T part[N];
    __shared__ volatile Tile<T, 2> one, more[3];
    part[threadIdx.x] = x;
    one.v[1] = 1;
    more[2].v[0] = 0;
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < N; ++i) sum += part[i];
    __syncthreads();
    return sum + one.v[1] + more[2].v[0];
}

template <class T> __global__ void __launch_bounds__(64, 2) shared_of_templates(T *out, T scale = T(2))
{
    extern __shared__ unsigned char raw[];
    T *dynamic = reinterpret_cast<T *>(raw);
    static __shared__ T first, second[2][32];
    dynamic[threadIdx.x] = threadIdx.x * scale;
    second[threadIdx.x / 32][threadIdx.x % 32] = 1;
    if (threadIdx.x == 0) first = 5;
    __syncthreads();
    const T sum = block_sum<T, 64>(dynamic[63 - threadIdx.x]);
    out[threadIdx.x] = sum + first + second[1][3];
}

extern __shared__ float at_file[];
__shared__ int fixed_at_file[4];
__global__ void shared_outside_functions(float *out)
{
    at_file[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 4) fixed_at_file[threadIdx.x] = 10;
    __syncthreads();
    out[threadIdx.x] = at_file[31 - threadIdx.x] + fixed_at_file[threadIdx.x % 4] + *(&at_file[0] + 1);
}

__global__ void three_dimensions(int *out)
{
    const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[b * 24 + t] = 10000 * b + t;
    if (b == 5) {
        __syncthreads();
        out[b * 24 + t] += __syncthreads_count(1);
    }
}

static void shared_memory(int *out)
{
    shared_of_templates<int><<<1, 64, 64 * sizeof(int)>>>(out);
    finish();
    for (int t = 0; t < 64; ++t) EXPECT(out[t], 63 * 64 + 7);
    double *doubles = device_array<double>(64);
    shared_of_templates<<<dim3(2), dim3(64), 64 * sizeof(double), 0>>>(doubles, 3.0);
    float *floats = device_array<float>(32);
    shared_outside_functions<<<1, 32, 128>>>(floats);
    three_dimensions<<<dim3(2, 2, 2), dim3(4, 3, 2)>>>(out);
    finish();
    EXPECT(doubles[7], 63 * 32 * 3 + 7.0);
    EXPECT(floats[2], 29 + 10 + 1.0f);
    for (int b = 0; b < 8; ++b)
        for (int t = 0; t < 24; ++t) EXPECT(out[b * 24 + t], 10000 * b + t + (b == 5 ? 24 : 0));
}

// Waiting for another thread by spinning on what it will write.
__global__ void spin(int *flags)
{
    if (threadIdx.x == 0)
        while (atomicAdd(flags, 0) != 1) {
        }
    if (threadIdx.x == 40) atomicExch(flags, 1);
    while (atomicCAS(flags + 1, 0, 1) != 0) {
    }
    flags[2] += 1;  // one thread at a time
    __threadfence();
    atomicExch(flags + 1, 0);
}

// Blocks that are run one behind the other, some of whose threads let others go on (every 64th addition of nothing).
__global__ void counted(int *count, int *seen, int reads)
{
    const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (b % 5 == 3)
        for (int i = 0; i < reads; ++i) atomicAdd(count, 0);
    atomicAdd(count, 1);
    atomicAdd(&seen[b], 1 + threadIdx.x);
}

// The same in loops between barriers.
__global__ void counted_by_blocks(int *count, int *seen, int reads)
{
    __shared__ int here;
    const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    if (b % 5 == 3)
        for (int i = 0; i < reads; ++i) atomicAdd(count, 0);
    atomicAdd(&here, 1 + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) seen[b] += here;
    atomicAdd(count, 1);
}

template <class Kernel> static void blocks_in_rows(Kernel kernel)
{
    const int blocks = 13 * 11 * 9, threads = 40;
    int *count = device_array<int>(1), *seen = device_array<int>(blocks);
    for (int reads = 0; reads < 200; reads += 90) {
        *count = 0;
        for (int b = 0; b < blocks; ++b) seen[b] = 0;
        kernel<<<dim3(13, 11, 9), threads>>>(count, seen, reads);
        finish();
        EXPECT(*count, blocks * threads);
        for (int b = 0; b < blocks; ++b) EXPECT(seen[b], threads * (threads + 1) / 2);
    }
}

int main()
{
    int *out = device_array<int>(4096);
    barriers(out);
    warps(out);
    shared_memory(out);
    blocks_in_rows(counted);
    blocks_in_rows(counted_by_blocks);
    int *flags = device_array<int>(4);
    spin<<<20, 64>>>(flags);
    finish();
    EXPECT(flags[2], 20 * 64);
    return verdict();
}
