// The sum and the largest element of an array: a tree in shared memory with a barrier per level, the last warp by
// shuffles, and a second launch that joins the blocks.

#include "example.h"

struct Partial {
    float sum;
    float largest;
};

__device__ Partial join(Partial a, Partial b)
{
    return Partial{a.sum + b.sum, fmaxf(a.largest, b.largest)};
}

// Joins the block's partial results into thread 0's. The block has a power of two of at least 32 threads.
__device__ Partial join_block(Partial mine, Partial *shared)
{
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half >= 32; half /= 2) {
        if (threadIdx.x < half)
            shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    mine = shared[threadIdx.x];
    if (threadIdx.x < 32)
        for (int offset = 16; offset > 0; offset /= 2) {
            Partial other;
            other.sum = __shfl_down_sync(0xffffffffu, mine.sum, offset);
            other.largest = __shfl_down_sync(0xffffffffu, mine.largest, offset);
            mine = join(mine, other);
        }
    return mine;
}

__global__ void reduce_array(size_t count, const float *data, Partial *partials)
{
    extern __shared__ Partial shared[];
    Partial mine = {0.0f, -3.4e38f};
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        mine = join(mine, Partial{data[i], data[i]});
    mine = join_block(mine, shared);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = mine;
}

__global__ void reduce_partials(int count, const Partial *partials, Partial *total)
{
    extern __shared__ Partial shared[];
    Partial mine = {0.0f, -3.4e38f};
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        mine = join(mine, partials[i]);
    mine = join_block(mine, shared);
    if (threadIdx.x == 0)
        *total = mine;
}

enum Seed : unsigned { SEED_DATA = 1 };

int main(int argc, char **argv)
{
    Options options("reduce", argc, argv);
    const int count = options.number("elements", 50000);
    const int blocks = options.number("blocks", 12);
    const int threads = options.number("threads per block", 128);
    const int repeat = options.number("repeat", 1);
    options.finish();
    if (threads < 32 || (threads & (threads - 1)) != 0) {
        std::fprintf(stderr, "reduce: threads per block must be a power of two of at least 32\n");
        return 2;
    }

    float *data = filled_array(count, SEED_DATA);
    Partial *partials = device_array<Partial>(blocks);
    Partial *total = device_array<Partial>(1);

    std::printf("reduce: %d elements, %d blocks of %d threads\n", count, blocks, threads);
    const size_t shared_bytes = threads * sizeof(Partial);
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        watch.start();
        reduce_array<<<blocks, threads, shared_bytes>>>(count, data, partials);
        reduce_partials<<<1, threads, shared_bytes>>>(blocks, partials, total);
        watch.stop();
    }
    watch.report("reduce", "reduce", sizeof(float) * (double)count);

    Results results("reduce", 1e-6);
    const Partial got = to_host(total, 1)[0];
    results.add(std::vector<float>{got.sum, got.largest});
    Sum sum;
    float largest = -3.4e38f;
    for (int i = 0; i < count; ++i) {
        sum.add(input(i, SEED_DATA));
        largest = std::max(largest, input(i, SEED_DATA));
    }
    results.expect("sum", 0, got.sum, sum.value, sum.magnitude);
    results.expect("largest", 0, got.largest, largest, 0.0);

    CHECK(cudaFree(data));
    CHECK(cudaFree(partials));
    CHECK(cudaFree(total));
    return results.finish();
}
