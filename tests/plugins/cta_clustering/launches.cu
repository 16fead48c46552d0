// Kernels whose blocks share data, launched in all the ways that versions must survive. Every result is counted up, so
// a block that runs twice, or not at all, shows. Policy: test_launches.py.
#include <cstdio>

// Agents: a barrier and shared memory that the next block uses again; two-dimensional.
__global__ void product(int n, const int *A, const int *B, int *C)
{
    __shared__ int tile[8][8];
    int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x, s = 0;
    for (int k = 0; k < n; k += 8) {
        tile[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + j];
        __syncthreads();
        for (int l = 0; l < 8; l++) s += A[i * n + k + l] * tile[l][threadIdx.x];
        __syncthreads();
    }
    C[i * n + j] += s;
}
// Agents: threads return early; one-dimensional; the grid's extent tells every thread its part.
__global__ void line(int n, const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (; i < n; i += gridDim.x * blockDim.x) {
        int s = 0;
        for (int k = 0; k < 8; k++) s += x[k] * i;
        y[i] += s;
    }
}
// Tiles: three-dimensional, no extent a multiple of the tile.
__global__ void deep(int n, const int *W, const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[(blockIdx.z * gridDim.y + blockIdx.y) * n + i] += W[blockIdx.z] * x[i] + blockIdx.y;
}
// The policy's own order, one that runs every block once and one that does not.
__global__ void turned(const int *x, int *y) { y[blockIdx.x * 32 + threadIdx.x] += x[threadIdx.x] + blockIdx.x; }
__global__ void wrong(const int *x, int *y) { y[blockIdx.x * 32 + threadIdx.x] += x[threadIdx.x] + blockIdx.x; }

static int *ints(int count)
{
    int *p;
    cudaMallocManaged(&p, count * sizeof(int));
    for (int i = 0; i < count; i++) p[i] = 0;
    return p;
}
static int bad;
static void same(const char *what, int got, int wanted)
{
    if (got != wanted && bad++ < 5) printf("%s: %d, not %d\n", what, got, wanted);
}

// What a launch could leave behind for those that follow: attributes of the originals, settings of the device, memory.
struct lasting {
    int carveout[2], dynamic[2];
    cudaFuncCache cache;
    size_t persisting, available, all;
    lasting()
    {
        cudaFuncAttributes a[2];
        cudaFuncGetAttributes(&a[0], product), cudaFuncGetAttributes(&a[1], turned);
        for (int k = 0; k < 2; k++) carveout[k] = a[k].preferredShmemCarveout, dynamic[k] = a[k].maxDynamicSharedSizeBytes;
        cudaDeviceGetCacheConfig(&cache);
        cudaDeviceGetLimit(&persisting, cudaLimitPersistingL2CacheSize);
        cudaMemGetInfo(&available, &all);
    }
    bool is(const lasting &o) const
    {
        bool same = cache == o.cache && persisting == o.persisting && available == o.available;
        for (int k = 0; k < 2; k++) same = same && carveout[k] == o.carveout[k] && dynamic[k] == o.dynamic[k];
        return same;
    }
};

int main()
{
    const int n = 40, m = 1000;
    int *A = ints(n * n), *B = ints(n * n), *x = ints(64), *C[4], *y[4];
    for (int i = 0; i < n * n; i++) A[i] = i % 7, B[i] = i % 5;
    for (int i = 0; i < 64; i++) x[i] = i + 1;
    cudaStream_t streams[4];
    for (int s = 0; s < 4; s++) C[s] = ints(n * n), y[s] = ints(m), cudaStreamCreate(&streams[s]);
    const int long_ = 50, rows = 3, layers = 5;
    int *v = ints(long_ * rows * layers), *t = ints(32 * 7), *w = ints(32 * 7), *many = ints(64);
    const lasting before;
    dim3 block(8, 8), grid(5, 5);
    for (int turn = 0; turn < 2; turn++)
        for (int s = 0; s < 4; s++) {
            product<<<grid, block, 0, streams[s]>>>(n, A, B, C[s]);
            line<<<11, 32, 0, streams[s]>>>(m, x, y[s]);
        }
    cudaDeviceSynchronize();
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal);
    product<<<grid, block, 0, streams[0]>>>(n, A, B, C[0]);
    line<<<11, 32, 0, streams[0]>>>(m, x, y[0]);
    cudaStreamEndCapture(streams[0], &graph);
    cudaGraphInstantiate(&replay, graph, 0);
    for (int turn = 0; turn < 3; turn++) cudaGraphLaunch(replay, streams[turn % 2]);
    cudaDeviceSynchronize();
    for (int s = 0; s < 4; s++) {
        const int times = s ? 2 : 5;
        for (int i = 0; i < n * n; i++) {
            int wanted = 0;
            for (int k = 0; k < n; k++) wanted += A[i / n * n + k] * B[k * n + i % n];
            same("product", C[s][i], times * wanted);
        }
        for (int i = 0; i < m; i++) same("line", y[s][i], times * 36 * i);
    }
    for (int i = 0; i < 64; i++) many[i] = i;
    deep<<<dim3(4, rows, layers), 16>>>(long_, x, many, v);
    turned<<<7, 32>>>(x, t);
    wrong<<<7, 32>>>(x, w);
    cudaDeviceSynchronize();
    for (int i = 0; i < long_ * rows * layers; i++)
        same("deep", v[i], x[i / long_ / rows] * (i % long_) + i / long_ % rows);
    for (int i = 0; i < 32 * 7; i++) same("turned", t[i], x[i % 32] + i / 32), same("wrong", w[i], x[i % 32] + i / 32);
    cudaGraphExecDestroy(replay), cudaGraphDestroy(graph);
    if (!before.is(lasting())) bad++, puts("versions left something behind");
    puts(bad || cudaGetLastError() ? "bad" : "good");
    return bad != 0;
}
