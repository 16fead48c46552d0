// gpu: h200; policy: form="split", factor=4
// run: grid=5 block=192 x=5*192
// As the policy asks: 192 threads in four would not be whole warps, so this launch stays, and the next one is split.
// run: kernel=ramp grid=5 block=256 x=5*256
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void ramp(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += threadIdx.x + 1000 * blockDim.x + gridDim.x;
} static void ramp__gpuopt_launch(const ::gpuopt_rt::config &, int *x);

void all(int *x, int threads)
{
    ramp__gpuopt_launch(::gpuopt_rt::config(5, threads), x);
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
#line 5
static __global__ void ramp__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, int *x)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    x[blockIdx.x * blockDim.x + threadIdx.x] += threadIdx.x + 1000 * blockDim.x + gridDim.x;
}}
static bool ramp__gpuopt_launch_shape_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x) { (void)gpuopt_l; (void)gpuopt_c; (void)x; 
  return gpuopt_rt::plugin_launch_shape::split(gpuopt_l, gpuopt_c, 2) > 0;
}
static void ramp__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x) {
// The launch of a version or of the original is here.
}
#endif
