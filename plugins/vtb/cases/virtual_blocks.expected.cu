// gpu: h200; policy: factor=2, form="turns"
// run: main
// Called functions, votes, 2-D and 3-D blocks and grids, templates, jumps out of regions, launch bounds, dynamic memory.
#include <cstdio>
#include <cstdlib>
#define GID (blockIdx.x * blockDim.x + threadIdx.x)
__device__ int shift(const int *s, int d) { return s[(threadIdx.x + d) % blockDim.x]; }
__device__ void settle() { __syncthreads(); }
__device__ int lane() { return threadIdx.x & 31; }

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void gather(int n, const int *table, int *y)
{
    __shared__ int tile[64 * 10];
    int at = GID % n;
    for (int k = 0; k < 8; ++k) at = (unsigned)table[at] % n;
    tile[threadIdx.x] = at;
    settle();
    int other = shift(tile, 5) + lane();
    __syncthreads();
    y[GID] = other + at + gridDim.x;
} static void gather__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *table, int *y);
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
} static void reduce__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *x, int *y);
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
} static void tiles__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *a, const float *b, float *c);
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
} static void unequal__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *x, int *y);
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
} template <class T, int N> __attribute__((noinline)) static void scan__gpuopt_launch(const ::gpuopt_rt::config &, const T *x, T *y);
int main()
{
    int *x, *y; float *f, *g;
    cudaMallocManaged(&x, 1 << 16); cudaMallocManaged(&y, 1 << 16);
    cudaMallocManaged(&f, 1 << 16); cudaMallocManaged(&g, 1 << 16);
    for (int i = 0; i < 1 << 14; ++i) { x[i] = rand() % 997; f[i] = rand() % 97 / 8.f; y[i] = 0; g[i] = 0; }
    gather__gpuopt_launch(::gpuopt_rt::config(7, 64), 1000, x, y);
    reduce__gpuopt_launch(::gpuopt_rt::config(9, 96, 96 * 4), 1000, x, y + 1000);
    tiles__gpuopt_launch(::gpuopt_rt::config(dim3(4, 4), dim3(8, 8)), 32, f, f, g);
    unequal__gpuopt_launch(::gpuopt_rt::config(dim3(1, 3, 5), dim3(32, 1, 1)), 40, x, y + 2000);
    scan__gpuopt_launch<int, 64>(::gpuopt_rt::config(5, dim3(1, 64)), x, y + 3000);
    scan__gpuopt_launch<float, 32>(::gpuopt_rt::config(5, dim3(1, 32)), f, g + 3000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 1 << 14; ++i) h = h * 31 + y[i] + ((int *)g)[i];
    printf("%llx\n", h);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#ifndef GPUOPT_SUPPORT
#define GPUOPT_SUPPORT
// The definitions that a plugin's guards share are here.
#endif
#line 7
static __device__ int shift__gpuopt_vtb_09c123(::gpuopt_rt::plan gpuopt_plan, const int *s, int d) { const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; { return s[(threadIdx.x + d) % blockDim.x]; }}
#line 8
static __device__ void settle__gpuopt_vtb_09c123(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan); (void)gpuopt_at; { gpuopt_at.sync(); }}
#line 9
static __device__ int lane__gpuopt_vtb_09c123(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; { return threadIdx.x & 31; }}
#line 11
static __global__ void gather__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *table, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    __shared__ int tile[64 * 10];
    int at = GID % n;
    for (int k = 0; k < 8; ++k) at = (unsigned)table[at] % n;
    const int gpuopt_v0_0 = at; gpuopt_at.enter(); tile[threadIdx.x] = gpuopt_v0_0;
    settle__gpuopt_vtb_09c123(gpuopt_plan);
    int other = shift__gpuopt_vtb_09c123(gpuopt_plan, tile, 5) + lane__gpuopt_vtb_09c123(gpuopt_plan); gpuopt_at.leave();
    gpuopt_at.sync();
    y[GID] = other + at + gridDim.x;
}}
static bool gather__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &table, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)table; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(57300LL) / 10, (double)(930LL) / 10, (double)(174LL), (double)(8LL), (double)(8LL), (double)(0LL), 693.0, (double)(1LL), (double)(8LL), (double)(57300LL) / 10 - (double)(32LL) * 406 / 4, (double)(930LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void gather__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *table, int *y) {
// The launch of a version or of the original is here.
}
#line 22
static __global__ void __launch_bounds__(((96) * 8 < 1024 ? (96) * 8 : 1024)

) reduce__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, false> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    extern __shared__ int s[];
    if (blockIdx.x >= 5) { gpuopt_at.over(); return; }
    int sum = 0;
    for (int i = GID; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    const int gpuopt_v0_0 = sum; gpuopt_at.enter(); s[threadIdx.x] = gpuopt_v0_0;
    gpuopt_at.sync();
    int any = gpuopt_at.any(sum == 17), few = gpuopt_at.count(sum & 1), all = gpuopt_at.all(sum >= 0);
    for (int d = 64; d > 0; d /= 2) {
        if (threadIdx.x < d && threadIdx.x + d < blockDim.x) s[threadIdx.x] += s[threadIdx.x + d];
        gpuopt_at.sync();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0] + 1000 * few + any + all; gpuopt_at.leave();
 gpuopt_at.over();}}
static bool reduce__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 96 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  if ((((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)) == 0) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(((1822LL * (0LL > (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)) ? 0LL : (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)))) + 210LL)) / 10, (double)(10600LL) / 10, (double)(((10LL * (0LL > (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)) ? 0LL : (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)))) + 302LL)), (double)(0LL), (double)(0LL), (double)((0LL > (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)) ? 0LL : (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)))), 693.0, (double)(1LL), (double)(0LL), (double)(((1822LL * (0LL > (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)) ? 0LL : (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)))) + 210LL)) / 10 - (double)((0LL > (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)) ? 0LL : (((long long)(n) + ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) + (-1LL)) / ((long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x)))) * 406 / 4, (double)(10600LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void reduce__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#line 39
static __global__ void tiles__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const float *a, const float *b, float *c)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ float as[8][8], bs[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int m = 0; m < n / 8; ++m) {
        const float gpuopt_v0_0 = a[row * n + m * 8 + threadIdx.x]; const float gpuopt_v0_1 = b[(m * 8 + threadIdx.y) * n + col]; gpuopt_at.enter(); as[threadIdx.y][threadIdx.x] = gpuopt_v0_0; bs[threadIdx.y][threadIdx.x] = gpuopt_v0_1;

        gpuopt_at.sync();
        for (int k = 0; k < 8; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x]; gpuopt_at.leave();
        gpuopt_at.sync();
        sum = sum * 0.5f + a[m] + b[row] + sqrtf(a[col]) + sinf(a[row] * 3) / (1 + a[m + 1] * a[m + 1]);
    }
    c[row * n + col] = sum;
}}
static bool tiles__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &c) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)a; (void)b; (void)c; 
  if (!((gpuopt_l.block.x == 8 && gpuopt_l.block.y == 8 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(((15330LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL))) + 480LL)) / 10, (double)((3272LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL)))) / 10, (double)(((90LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL))) + (152LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL))) + 44LL)), (double)(0LL), (double)(0LL), (double)((8LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL)))), 693.0, (double)((0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL))), (double)(0LL), (double)(((15330LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL))) + 480LL)) / 10 - (double)((8LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL)))) * 406 / 4, (double)((3272LL * (0LL > ((long long)(n) / 8LL) ? 0LL : ((long long)(n) / 8LL)))) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void tiles__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *a, const float *b, float *c) {
// The launch of a version or of the original is here.
}
#line 54
static __global__ void unequal__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<0, false> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    __shared__ int s[32];
    for (int r = blockIdx.z; r < n; r += gridDim.z + blockIdx.y) {
        int v = x[r * 32 + threadIdx.x] + x[x[r] & 31] * x[(r + 5) % n] + x[(x[r] + x[r + 1]) & 63];
        if (r == 11) continue;
        const int gpuopt_v0_0 = v; gpuopt_at.enter(); s[threadIdx.x] = gpuopt_v0_0;
        gpuopt_at.sync();
        v = s[31 - threadIdx.x] + threadIdx.z; gpuopt_at.leave();
        if (r == 23) break;
        gpuopt_at.sync();
        atomicAdd(&y[r], v);
    }
 gpuopt_at.over();}}
static bool unequal__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 32 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(351420LL) / 10, (double)(12480LL) / 10, (double)(1482LL), (double)(32LL), (double)(0LL), (double)(96LL), 693.0, (double)(16LL), (double)(0LL), (double)(351420LL) / 10 - (double)(192LL) * 406 / 4, (double)(12480LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 2u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void unequal__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#line 68
template <class T, int N> static __global__ void scan__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const T *x, T *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, false> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ T s[N];
    unsigned t = threadIdx.y;
    T v = x[blockIdx.x * N + t];
    v = x[(int)v & 63] + v;
    const ::gpuopt_rt::plugin_vtb::value_of<decltype(s[t])> gpuopt_v0_0 = v; gpuopt_at.enter(); s[t] = gpuopt_v0_0;
    gpuopt_at.sync();
    for (int d = 1; d < N; d *= 2) {
        T u = t >= d ? s[t - d] : T(0);
        gpuopt_at.sync();
        s[t] += u;
        gpuopt_at.sync();
    }
    if (blockIdx.x == 2) { gpuopt_at.leave(); gpuopt_at.over(); return; }
    y[blockIdx.x * N + t] = s[t] + __shfl_xor_sync(~0u, v, 3); gpuopt_at.leave();
 gpuopt_at.over();}}
template <class GpuoptTag> struct scan__gpuopt_vtb_guard_of_EA439B2A0D8F5F88;
template <class T, int N> struct scan__gpuopt_vtb_guard_tag_EA439B2A0D8F5F88 {};
template <class GpuoptTag> struct scan__gpuopt_vtb_guard_of_EA439B2A0D8F5F88 { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct scan__gpuopt_vtb_guard_of_EA439B2A0D8F5F88<scan__gpuopt_vtb_guard_tag_EA439B2A0D8F5F88<int, 64> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 1 && gpuopt_l.block.y == 64 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(7290LL) / 10, (double)(10320LL) / 10, (double)(272LL), (double)(1LL), (double)(0LL), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(7290LL) / 10 - (double)(4LL) * 406 / 4, (double)(10320LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
} };
template <> struct scan__gpuopt_vtb_guard_of_EA439B2A0D8F5F88<scan__gpuopt_vtb_guard_tag_EA439B2A0D8F5F88<float, 32> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 1 && gpuopt_l.block.y == 32 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(7290LL) / 10, (double)(8810LL) / 10, (double)(238LL), (double)(1LL), (double)(0LL), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(7290LL) / 10 - (double)(4LL) * 406 / 4, (double)(8810LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
} };
template <class T, int N> static bool scan__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const T *x, T *y) { return scan__gpuopt_vtb_guard_of_EA439B2A0D8F5F88<scan__gpuopt_vtb_guard_tag_EA439B2A0D8F5F88<T, N> >::pick(gpuopt_l, gpuopt_c, x, y); }
template <class T, int N> static void scan__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const T *x, T *y) {
// The launch of a version or of the original is here.
}
#endif
