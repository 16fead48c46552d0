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
static __global__ void axpy__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, float a, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const uint3 blockIdx = gpuopt_at.block; (void)blockIdx; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
#line 4
static __global__ void axpy__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, float a, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const uint3 blockIdx = gpuopt_at.block; (void)blockIdx; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
static bool axpy__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &a, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)a; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool axpy__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &a, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)a; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void axpy__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *x, float *y, float a, int n) {
// The launch of a version or of the original is here.
}
#endif
