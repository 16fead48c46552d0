// gpu: h200; learn: on
// run: kernel=walk grid=601 block=32 x=601*32 y=601*32 n=5 step=3
// run: kernel=address grid=700 block=32 y=700*32 n=7
// What the body changes of its parameters, by name or through their address, the next block finds as it was.
struct Counter { int at[4], n; };
__device__ void more(int *n) { *n += 3; }
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void walk(const int *x, int *y, int n, int step)
{
    x += blockIdx.x * blockDim.x + threadIdx.x;
    y += blockIdx.x * blockDim.x + threadIdx.x;
    for (; n > 0; --n)
        *y += *x * step++;
} static void walk__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y, int n, int step);
__global__ void address(int *y, int n)
{
    int &other = n;
    auto twice = [&] { n *= 2; };
    more(&n);
    twice();
    ++other;
    y[blockIdx.x * blockDim.x + threadIdx.x] = n + gridDim.x;
} static void address__gpuopt_launch(const ::gpuopt_rt::config &, int *y, int n);

void all(const int *x, int *y, int n, int step)
{
    walk__gpuopt_launch(::gpuopt_rt::config(601, 32), x, y, n, step);
    address__gpuopt_launch(::gpuopt_rt::config(700, 32), y, n);
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
static __global__ void walk__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n, int step)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n, int step) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    x += blockIdx.x * blockDim.x + threadIdx.x;
    y += blockIdx.x * blockDim.x + threadIdx.x;
    for (; n > 0; --n)
        *y += *x * step++;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x, y, n, step); } }
#line 7
static __global__ void walk__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n, int step)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n, int step) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    x += blockIdx.x * blockDim.x + threadIdx.x;
    y += blockIdx.x * blockDim.x + threadIdx.x;
    for (; n > 0; --n)
        *y += *x * step++;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x, y, n, step); } }
static bool walk__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n, int step) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; (void)step; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool walk__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n, int step) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; (void)step; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void walk__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y, int n, int step) {
// The launch of a version or of the original is here.
}
#line 14
static __global__ void address__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, int *y, int n)
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(y); const bool gpuopt_all = true; if (gpuopt_all) { } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole, int n) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(y, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); {
    int &other = n;
    auto twice = [&] { n *= 2; };
    more(&n);
    twice();
    ++other;
    gpuopt_e0[blockIdx.x * blockDim.x + threadIdx.x] = n + gridDim.x;
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true, n); } gpuopt_c0.store(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false, n); } } }
#line 14
static __global__ void address__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, int *y, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, int n) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    int &other = n;
    auto twice = [&] { n *= 2; };
    more(&n);
    twice();
    ++other;
    y[blockIdx.x * blockDim.x + threadIdx.x] = n + gridDim.x;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, n); } }
static bool address__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, int *y, int n) { (void)gpuopt_l; (void)y; (void)n; 
  return gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
}
static bool address__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)y; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static bool address__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)y; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static void address__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *y, int n) {
// The launch of a version or of the original is here.
}
#endif
