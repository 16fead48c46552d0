// Kernels whose addresses depend on data, beside shared memory: whether more L1 that costs no block is worth a version.
//
//     irregular [REPEAT [ROW [KERNEL]]]
//
// Prints kernel, threads, bytes of shared memory, blocks per multiprocessor, a checksum of the results and the median
// time in milliseconds of a launch, of ROW that follow each other (10; 1: the host's part shows). Built by nvcc and by
// gpuopt-nvcc, the checksums must be the same.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); std::exit(1); } } while (0)

struct Data { int n; const int *start, *column, *next; const float *value, *x; float *y; };
#define BEGIN extern __shared__ float tile[]; const int i = blockIdx.x * blockDim.x + threadIdx.x;
#define END tile[threadIdx.x] = sum; __syncthreads(); D.y[i] = tile[(threadIdx.x + 1) % blockDim.x];

// A sparse matrix, row by row, four times.
__global__ void sparse(Data D)
{
    BEGIN
    float sum = 0;
    for (int turn = 0; turn < 4; ++turn)
        for (int e = D.start[i]; e < D.start[i + 1]; ++e) sum += D.value[e] * D.x[D.column[e]] + turn;
    END
}
// Entries of a small table, in random order.
__global__ void looked_up(Data D)
{
    BEGIN
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += D.x[D.column[i + (k & 63) * D.n] + k & 16383];
    END
}
// Lists that wander through memory.
__global__ void linked(Data D)
{
    BEGIN
    float sum = 0;
    for (int at = i, k = 0; k < 256; ++k, at = D.next[at]) sum += D.value[at];
    END
}
// Places in a sorted array.
__global__ void searched(Data D)
{
    BEGIN
    float sum = 0;
    for (int k = 0; k < 32; ++k) {
        const int wanted = D.column[i + k * D.n];
        int low = 0, high = D.n;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (D.start[middle] < wanted) low = middle + 1;
            else high = middle;
        }
        sum += low;
    }
    END
}
// Neighbours of a mesh, eight times.
__global__ void meshed(Data D)
{
    BEGIN
    float sum = 0;
    for (int turn = 0; turn < 8; ++turn)
        for (int k = 0; k < 12; ++k) {
            const int other = D.next[(size_t)i * 12 + k];
            sum += D.value[other] * D.x[other] - D.value[other + 1];
        }
    END
}
// One pass over data that nobody reads again.
__global__ void passed(Data D)
{
    BEGIN
    float sum = 0;
    for (int k = 0; k < 63; ++k) sum += D.value[(D.next[i] & 1) + i + (size_t)k * D.n];
    END
}

typedef void (*Kernel)(int, int, int, const Data &);
static void launch_sparse(int grid, int block, int shared, const Data &D) { sparse<<<grid, block, shared>>>(D); }
static void launch_looked_up(int grid, int block, int shared, const Data &D) { looked_up<<<grid, block, shared>>>(D); }
static void launch_linked(int grid, int block, int shared, const Data &D) { linked<<<grid, block, shared>>>(D); }
static void launch_searched(int grid, int block, int shared, const Data &D) { searched<<<grid, block, shared>>>(D); }
static void launch_meshed(int grid, int block, int shared, const Data &D) { meshed<<<grid, block, shared>>>(D); }
static void launch_passed(int grid, int block, int shared, const Data &D) { passed<<<grid, block, shared>>>(D); }

template <class T> static T *device(const std::vector<T> &host)
{
    T *found;
    CHECK(cudaMalloc(&found, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(found, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return found;
}

int main(int argc, char **argv)
{
    const int repeat = argc > 1 ? std::atoi(argv[1]) : 7;
    const int row = argc > 2 ? std::atoi(argv[2]) : 10;
    const char *only = argc > 3 ? argv[3] : "";
    static const struct { const char *name; Kernel launch; const void *kernel; } kernels[] = {
        {"sparse", launch_sparse, (const void *)sparse}, {"looked_up", launch_looked_up, (const void *)looked_up},
        {"linked", launch_linked, (const void *)linked}, {"searched", launch_searched, (const void *)searched},
        {"meshed", launch_meshed, (const void *)meshed}, {"passed", launch_passed, (const void *)passed}};
    static const int shapes[][3] = {{64, 12288, 8}, {128, 12288, 8}, {256, 24576, 4}, {256, 12288, 8}, {256, 40960, 2},
                                    {256, 40960, 5}, {64, 4096, 32}, {512, 16384, 4}, {1024, 49152, 2}, {256, 2048, 4}};
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    for (const auto &one : kernels) {
        if (*only && std::strcmp(only, one.name)) continue;
        if (properties.sharedMemPerBlockOptin >= 49152)
            CHECK(cudaFuncSetAttribute(one.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
        for (const auto &shape : shapes) {
            const int blocks = shape[2] * properties.multiProcessorCount, n = blocks * shape[0];
            unsigned state = 1;
            auto random = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
            std::vector<int> start(n + 1), column((size_t)n * 64), next((size_t)n * 12);
            std::vector<float> value((size_t)n * 64 + 16), x((size_t)n + 64);
            for (int k = 0; k < n; ++k) start[k + 1] = start[k] + 24 + (int)(random() % 16);
            for (size_t k = 0; k < column.size(); ++k) column[k] = (int)((k / 32 + random() % 2048) % n);
            for (size_t k = 0; k < next.size(); ++k) next[k] = (int)((k / 12 + random() % 512) % n);
            for (float &one : value) one = (float)(random() % 1024) / 1024;
            for (float &one : x) one = (float)(random() % 1024) / 512 - 1;
            Data D = {n, device(start), device(column), device(next), device(value), device(x), 0};
            CHECK(cudaMalloc(&D.y, n * sizeof(float)));
            std::vector<float> times, y(n);
            cudaEvent_t begin, end;
            CHECK(cudaEventCreate(&begin));
            CHECK(cudaEventCreate(&end));
            for (int run = 0; run <= repeat; ++run) {
                float milliseconds;
                CHECK(cudaEventRecord(begin));
                for (int k = 0; k < row; ++k) one.launch(blocks, shape[0], shape[1], D);
                CHECK(cudaEventRecord(end));
                CHECK(cudaEventSynchronize(end));
                CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
                if (run) times.push_back(milliseconds / row);
            }
            CHECK(cudaMemcpy(y.data(), D.y, n * sizeof(float), cudaMemcpyDeviceToHost));
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += y[k] * (k % 31 + 1);
            std::sort(times.begin(), times.end());
            std::printf("%s,%d,%d,%d,%.17g,%.5f\n", one.name, shape[0], shape[1], shape[2], sum, times[times.size() / 2]);
            for (const void *one : {(const void *)D.start, (const void *)D.column, (const void *)D.next, (const void *)D.value, (const void *)D.x, (const void *)D.y})
                CHECK(cudaFree((void *)one));
        }
    }
    return 0;
}
