// gpu: h200; policy: factor=2, form="turns"
// run: main
// Comments and messages that name the block's group are no uses of it.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void grouped(const int *x, int *y)
{
    auto block = cg::this_thread_block(); // this_thread_block() is what the whole block agrees on
    __shared__ int s[64 * 20];
    int t = block.thread_rank(), at = x[block.group_index().x * block.size() + t];
    for (int k = 0; k < 9; ++k) at = x[at & 511]; /* ends when the entire block votes so */
    s[t] = at;
    block.sync();
    const int mark = '"', length = sizeof("block");
    y[block.group_index().x * 64 + t] = s[63 - t] + length - mark + 1'000;
} static void grouped__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y);

int main()
{
    int *x, *y;
    cudaMallocManaged(&x, 512 * sizeof(int));
    cudaMallocManaged(&y, 512 * sizeof(int));
    for (int i = 0; i < 512; ++i) x[i] = i * 37 % 509;
    grouped__gpuopt_launch(::gpuopt_rt::config(7, 64), x, y);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
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
#line 8
static __global__ void grouped__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); {
    auto block = cg::this_thread_block(); // this_thread_block() is what the whole block agrees on
    __shared__ int s[64 * 20];
    int t = gpuopt_at.rank(), at = x[gpuopt_at.block.x * gpuopt_at.threads + t];
    for (int k = 0; k < 9; ++k) at = x[at & 511]; /* ends when the entire block votes so */
    const int gpuopt_v0_0 = at; gpuopt_at.enter(); s[t] = gpuopt_v0_0;
    gpuopt_at.sync();
    const int mark = '"', length = sizeof("block");
    y[gpuopt_at.block.x * 64 + t] = s[63 - t] + length - mark + 1'000; gpuopt_at.leave();
}}
static bool grouped__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(70830LL) / 10, (double)(1050LL) / 10, (double)(184LL), (double)(9LL), (double)(9LL), (double)(1LL), 693.0, (double)(1LL), (double)(9LL), (double)(70830LL) / 10 - (double)(40LL) * 406 / 4, (double)(1050LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void grouped__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
