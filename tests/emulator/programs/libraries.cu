// Headers beside the runtime API: half precision, cooperative groups.
#include "check.h"

#include <cmath>
#include <curand.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda/pipeline>
#include <mma.h>

namespace cg = cooperative_groups;

__global__ void halves(const float *in, float *out, int n)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    out[i] = __half2float(__float2half(in[i]));
    const __half2 doubled = __hmul2(__floats2half2_rn(in[i], 1.0f), __float2half2_rn(2));
    out[32 + i] = __low2float(doubled) + __half2float(__half(in[i]) + __half(1));
}

static void half_precision()
{
    const float values[] = {0, 1, -2.5f, 65504, 65519, 65520, 1e-8f, 5.9604645e-8f, 6e-5f, 0.1f, 1.0009766f, 1.0004883f,
                            2049, 2051};
    const float rounded[] = {0, 1, -2.5f, 65504, 65504, INFINITY, 0, 5.9604645e-8f, 6.0021877e-05f, 0.099975586f,
                             1.0009766f, 1, 2048, 2052};
    float *in = device_array<float>(32), *out = device_array<float>(64);
    for (int i = 0; i < 14; ++i) in[i] = values[i];
    halves<<<1, 32>>>(in, out, 14);
    finish();
    for (int i = 0; i < 14; ++i) EXPECT(out[i], rounded[i]);
    EXPECT(out[33], 4.0f);
}

__device__ int sum_of_tile(cg::thread_block_tile<8> tile, int value) { return cg::reduce(tile, value, cg::plus<int>()); }

__global__ void groups(int *out)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int t = block.thread_rank();
    out[t] = sum_of_tile(tile, t);
    out[64 + t] = tile.shfl_xor(t, 1) + 100 * tile.ballot(t % 2);
    if (t % 3 == 0) {
        const auto active = cg::coalesced_threads();
        out[128 + t] = active.thread_rank() + 100 * active.size() + 10000 * active.shfl(t, 1);
        active.sync();
    }
    const cg::coalesced_group odd_or_even = cg::binary_partition(tile, t % 2);
    const int4 wide = tile.shfl_down(make_int4(t, 2 * t, 3 * t, 4 * t), 1);
    out[256 + t] = odd_or_even.size() + 10 * odd_or_even.thread_rank() + 1000 * wide.w;
    cg::sync(block);
    cg::this_grid().sync();
    const cg::thread_group small = cg::tiled_partition(block, 4);
    out[192 + t] = small.thread_rank() + 10 * small.size();
}

static void cooperative_groups_of_a_block()
{
    int *out = device_array<int>(320);
    void *arguments[] = {&out};
    EXPECT_STATUS(cudaLaunchCooperativeKernel((void *)groups, dim3(1), dim3(64), arguments, 0, 0), cudaSuccess);
    finish();
    for (int t = 0; t < 64; ++t) {
        EXPECT(out[t], t / 8 * 64 + 28);
        EXPECT(out[64 + t], (t ^ 1) + 100 * 0xaa);
        EXPECT(out[192 + t], t % 4 + 40);
        EXPECT(out[256 + t], 4 + 10 * (t % 8 / 2) + 4000 * (t % 8 == 7 ? t : t + 1));
        const int first = (t / 32 * 32 + 2) / 3 * 3;  // of the multiples of three in the warp, which are eleven
        if (t % 3 == 0) EXPECT(out[128 + t], (t - first) / 3 + 1100 + 10000 * (first + 3));
    }
}

static void numbers_of_the_host_library()
{
    const int n = 20000;
    float *uniform = device_array<float>(n), *normal = device_array<float>(n);
    curandGenerator_t generator, other;
    EXPECT_STATUS(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandSetPseudoRandomGeneratorSeed(generator, 1234), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandGenerateUniform(generator, uniform, n), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandGenerateNormal(generator, normal, n, 2.0f, 3.0f), CURAND_STATUS_SUCCESS);
    double sums[4] = {};
    for (int i = 0; i < n; ++i) {
        EXPECT(uniform[i] > 0 && uniform[i] <= 1, true);
        sums[0] += uniform[i], sums[1] += uniform[i] * uniform[i];
        sums[2] += normal[i], sums[3] += (normal[i] - 2) * (normal[i] - 2);
    }
    EXPECT(fabs(sums[0] / n - 0.5) < 0.01 && fabs(sums[1] / n - 1.0 / 3) < 0.01, true);
    EXPECT(fabs(sums[2] / n - 2) < 0.1 && fabs(sums[3] / n - 9) < 0.3, true);
    EXPECT_STATUS(curandSetPseudoRandomGeneratorSeed(generator, 1234), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandSetGeneratorOffset(generator, 7), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandGenerateUniform(generator, normal, 100), CURAND_STATUS_SUCCESS);
    for (int i = 0; i < 100; ++i) EXPECT(normal[i], uniform[i + 7]);
    EXPECT_STATUS(curandGenerateNormal(generator, normal, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    EXPECT_STATUS(curandCreateGenerator(&other, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_TYPE_ERROR);
    EXPECT_STATUS(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
}

int main()
{
    half_precision();
    numbers_of_the_host_library();
    cooperative_groups_of_a_block();
    return verdict();
}
