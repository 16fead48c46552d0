// gpu: h200; policy: factor=3, form="pipe"
// run: main
// One after the other has the memory: blocks make different numbers of rounds, and say when they come no more. A constant shape allows regions in loops.
#include <cstdio>

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void rounds(int n, const int *table, int *y)
{
    __shared__ int s[64];
    int at = blockIdx.x;
    for (int r = 0; r < n + (int)blockIdx.x % 4; ++r) {
        at = table[(at + threadIdx.x * 7) % 512];
        at = table[(at + r) % 512];
        s[threadIdx.x] = at;
        __syncthreads();
        at += s[63 - threadIdx.x];
        __syncthreads();
    }
    y[blockIdx.x * 64 + threadIdx.x] = at;
} static void rounds__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *table, int *y);

int main()
{
    int *table, *y;
    cudaMallocManaged(&table, 512 * sizeof(int));
    cudaMallocManaged(&y, 7 * 64 * sizeof(int));
    for (int i = 0; i < 512; ++i) table[i] = i * 37 % 512;
    rounds__gpuopt_launch(::gpuopt_rt::config(7, 64), 3, table, y);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < 7 * 64; ++i) sum = sum * 31 + y[i];
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
static __global__ void rounds__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *table, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, false> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int s[64];
    int at = blockIdx.x;
    for (int r = 0; r < n + (int)blockIdx.x % 4; ++r) {
        at = table[(at + threadIdx.x * 7) % 512];
        at = table[(at + r) % 512];
        const int gpuopt_v0_0 = at; gpuopt_at.enter(); s[threadIdx.x] = gpuopt_v0_0;
        gpuopt_at.sync();
        at += s[63 - threadIdx.x]; gpuopt_at.leave();
        gpuopt_at.sync();
    }
    y[blockIdx.x * 64 + threadIdx.x] = at;
 gpuopt_at.over();}}
static bool rounds__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &table, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)table; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(((14550LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 210LL)) / 10, (double)((750LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) / 10, (double)(((38LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + (12LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 24LL)), (double)((2LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(0LL), 693.0, (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(0LL), (double)(((14550LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 210LL)) / 10 - (double)((8LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) * 406 / 4, (double)((750LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 2u, 3u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void rounds__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *table, int *y) {
// The launch of a version or of the original is here.
}
#endif
