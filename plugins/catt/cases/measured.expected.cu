// gpu: h200; learn: on
// run: grid=(n+255)/256 block=256 n=2000 A=n*64 x=64 y=n
// The footprint is a little more than L1: the model leaves the loop alone, and a measurement may find otherwise.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const float *A, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < 64; ++j)
        sum += A[i * 64 + j] * x[j];
    y[i] = sum;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const float *A, const float *x, float *y, int n);

void all(const float *A, const float *x, float *y, int n)
{
    kernel__gpuopt_launch(::gpuopt_rt::config((n + 255) / 256, 256), A, x, y, n);
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
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, const float *A, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    for (int j = 0; j < 64; ++j)
        sum += A[i * 64 + j] * x[j]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
    y[i] = sum;
}
static bool kernel__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)A; (void)x; (void)y; (void)n; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1220, 16, 4, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all || gpuopt_l.capability < 70) return false;
  catt_d.offer(gpuopt_o, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *A, const float *x, float *y, int n) {
// The launch of a version or of the original is here.
}
#endif
