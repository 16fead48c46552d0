// gpu: h200; learn: on
// run: grid=(n+127)/128 block=128 n=40000 x=n y=n a=1.5f
// Blocks in a row: halves, quarters and eighths of four warps, and pairs and fours of blocks; the last block is not full.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void axpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
} static void axpy__gpuopt_launch(const ::gpuopt_rt::config &, const float *x, float *y, float a, int n);

void all(const float *x, float *y, float a, int n)
{
    axpy__gpuopt_launch(::gpuopt_rt::config((n + 127) / 128, 128), x, y, a, n);
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
static __global__ void axpy__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, float a, int n)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}}
static bool axpy__gpuopt_launch_shape_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &a, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)a; (void)n; 
  gpuopt_rt::plugin_launch_shape::offer(gpuopt_l, gpuopt_o);
  return true;
}
static void axpy__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *x, float *y, float a, int n) {
// The launch of a version or of the original is here.
}
#endif
