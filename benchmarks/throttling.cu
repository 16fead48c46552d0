// What throttling gains and costs: rows of one to three matrices walked by a thread each, in groups of warps.
//
// Prints form, type, matrices, columns, blocks per SM, threads per block, carve-out, groups, ms. `groups` 0 is the plain
// kernel. Forms: 0 sums in memory, 1 sums in registers with `unroll 1`, 2 with `unroll 2`, 3 as the compiler likes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { cudaError_t r = (call); if (r != cudaSuccess) { printf("%s at line %d\n", cudaGetErrorString(r), __LINE__); exit(1); } } while (0)

__device__ __forceinline__ unsigned group_of(unsigned groups)
{
    return threadIdx.x / 32 * groups / ((blockDim.x + 31) / 32);
}

template <class T, int M, int FORM>
__device__ __forceinline__ void walk(const T *a, size_t matrix, int columns, int n, int i, const T *x, T *y)
{
    const size_t row = (size_t)i * columns;
    if (FORM == 0) {
        for (int j = 0; j < columns; ++j)
#pragma unroll
            for (int m = 0; m < M; ++m)
                y[i + m * n] += a[m * matrix + row + j] * x[j];
        return;
    }
    T sum[M] = {};
    constexpr int unroll = FORM == 1 ? 1 : FORM == 2 ? 2 : 4;
#pragma unroll unroll
    for (int j = 0; j < columns; ++j)
#pragma unroll
        for (int m = 0; m < M; ++m)
            sum[m] += a[m * matrix + row + j] * x[j];
    for (int m = 0; m < M; ++m)
        y[i + m * n] = sum[m];
}

template <class T, int M, int FORM>
__global__ void plain(const T *a, size_t matrix, int columns, int n, const T *x, T *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        walk<T, M, FORM>(a, matrix, columns, n, i, x, y);
}

template <class T, int M, int FORM>
__global__ void grouped(unsigned groups, const T *a, size_t matrix, int columns, int n, const T *x, T *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned g = 0; g < groups; ++g) {
        if (group_of(groups) == g && i < n)
            walk<T, M, FORM>(a, matrix, columns, n, i, x, y);
        __syncthreads();
    }
}

static int sms;
static char *data;
static size_t data_bytes;
static void *vector, *result;

template <class Launch> static float median(Launch launch)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int run = 0; run < 4; ++run) {
        float ms = 0;
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (run)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

template <class T, int M, int FORM> static void measure(int columns, int blocks, int threads, int carve_out, int groups)
{
    const int n = sms * blocks * threads;
    const size_t matrix = (size_t)n * columns;
    if (matrix * M * sizeof(T) > data_bytes)
        return;
    const T *a = (const T *)data, *x = (const T *)vector;
    T *y = (T *)result;
    const void *kernel = groups ? (const void *)grouped<T, M, FORM> : (const void *)plain<T, M, FORM>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carve_out));
    const float ms = median([&] {
        if (groups)
            grouped<T, M, FORM><<<sms * blocks, threads>>>(groups, a, matrix, columns, n, x, y);
        else
            plain<T, M, FORM><<<sms * blocks, threads>>>(a, matrix, columns, n, x, y);
    });
    CHECK(cudaGetLastError());
    printf("%d,%s,%d,%d,%d,%d,%d,%d,%.4f\n", FORM, sizeof(T) == 4 ? "float" : "double", M, columns, blocks, threads, carve_out, groups, ms);
}

template <class T, int FORM> static void form(int columns, int carve_out)
{
    for (int groups : {0, 1, 2, 4, 8})
        for (int blocks = 1; blocks <= 8; ++blocks) {
            measure<T, 1, FORM>(columns, blocks, 256, carve_out, groups);
            measure<T, 2, FORM>(columns, blocks, 256, carve_out, groups);
            measure<T, 3, FORM>(columns, blocks, 256, carve_out, groups);
        }
}

int main()
{
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    sms = properties.multiProcessorCount;
    data_bytes = (size_t)sms * 8 * 256 * 1024 * 3 * sizeof(double);
    CHECK(cudaMalloc(&data, data_bytes));
    CHECK(cudaMalloc(&vector, 1 << 20));
    CHECK(cudaMalloc(&result, (size_t)sms * 8 * 1024 * 3 * sizeof(double)));
    CHECK(cudaMemset(data, 0, data_bytes));
    CHECK(cudaMemset(vector, 0, 1 << 20));
    CHECK(cudaMemset(result, 0, (size_t)sms * 8 * 1024 * 3 * sizeof(double)));
    printf("form,type,matrices,columns,blocks,threads,carve_out,groups,ms\n");
    for (int carve_out : {-1, 0, 28, 50})
        form<float, 0>(1024, carve_out);
    form<float, 1>(1024, -1);
    form<float, 2>(1024, -1);
    form<float, 3>(1024, -1);
    form<double, 0>(1024, -1);
    form<double, 3>(1024, -1);
    for (int columns : {8, 16, 32, 64, 128})
        for (int groups : {0, 1, 2, 4})
            for (int blocks : {2, 6, 8})
                measure<float, 2, 0>(columns, blocks, 256, -1, groups);
    for (int groups : {0, 2, 4, 8, 16})
        for (int blocks : {1, 2})
            measure<float, 2, 0>(1024, blocks, 1024, -1, groups);
    return 0;
}
