// gpu: titan-v; policy: blocks=2
// run: grid=4 block=256 n=1000 a=2.0f x=n y=n
// run: grid=1 block=256 n=256 a=0.5f x=n y=n
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
} static void axpy__gpuopt_launch(const ::gpuopt_rt::config &, int n, float a, const float *x, float *y);

void axpy_all(int n, float a, const float *x, float *y)
{
    axpy__gpuopt_launch(::gpuopt_rt::config((n + 255) / 256, 256), n, a, x, y);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
static bool axpy__gpuopt_prefer_l1_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &a, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)a; (void)x; (void)y; 

  if (gpuopt_l.shared || gpuopt_l.static_shared || gpuopt_l.carveout_set) return false;
  if (gpuopt_l.grid.x * gpuopt_l.grid.y * gpuopt_l.grid.z < 2u) return false;
  gpuopt_c.carveout = 0;
  return true;
}
static void axpy__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, float a, const float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
