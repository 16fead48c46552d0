// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1, fixed_tlp=[2, 0]
// run: grid=(n+255)/256 block=256 n=300 A=n*n x=n y=n
// Jumps that stay inside what runs in groups.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            if (j % 5 == i % 5)
                continue;
            y[i] += A[i * n + j] * x[j];
        }
        for (int j = 0; j < n; j++) {
            if (y[i] > 100.0f)
                break;
            y[i] += 1.0f;
        }
    }
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, float *A, float *x, float *y);

void run(int n, float *A, float *x, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config((n + 255) / 256, 256), n, A, x, y);
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
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    if (i < n) {
        for (int j = 0; j < n; j++) {
            if (j % 5 == i % 5)
                continue;
            y[i] += A[i * n + j] * x[j];
        }
        for (int j = 0; j < n; j++) {
            if (y[i] > 100.0f)
                break;
            y[i] += 1.0f;
        }
    } } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)x; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  return catt_d.fixed(1, 2, 0);
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, float *A, float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
