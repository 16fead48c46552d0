// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1, fixed_tlp=[2, 0]
// run: grid=2 block=256 n=300 mode=0 A=512*n x=n y=512
// run: grid=2 block=256 n=300 mode=1 A=512*n x=n y=512
// Loops as the bodies of an if and its else, without braces.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, int mode, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mode)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    else
        for (int j = n - 1; j >= 0; j--)
            if (x[j] > 0.0f)
                y[i] -= A[i * n + j];
            else
                y[i] += x[j];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, int mode, float *A, float *x, float *y);

void run(int n, int mode, float *A, float *x, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(2, 256), n, mode, A, x, y);
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
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, int mode, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mode) for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
    else for (unsigned gpuopt_g1 = 0; gpuopt_g1 < gpuopt_plan.n[1]; ++gpuopt_g1) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[1]) == gpuopt_g1) {
        for (int j = n - 1; j >= 0; j--)
            if (x[j] > 0.0f)
                y[i] -= A[i * n + j];
            else
                y[i] += x[j]; } if (gpuopt_plan.n[1] > 1) __syncthreads(); }
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int mode, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)mode; (void)A; (void)x; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  return catt_d.fixed(2, 2, 0);
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int mode, float *A, float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
