// gpu: titan-v; policy: model="paper", margin=1.0
// Launch and sizes are constants: decided here, and again where it runs.
// run: grid=320 block=256 A=81920*64 x=64 tmp=81920
#define NY 64

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < NY; j++) {
        tmp[i] += A[i * NY + j] * x[j];
    }
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, float *A, float *x, float *tmp);

void run(float *A, float *x, float *tmp)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(80 * 4, 256), A, x, tmp);
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
#line 6
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    for (int j = 0; j < NY; j++) {
        tmp[i] += A[i * NY + j] * x[j];
    } } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &tmp) { (void)gpuopt_l; (void)gpuopt_c; (void)A; (void)x; (void)tmp; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { false, true, true, 128, 32, 1000, 16, 4, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.nest();
  {  // the loop at line 9
    gpuopt_rt::plugin_catt::reference catt_r[3];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(354u);  // A[i * NY + j]
    catt_r[1].set(2, 1, 4); catt_r[1].moves(catt_rules, 4LL, 1); catt_r[1].away = gpuopt_l.past_l1(370u);  // x[j]
    catt_r[2].set(1, 2, 4); catt_r[2].moves(catt_rules, 0LL, 1); catt_r[2].away = gpuopt_l.past_l1(344u);  // tmp[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (256LL * catt_x);
      if (catt_k == 1) return 0LL;
      if (catt_k == 2) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(0, catt_r, 3, 64LL, catt_at);
  }
  return catt_d.gains(1);
}
static bool kernel__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &tmp) { (void)gpuopt_l; (void)gpuopt_o; (void)A; (void)x; (void)tmp; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { false, true, true, 128, 32, 1000, 16, 4, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.offer(gpuopt_o, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, float *A, float *x, float *tmp) {
// The launch of a version or of the original is here.
}
#endif
