// gpu: h200; policy: factor=2, form="turns"
// run: main
// Called functions, votes, 2-D and 3-D blocks and grids, templates, jumps out of regions, launch bounds, dynamic memory.
#include <cstdio>
#include <cstdlib>
#define GID (blockIdx.x * blockDim.x + threadIdx.x)
__device__ int shift(const int *s, int d) { return s[(threadIdx.x + d) % blockDim.x]; }
__device__ void settle() { __syncthreads(); }
__device__ int lane() { return threadIdx.x & 31; }

__global__ void gather(int n, const int *table, int *y)
{
    __shared__ int tile[64 * 10];
    int at = GID % n;
    for (int k = 0; k < 8; ++k) at = (unsigned)table[at] % n;
    tile[threadIdx.x] = at;
    settle();
    int other = shift(tile, 5) + lane();
    __syncthreads();
    y[GID] = other + at + gridDim.x;
}
__global__ void __launch_bounds__( // "(" threads
    96, /* two,
    blocks */ 2) reduce(int n, const int *x, int *y)
{
    extern __shared__ int s[];
    if (blockIdx.x >= 5) return;
    int sum = 0;
    for (int i = GID; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    int any = __syncthreads_or(sum == 17), few = __syncthreads_count(sum & 1), all = __syncthreads_and(sum >= 0);
    for (int d = 64; d > 0; d /= 2) {
        if (threadIdx.x < d && threadIdx.x + d < blockDim.x) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0] + 1000 * few + any + all;
}
__global__ void tiles(int n, const float *a, const float *b, float *c)
{
    __shared__ float as[8][8], bs[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int m = 0; m < n / 8; ++m) {
        as[threadIdx.y][threadIdx.x] = a[row * n + m * 8 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(m * 8 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 8; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
        sum = sum * 0.5f + a[m] + b[row] + sqrtf(a[col]) + sinf(a[row] * 3) / (1 + a[m + 1] * a[m + 1]);
    }
    c[row * n + col] = sum;
}
__global__ void unequal(int n, const int *x, int *y)
{
    __shared__ int s[32];
    for (int r = blockIdx.z; r < n; r += gridDim.z + blockIdx.y) {
        int v = x[r * 32 + threadIdx.x] + x[x[r] & 31] * x[(r + 5) % n] + x[(x[r] + x[r + 1]) & 63];
        if (r == 11) continue;
        s[threadIdx.x] = v;
        __syncthreads();
        v = s[31 - threadIdx.x] + threadIdx.z;
        if (r == 23) break;
        __syncthreads();
        atomicAdd(&y[r], v);
    }
}
template <class T, int N> __global__ void scan(const T *x, T *y)
{
    __shared__ T s[N];
    unsigned t = threadIdx.y;
    T v = x[blockIdx.x * N + t];
    v = x[(int)v & 63] + v;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        T u = t >= d ? s[t - d] : T(0);
        __syncthreads();
        s[t] += u;
        __syncthreads();
    }
    if (blockIdx.x == 2) return;
    y[blockIdx.x * N + t] = s[t] + __shfl_xor_sync(~0u, v, 3);
}
int main()
{
    int *x, *y; float *f, *g;
    cudaMallocManaged(&x, 1 << 16); cudaMallocManaged(&y, 1 << 16);
    cudaMallocManaged(&f, 1 << 16); cudaMallocManaged(&g, 1 << 16);
    for (int i = 0; i < 1 << 14; ++i) { x[i] = rand() % 997; f[i] = rand() % 97 / 8.f; y[i] = 0; g[i] = 0; }
    gather<<<7, 64>>>(1000, x, y);
    reduce<<<9, 96, 96 * 4>>>(1000, x, y + 1000);
    tiles<<<dim3(4, 4), dim3(8, 8)>>>(32, f, f, g);
    unequal<<<dim3(1, 3, 5), dim3(32, 1, 1)>>>(40, x, y + 2000);
    scan<int, 64><<<5, dim3(1, 64)>>>(x, y + 3000);
    scan<float, 32><<<5, dim3(1, 32)>>>(f, g + 3000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 1 << 14; ++i) h = h * 31 + y[i] + ((int *)g)[i];
    printf("%llx\n", h);
}
