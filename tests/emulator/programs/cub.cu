// CUB: primitives of warps and blocks, and device-wide algorithms, against loops.
#include "check.h"
#include <algorithm>
#include <cub/util_type.cuh>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

static const int N = 128;

struct Running {  // what comes before the block's next tile
    int before;
    __device__ int operator()(int tile) { return (before += tile) - tile; }
};
struct Even {
    __host__ __device__ bool operator()(int i) const { return i % 2 == 0; }
};

__global__ void blocks(const int *in, const float *floats, int *out, float *sum)
{
    typedef cub::BlockReduce<int, N> Reduce;
    typedef cub::BlockScan<int, N> Scan;
    typedef cub::BlockLoad<int, N, 2, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
    typedef cub::BlockStore<int, N, 2, cub::BLOCK_STORE_TRANSPOSE> Store;
    typedef cub::BlockExchange<int, N, 2> Exchange;
    typedef cub::BlockRadixSort<int, N, 2, int> Sort;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
        Load::TempStorage load;
        Store::TempStorage store;
        Exchange::TempStorage exchange;
        Sort::TempStorage sort;
    } storage;
    __shared__ cub::BlockReduce<float, N>::TempStorage float_storage;
    __shared__ unsigned counts[4];
    const int t = threadIdx.x;
    int items[2], keys[2], values[2] = {t * 2, t * 2 + 1}, one, all;
    Load(storage.load).Load(in, items);
    __syncthreads();
    const int total = Reduce(storage.reduce).Sum(items);
    if (t == 0) out[0] = total;
    __syncthreads();
    const int most = Reduce(storage.reduce).Reduce(items[0], [](int a, int b) { return a > b ? a : b; }, 50);
    if (t == 0) out[1] = most;
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, keys, all);
    out[2 + 2 * t] = keys[0], out[3 + 2 * t] = keys[1];
    __syncthreads();
    Running running = {1000};
    Scan(storage.scan).InclusiveSum(items[0], one, running);
    if (t == N - 1) out[258] = one, out[259] = all;
    __syncthreads();
    keys[0] = items[0], keys[1] = items[1];
    Exchange(storage.exchange).BlockedToStriped(keys);
    if (t == 3) out[260] = keys[1];
    __syncthreads();
    Sort(storage.sort).SortDescending(items, values, 0, 31);
    __syncthreads();
    Store(storage.store).Store(out + 300, items);
    out[600 + 2 * t] = values[0], out[601 + 2 * t] = values[1];
    int digits[2] = {items[0] & 3, items[1] & 3};
    cub::NullType none;
    cub::BlockHistogram<int, N, 2, 4>(none).Histogram(digits, counts);
    __syncthreads();
    if (t < 4) out[900 + t] = counts[t];
    const float s = cub::BlockReduce<float, N>(float_storage).Sum(floats[t]);
    if (t == 0) *sum = s;
}

__global__ void warps(const int *in, int *out)
{
    const int t = threadIdx.x;
    cub::WarpReduce<int>::TempStorage storage[2];
    cub::WarpScan<int, 8>::TempStorage scans;
    const int sum = cub::WarpReduce<int>(storage[t / 32]).Sum(in[t]);
    const int least = cub::WarpReduce<int, 16>(storage[t / 32]).Reduce(in[t], cub::Min(), 10);
    const int part = cub::WarpReduce<int>(storage[t / 32]).HeadSegmentedSum(in[t], t % 5 == 0);
    int before, all;
    cub::WarpScan<int, 8>(scans).ExclusiveSum(in[t], before, all);
    out[t] = t % 32 ? 0 : sum;
    out[64 + t] = t % 16 ? 0 : least;
    out[128 + t] = part;
    out[192 + t] = before;
    out[256 + t] = all;
}

template <class F> void run(F f)
{
    size_t bytes = 0;
    void *storage = nullptr;
    EXPECT_STATUS(f(nullptr, bytes), cudaSuccess);
    EXPECT_STATUS(cudaMalloc(&storage, bytes), cudaSuccess);
    EXPECT_STATUS(f(storage, bytes), cudaSuccess);
    finish();
    cudaFree(storage);
}

void device_wide(const std::vector<int> &host, int *in, int *out, int *more, int *count)
{
    const int n = (int)host.size();
    run([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, n); });
    EXPECT(out[0], std::accumulate(host.begin(), host.end(), 0));
    run([&](void *s, size_t &b) { return cub::DeviceReduce::Reduce(s, b, in, out, n, cub::Max(), 5); });
    EXPECT(out[0], *std::max_element(host.begin(), host.end()));
    auto *best = device_array<cub::KeyValuePair<int, int>>(1);
    run([&](void *s, size_t &b) { return cub::DeviceReduce::ArgMin(s, b, in, best, n); });
    EXPECT(best->key, (int)(std::min_element(host.begin(), host.end()) - host.begin()));
    run([&](void *s, size_t &b) { return cub::DeviceScan::ExclusiveSum(s, b, in, out, n); });
    EXPECT(out[n - 1], std::accumulate(host.begin(), host.end() - 1, 0));
    run([&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, in, out, n); });
    EXPECT(out[n - 1], std::accumulate(host.begin(), host.end(), 0));
    std::vector<int> sorted(host);
    std::sort(sorted.begin(), sorted.end());
    run([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, n); });
    EXPECT(std::equal(sorted.begin(), sorted.end(), out), true);
    cub::DoubleBuffer<int> keys(out, more);
    run([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(s, b, keys, n); });
    EXPECT(keys.Current() == more && std::equal(sorted.rbegin(), sorted.rend(), more), true);
    std::iota(more + n, more + 2 * n, 0);
    run([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortPairs(s, b, in, out, more + n, more, n); });
    EXPECT(std::equal(sorted.begin(), sorted.end(), out) && host[more[7]] == sorted[7], true);
    run([&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, in, out, count, n, Even()); });
    EXPECT(*count, (int)std::count_if(host.begin(), host.end(), Even()));
    run([&](void *s, size_t &b) { return cub::DeviceRunLengthEncode::Encode(s, b, in, out, more, count, n); });
    EXPECT(std::accumulate(more, more + *count, 0), n);
    run([&](void *s, size_t &b) { return cub::DeviceHistogram::HistogramEven(s, b, in, out, 5, -400, 400, n); });
    EXPECT(std::accumulate(out, out + 4, 0), (int)std::count_if(host.begin(), host.end(), [](int i) { return i >= -400 && i < 400; }));
    cub::TransformInputIterator<int, Even, int *> even(in, Even());
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    size_t bytes = 0;
    cudaStreamCreate(&stream);
    *out = -1;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cub::DeviceReduce::Sum(&bytes, bytes, even, out, n, stream);  // of 0 and 1
    EXPECT_STATUS(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT(*out, -1);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    finish();
    EXPECT(*out, (int)std::count_if(host.begin(), host.end(), Even()));
}

int main()
{
    std::vector<int> host(2 * N);
    unsigned seed = 7;
    for (int &one : host) one = (int)((seed = seed * 1664525 + 1013904223) >> 20) - 2048;
    int *in = device_array<int>(2 * N), *out = device_array<int>(1024), *more = device_array<int>(1024), *count = device_array<int>(1);
    float *floats = device_array<float>(N), *sum = device_array<float>(1);
    std::copy(host.begin(), host.end(), in);
    for (int i = 0; i < N; ++i) floats[i] = 1.0f / (i + 1);
    blocks<<<1, N>>>(in, floats, out, sum);
    finish();
    const int total = std::accumulate(host.begin(), host.end(), 0);
    EXPECT(out[0], total);
    int most = host[0], firsts = 1000;
    for (int i = 0; i < 50; ++i) most = std::max(most, host[2 * i]);
    EXPECT(out[1], most);
    for (int i = 0, before = 0; i < 2 * N; before += host[i++]) EXPECT(out[2 + i], before);
    for (int i = 0; i < 2 * N; i += 2) firsts += host[i];
    EXPECT(out[258], firsts);
    EXPECT(out[259], total);
    EXPECT(out[260], host[3 + N]);
    std::vector<int> order(2 * N);
    std::iota(order.begin(), order.end(), 0);
    const auto low = [&](int i) { return (unsigned)(host[i] ^ 0x80000000) & 0x7fffffffu; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return low(a) > low(b); });
    for (int i = 0; i < 2 * N; ++i) EXPECT(out[300 + i] == host[order[i]] && out[600 + i] == order[i], true);
    EXPECT(out[900] + out[901] + out[902] + out[903], 2 * N);
    EXPECT(out[901], (int)std::count_if(host.begin(), host.end(), [](int i) { return (i & 3) == 1; }));
    EXPECT(*sum > 5.433f && *sum < 5.4332f, true);
    warps<<<1, 64>>>(in, out);
    finish();
    EXPECT(out[32], std::accumulate(host.begin() + 32, host.begin() + 64, 0));
    EXPECT(out[64 + 16], *std::min_element(host.begin() + 16, host.begin() + 26));
    EXPECT(out[128 + 5], std::accumulate(host.begin() + 5, host.begin() + 10, 0));
    EXPECT(out[128 + 30], host[30] + host[31]);
    EXPECT(out[192 + 11], host[8] + host[9] + host[10]);
    EXPECT(out[256 + 11], std::accumulate(host.begin() + 8, host.begin() + 16, 0));
    device_wide(host, in, out, more, count);
    return verdict();
}
