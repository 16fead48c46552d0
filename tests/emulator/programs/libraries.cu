// Headers beside the runtime API: half precision, cooperative groups.
#include "check.h"

#include <cmath>
#include <curand.h>
#include <curand_kernel.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda/pipeline>
#include <mma.h>
#include <vector>

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
    EXPECT_STATUS(curandCreateGenerator(&other, CURAND_RNG_TEST), CURAND_STATUS_TYPE_ERROR);
    EXPECT_STATUS(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
}

// What cuRAND's own library (10.3, its generators for the host) delivers for the seed 1234.
void numbers_are_curands()
{
    struct {
        curandRngType_t type;
        unsigned later, first[5], after;
        float normal[4];
        double uniform[2];
    } known[] = {
        {CURAND_RNG_PSEUDO_XORWOW, 4096, {624778773, 3522650202, 2363946744, 1266286439, 3928747533}, 1867875844,
         {0.780973554f, -1.80157816f, -0.280848563f, 0.563546598f}, {0.43489880438841294, 0.92641692020243771}},
        {CURAND_RNG_PSEUDO_MRG32K3A, 81920, {3379073520, 653317650, 4012281984, 4237272334, 4243547925}, 2521876100,
         {-0.360653788f, -0.591281295f, -1.7185365f, -0.901611984f}, {0.78675186271572939, 0.15211236914421553}},
        {CURAND_RNG_PSEUDO_MT19937, 16, {822569775, 292421642, 643530888, 2825097111, 2548682254}, 2838483517,
         {-0.8723107f, -1.4902084f, -1.0371468f, 0.40638238f}, {0.19151945027988404, 0.06808471924159676}},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 262144, {546353992, 3665621163, 1140953199, 3419031310, 3507855656}, 2666454581,
         {-1.61649048f, 1.22915542f, -1.56054044f, 0.464621365f}, {0.85346899543001431, 0.79605514883270523}},
    };
    for (const auto &one : known) {
        curandGenerator_t generator;
        EXPECT_STATUS(curandCreateGenerator(&generator, one.type), CURAND_STATUS_SUCCESS);
        const auto restart = [&] { curandSetPseudoRandomGeneratorSeed(generator, 1234); };
        std::vector<unsigned> numbers(one.later + 1);
        float normal[4];
        double uniform[2];
        restart();
        curandGenerate(generator, numbers.data(), 3);
        curandGenerate(generator, numbers.data() + 3, numbers.size() - 3);
        for (int i = 0; i < 5; ++i) EXPECT(numbers[i], one.first[i]);
        EXPECT(numbers.back(), one.after);
        restart();
        curandGenerateNormal(generator, normal, 4, 0, 1);
        for (int i = 0; i < 4; ++i) EXPECT(fabsf(normal[i] - one.normal[i]) <= 4e-7f, true);
        restart();
        curandGenerateUniformDouble(generator, uniform, 2);
        EXPECT(uniform[0] == one.uniform[0] && uniform[1] == one.uniform[1], true);
        curandDestroyGenerator(generator);
    }
}

template <class Word> unsigned long long sum_of(const Word *words, size_t count)
{
    unsigned long long sum = 0;
    for (size_t i = 0; i < count; ++i) sum += words[i] * (i * 2654435761ull + 1);
    return sum;
}

// The same of its tables and quasi-random generators.
void sequences_are_curands()
{
    curandDirectionVectors32_t *narrow;
    curandDirectionVectors64_t *wide;
    EXPECT_STATUS(curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_32_JOEKUO6), CURAND_STATUS_OUT_OF_RANGE);
    EXPECT(sum_of(narrow[0], 20000 * 32), 1820013201087855932ull);
    EXPECT(sum_of(wide[0], 20000 * 64), 17134008264264743116ull);
    curandGenerator_t generator;
    EXPECT_STATUS(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 20001), CURAND_STATUS_OUT_OF_RANGE);
    EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 3), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandSetPseudoRandomGeneratorSeed(generator, 3), CURAND_STATUS_TYPE_ERROR);
    EXPECT_STATUS(curandSetGeneratorOffset(generator, 5), CURAND_STATUS_SUCCESS);
    unsigned numbers[12];
    EXPECT_STATUS(curandGenerate(generator, numbers, 10), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    EXPECT_STATUS(curandGenerateLongLong(generator, nullptr, 3), CURAND_STATUS_TYPE_ERROR);
    EXPECT_STATUS(curandGenerate(generator, numbers, 3), CURAND_STATUS_SUCCESS);
    EXPECT_STATUS(curandGenerate(generator, numbers + 3, 9), CURAND_STATUS_SUCCESS);
    const unsigned known[] = {3758096384, 3758096384, 536870912, 2684354560, 536870912, 805306368,
                              536870912, 2684354560, 1342177280, 3758096384, 1610612736, 4026531840};
    for (int i = 0; i < 12; ++i) EXPECT(numbers[i], known[i]);
    curandDestroyGenerator(generator);
}

// Poisson numbers from a table: a mean and a variance of 30.
__global__ void discrete(unsigned *out, curandDiscreteDistribution_t distribution)
{
    curandStatePhilox4_32_10_t state;
    curand_init(1, threadIdx.x, 0, &state);
    for (int i = 0; i < 100; ++i) out[i * blockDim.x + threadIdx.x] = curand_discrete(&state, distribution);
}
void discrete_numbers()
{
    const int n = 12800;
    unsigned *out = device_array<unsigned>(n);
    curandDiscreteDistribution_t distribution;
    EXPECT_STATUS(curandCreatePoissonDistribution(-1, &distribution), CURAND_STATUS_OUT_OF_RANGE);
    EXPECT_STATUS(curandCreatePoissonDistribution(30, &distribution), CURAND_STATUS_SUCCESS);
    discrete<<<1, 128>>>(out, distribution);
    finish();
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) sum += out[i], squares += (out[i] - 30.0) * (out[i] - 30.0);
    EXPECT(fabs(sum / n - 30) < 0.2 && fabs(squares / n - 30) < 1.5, true);
    EXPECT_STATUS(curandDestroyDistribution(distribution), CURAND_STATUS_SUCCESS);
}

__global__ void sobol(unsigned *out)
{
    const curandDirectionVectors32_t vectors = {0x80000000, 0xc0000000, 0x60000000};
    curandStateSobol32_t state;
    curand_init(vectors, 0, &state);
    for (int i = 0; i < 7; ++i) out[i] = curand(&state);
    curand_init(vectors, 3, &state);
    skipahead(4u, &state);
    out[7] = curand(&state);
    curand_init(vectors, 1, &state);
    EXPECT(fabsf(curand_normal(&state)) < 1e-9f, true);  // of one half
}

int main()
{
    numbers_are_curands();
    sequences_are_curands();
    discrete_numbers();
    unsigned *out = device_array<unsigned>(8);
    sobol<<<1, 1>>>(out);
    finish();
    const unsigned expected[8] = {0, 2147483648, 1073741824, 3221225472, 2684354560, 536870912, 3758096384, 1610612736};
    for (int i = 0; i < 8; ++i) EXPECT(out[i], expected[i]);
    half_precision();
    numbers_of_the_host_library();
    cooperative_groups_of_a_block();
    return verdict();
}
