// gpu: h200; policy: factor=2, form="turns"
// run: main
// The block's cooperative group is the virtual block's; the program's question for the occupancy is answered.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; struct versions; namespace all { template <class F> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, F, int, size_t); } } } __global__ void grouped(const int *x, int *y)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    __shared__ int s[64 * 20];
    int t = block.thread_rank(), at = x[block.group_index().x * block.size() + t];
    for (int k = 0; k < 9; ++k) at = x[at & 511];
    s[t] = at;
    block.sync();
    int other = s[63 - block.thread_index().x] + tile.shfl(at, 3) + tile.thread_rank();
    cg::sync(block);
    cg::this_thread_block().sync();
    y[block.group_index().x * 64 + t] = other + block.group_dim().x;
} static void grouped__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y); static ::gpuopt_rt::versions grouped__gpuopt_versions();

int main()
{
    int *x, *y, blocks = 0;
    cudaMallocManaged(&x, 512 * sizeof(int));
    cudaMallocManaged(&y, 512 * sizeof(int));
    for (int i = 0; i < 512; ++i) x[i] = i * 37 % 509;
    gpuopt_rt::all::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grouped__gpuopt_versions, 64, 0);
    grouped__gpuopt_launch(::gpuopt_rt::config(7, 64), x, y);
    printf("%s %d\n", cudaGetErrorString(cudaDeviceSynchronize()), blocks > 0);
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
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    __shared__ int s[64 * 20];
    int t = gpuopt_at.rank(), at = x[gpuopt_at.block.x * gpuopt_at.threads + t];
    for (int k = 0; k < 9; ++k) at = x[at & 511];
    const int gpuopt_v0_0 = at; gpuopt_at.enter(); s[t] = gpuopt_v0_0;
    gpuopt_at.sync();
    int other = s[63 - gpuopt_at.thread.x] + tile.shfl(at, 3) + tile.thread_rank(); gpuopt_at.leave();
    gpuopt_at.sync();
    gpuopt_at.sync();
    y[gpuopt_at.block.x * 64 + t] = other + gpuopt_at.size.x;
}}
static bool grouped__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(71820LL) / 10, (double)(1200LL) / 10, (double)(206LL), (double)(9LL), (double)(9LL), (double)(1LL), 693.0, (double)(1LL), (double)(9LL), (double)(71820LL) / 10 - (double)(40LL) * 406 / 4, (double)(1200LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 17u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static bool grouped__gpuopt_vtb_asked(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c) { (void)gpuopt_l; (void)gpuopt_c; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(71820LL) / 10, (double)(1200LL) / 10, (double)(206LL), (double)(9LL), (double)(9LL), (double)(1LL), 693.0, (double)(1LL), (double)(9LL), (double)(71820LL) / 10 - (double)(40LL) * 406 / 4, (double)(1200LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 17u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void grouped__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y) {
// The launch of a version or of the original is here.
}
static gpuopt_rt::versions grouped__gpuopt_versions() {
  gpuopt_rt::versions gpuopt_v;
  gpuopt_v.add(gpuopt_rt::address(static_cast<void (*)(const int *x, int *y)>(grouped)), 0);
  gpuopt_v.add(gpuopt_rt::address(grouped__gpuopt_vtb), &grouped__gpuopt_vtb_asked);
  return gpuopt_v;
}
#endif
