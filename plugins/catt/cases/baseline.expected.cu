// gpu: h200; policy: fixed_tlp=[2, 1]
// run: grid=140 block=128 n=24 A=17920*n x=n y=17920
// Best fixed throttling: a TLP that the policy names, whatever the model says.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = 0) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += A[i * n + j] * x[j];
    y[i] = sum;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *A, const float *x, float *y);

void run(int n, float *A, float *x, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(140, 128), n, A, x, y);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 4
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    for (int j = 0; j < n; j++)
        sum += A[i * n + j] * x[j]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
    y[i] = sum;
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const float *A, const float *x, float *y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)x; (void)y; 
  if (gpuopt_l.warps == 0 || gpuopt_l.blocks_per_sm == 0) return false;
  bool catt_any = false;
  if (gpuopt_l.warps > 2 && gpuopt_l.warps % 2 == 0) { gpuopt_c.n[0] = (unsigned short)(gpuopt_l.warps / 2); catt_any = true; }
  auto catt_left = [&](long long blocks, size_t &shared, int &percent) -> long long {
    const gpuopt_rt::gpu *g = gpuopt_rt::gpu_of(gpuopt_l.capability);
    if (!g || gpuopt_l.carveout_set) return -1;
    size_t most = 0;
    for (unsigned i = 0; i < 12; ++i) if (g->split[i] > most) most = g->split[i];
    const size_t own = gpuopt_l.static_shared + gpuopt_l.shared + g->reserved;
    for (unsigned i = 0; i < 12; ++i) {
      const size_t size = g->split[i], each = size / (size_t)blocks / 256 * 256;
      if (size < g->usual || each <= own || each * (size_t)(blocks + 1) <= size || each > most) continue;
      shared = each - gpuopt_l.static_shared - g->reserved; percent = (int)(size * 100 / most);
      return (long long)gpuopt_rt::l1_beside(*g, size);
    }
    return -1;
  };
  if (gpuopt_l.blocks_per_sm > 1) {
    size_t shared = 0; int percent = -1;
    if (catt_left(1, shared, percent) >= 0) {
      gpuopt_c.shared = shared; gpuopt_c.carveout = percent; catt_any = true;
    }
  }
  return catt_any;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
