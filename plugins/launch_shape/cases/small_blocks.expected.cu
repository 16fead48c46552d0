// gpu: h200; learn: on
// run: grid=700 block=4 n=2799 x=2800 y=2800
// Blocks of four threads fill an eighth of a warp: eight of them, or more, become one.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void twice(const int *x, int *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + blockDim.x;
} static void twice__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y, int n);

void all(const int *x, int *y, int n)
{
    twice__gpuopt_launch(::gpuopt_rt::config(700, 4), x, y, n);
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
static __global__ void twice__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + blockDim.x;
}}
static bool twice__gpuopt_launch_shape_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  gpuopt_rt::plugin_launch_shape::offer(gpuopt_l, gpuopt_o);
  return true;
}
static void twice__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y, int n) {
// The launch of a version or of the original is here.
}
#endif
