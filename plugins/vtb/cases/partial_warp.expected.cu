// gpu: h200; policy: factor=2, form="pipe"
// run: main
// Blocks that are no multiple of a warp: threads stand in a row, the last warp is filled up with some that leave.
#include <cstdio>

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void odd(int n, const int *table, int *y)
{
    __shared__ int s[3][5][7];
    int at = blockIdx.x, x = threadIdx.x, yy = threadIdx.y, z = threadIdx.z, votes = 0;
    for (int r = 0; r < n; ++r) {
        at = table[(at + x * 7 + yy * 3 + z) % 512];
        at = table[(at + r) % 512];
        s[z][yy][x] = at;
        __syncthreads();
        at += s[2 - z][4 - yy][6 - x];
        votes += __syncthreads_count(at & 1) + __syncthreads_and(at >= 0) + __syncthreads_or(at == 7);
    }
    y[blockIdx.x * 105 + (z * 5 + yy) * 7 + x] = at + votes + (int)(blockDim.x * 100 + blockDim.y * 10 + blockDim.z);
} static void odd__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *table, int *y);
__global__ void small(const int *table, int *y)
{
    __shared__ int s[20];
    int at = table[threadIdx.x + blockIdx.x];
    for (int k = 0; k < 4; ++k) at = table[at];
    s[threadIdx.x] = at;
    __syncthreads();
    y[blockIdx.x * 20 + threadIdx.x] = s[19 - threadIdx.x];
} static void small__gpuopt_launch(const ::gpuopt_rt::config &, const int *table, int *y);

int main()
{
    int *table, *y;
    cudaMallocManaged(&table, 512 * sizeof(int));
    cudaMallocManaged(&y, 1000 * sizeof(int));
    for (int i = 0; i < 512; ++i) table[i] = i * 37 % 512;
    odd__gpuopt_launch(::gpuopt_rt::config(7, dim3(7, 5, 3)), 3, table, y);
    small__gpuopt_launch(::gpuopt_rt::config(5, 20), table, y + 800);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    int sum = 0;
    for (int i = 0; i < 900; ++i) sum = sum * 31 + y[i];
    printf("%d\n", sum);
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
#line 6
static __global__ void odd__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *table, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; {
    __shared__ int s[3][5][7];
    int at = blockIdx.x, x = threadIdx.x, yy = threadIdx.y, z = threadIdx.z, votes = 0;
    for (int r = 0; r < n; ++r) {
        at = table[(at + x * 7 + yy * 3 + z) % 512];
        at = table[(at + r) % 512];
        const int gpuopt_v0_0 = at; gpuopt_at.enter(); s[z][yy][x] = gpuopt_v0_0;
        gpuopt_at.sync();
        at += s[2 - z][4 - yy][6 - x]; gpuopt_at.leave();
        votes += gpuopt_at.count(at & 1) + gpuopt_at.all(at >= 0) + gpuopt_at.any(at == 7);
    }
    y[blockIdx.x * 105 + (z * 5 + yy) * 7 + x] = at + votes + (int)(blockDim.x * 100 + blockDim.y * 10 + blockDim.z);
}}
static bool odd__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &table, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)table; (void)y; 
  if (!((gpuopt_l.block.x == 7 && gpuopt_l.block.y == 5 && gpuopt_l.block.z == 3))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(((15540LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 780LL)) / 10, (double)((870LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) / 10, (double)(((64LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + (20LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 62LL)), (double)((2LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(0LL), 693.0, (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(0LL), (double)(((15540LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 780LL)) / 10 - (double)((8LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) * 406 / 4, (double)((870LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 2u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void odd__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *table, int *y) {
// The launch of a version or of the original is here.
}
#line 20
static __global__ void small__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const int *table, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<0, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int s[20];
    int at = table[threadIdx.x + blockIdx.x];
    for (int k = 0; k < 4; ++k) at = table[at];
    const int gpuopt_v0_0 = at; gpuopt_at.enter(); s[threadIdx.x] = gpuopt_v0_0;
    gpuopt_at.sync();
    y[blockIdx.x * 20 + threadIdx.x] = s[19 - threadIdx.x]; gpuopt_at.leave();
}}
static bool small__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &table, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)table; (void)y; 
  if (!((gpuopt_l.block.x == 20 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(35220LL) / 10, (double)(840LL) / 10, (double)(82LL), (double)(4LL), (double)(4LL), (double)(1LL), 693.0, (double)(1LL), (double)(4LL), (double)(35220LL) / 10 - (double)(20LL) * 406 / 4, (double)(840LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 2u, 2u, 8u, 2u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void small__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *table, int *y) {
// The launch of a version or of the original is here.
}
#endif
