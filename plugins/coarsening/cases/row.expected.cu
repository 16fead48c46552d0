// gpu: h200; learn: on
// run: grid=(n+63)/64 block=64 n=40000 x=n y=n a=1.5f
// Two or four blocks become one; the last of them does not have as many.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void axpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
} static void axpy__gpuopt_launch(const ::gpuopt_rt::config &, const float *x, float *y, float a, int n);

void all(const float *x, float *y, float a, int n)
{
    axpy__gpuopt_launch(::gpuopt_rt::config((n + 63) / 64, 64), x, y, a, n);
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
#line 4
static __global__ void axpy__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, float a, int n)
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(x); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(y); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(n) + (-1LL)); if (gpuopt_all) { gpuopt_c0.load(x + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); gpuopt_c1.load(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(x, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(y, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    gpuopt_e1[i] += a * gpuopt_e0[i];
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c1.store(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
#line 4
static __global__ void axpy__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, float a, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
static bool axpy__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const float *x, float *y, float a, int n) { (void)gpuopt_l; (void)x; (void)y; (void)a; (void)n; 
  return gpuopt_rt::aligned(x, 16u) &&
         gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
}
static bool axpy__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &a, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)a; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static bool axpy__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &a, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)a; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static void axpy__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *x, float *y, float a, int n) {
// The launch of a version or of the original is here.
}
#endif
