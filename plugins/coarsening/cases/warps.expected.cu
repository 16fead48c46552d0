// gpu: h200; learn: on
// run: kernel=neighbours grid=601 block=64 x=601*64
// run: kernel=votes grid=301 block=96 x=301*96 y=301*3
// run: kernel=tiles grid=301 block=64 x=301*64
// run: kernel=last grid=(n+31)/32 block=32 n=20011 x=n
// Threads that exchange data with those of their warp, which stay together.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void neighbours(int *x)
{
    int value = x[blockIdx.x * 64 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    __syncwarp();
    x[blockIdx.x * 64 + threadIdx.x] += value;
} static void neighbours__gpuopt_launch(const ::gpuopt_rt::config &, int *x);
__global__ void votes(const unsigned *x, unsigned *y)
{
    const unsigned set = __ballot_sync(~0u, x[blockIdx.x * blockDim.x + threadIdx.x] & 1);
    if (threadIdx.x % 32)
        return;
    y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = set;
} static void votes__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *y);
__global__ void tiles(int *x)
{
    __shared__ int most[2];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int value = x[blockIdx.x * 64 + block.thread_rank()];
    for (int step = tile.size() / 2; step > 0; step /= 2)
        value = max(value, tile.shfl_down(value, step));
    if (tile.thread_rank() == 0)
        most[threadIdx.x / 32] = value;
    cg::sync(block);
    x[blockIdx.x * 64 + threadIdx.x] -= max(most[0], most[1]);
} static void tiles__gpuopt_launch(const ::gpuopt_rt::config &, int *x);
__global__ void last(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x[i] += __reduce_max_sync(__ballot_sync(n - i + threadIdx.x >= 32 ? ~0u : (1u << (n - i + threadIdx.x)) - 1, 1), x[i]);
} static void last__gpuopt_launch(const ::gpuopt_rt::config &, int *x, int n);

void all(int *x, unsigned *u, unsigned *v)
{
    neighbours__gpuopt_launch(::gpuopt_rt::config(601, 64), x);
    votes__gpuopt_launch(::gpuopt_rt::config(601, 96), u, v);
    last__gpuopt_launch(::gpuopt_rt::config((40000 + 31) / 32, 32), x, 40000);
    tiles__gpuopt_launch(::gpuopt_rt::config(601, 64), x);
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
#line 9
static __global__ void neighbours__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, int *x)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, int *x) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    int value = x[blockIdx.x * 64 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    __syncwarp();
    x[blockIdx.x * 64 + threadIdx.x] += value;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x); } }
#line 9
static __global__ void neighbours__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, int *x)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, int *x) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    int value = x[blockIdx.x * 64 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    __syncwarp();
    x[blockIdx.x * 64 + threadIdx.x] += value;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x); } }
static bool neighbours__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x) { (void)gpuopt_l; (void)gpuopt_o; (void)x; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool neighbours__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x) { (void)gpuopt_l; (void)gpuopt_o; (void)x; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void neighbours__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x) {
// The launch of a version or of the original is here.
}
#line 17
static __global__ void votes__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const unsigned set = __ballot_sync(~0u, x[blockIdx.x * blockDim.x + threadIdx.x] & 1);
    if (threadIdx.x % 32)
        return;
    y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = set;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x, y); } }
#line 17
static __global__ void votes__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const unsigned set = __ballot_sync(~0u, x[blockIdx.x * blockDim.x + threadIdx.x] & 1);
    if (threadIdx.x % 32)
        return;
    y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = set;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x, y); } }
static bool votes__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool votes__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void votes__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *y) {
// The launch of a version or of the original is here.
}
#line 24
static __global__ void tiles__gpuopt_coarsening_turns(::gpuopt_rt::plan gpuopt_plan, int *x)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, int *x) -> void { const ::gpuopt_rt::plugin_coarsening::turn gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int most[2];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int value = x[blockIdx.x * 64 + block.thread_rank()];
    for (int step = tile.size() / 2; step > 0; step /= 2)
        value = max(value, tile.shfl_down(value, step));
    if (tile.thread_rank() == 0)
        most[threadIdx.x / 32] = value;
    cg::sync(block);
    x[blockIdx.x * 64 + threadIdx.x] -= max(most[0], most[1]);
}}; _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < gpuopt_plan.n[5]; ++gpuopt_k) { if (gpuopt_k) { __syncthreads(); } gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x); } }
static bool tiles__gpuopt_coarsening_turns_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x) { (void)gpuopt_l; (void)gpuopt_o; (void)x; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void tiles__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x) {
// The launch of a version or of the original is here.
}
#line 37
static __global__ void last__gpuopt_coarsening_turns(::gpuopt_rt::plan gpuopt_plan, int *x, int n)
{ bool gpuopt_gone = false; auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, int *x, int n) -> void { const ::gpuopt_rt::plugin_coarsening::turn gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        { gpuopt_gone = true; return; }
    x[i] += __reduce_max_sync(__ballot_sync(n - i + threadIdx.x >= 32 ? ~0u : (1u << (n - i + threadIdx.x)) - 1, 1), x[i]);
}}; _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < gpuopt_plan.n[5]; ++gpuopt_k) { if (gpuopt_k) { __syncthreads(); } gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x, n); if (gpuopt_gone) return; } }
static bool last__gpuopt_coarsening_turns_holds(const ::gpuopt_rt::config &gpuopt_l, int *x, int n) { (void)gpuopt_l; (void)x; (void)n; 
  return gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n));
}
static bool last__gpuopt_coarsening_turns_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void last__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x, int n) {
// The launch of a version or of the original is here.
}
#endif
