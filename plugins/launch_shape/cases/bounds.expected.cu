// gpu: h200; learn: on
// run: grid=600 block=256 x=600*256
// No block has more threads than the launch bound allows: these are not joined.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void __launch_bounds__(256, 4) halve(float *x)
{
    x[blockIdx.x * 256 + threadIdx.x] *= 0.5f;
} static void halve__gpuopt_launch(const ::gpuopt_rt::config &, float *x);

void all(float *x)
{
    halve__gpuopt_launch(::gpuopt_rt::config(600, 256), x);
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
static __global__ void __launch_bounds__(256, 4) halve__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, float *x)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    x[blockIdx.x * 256 + threadIdx.x] *= 0.5f;
}}
static bool halve__gpuopt_launch_shape_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x) { (void)gpuopt_l; (void)gpuopt_o; (void)x; 
  gpuopt_rt::plugin_launch_shape::offer(gpuopt_l, gpuopt_o);
  return true;
}
static void halve__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, float *x) {
// The launch of a version or of the original is here.
}
#endif
