// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=100 A=512*n y=512
// A walk that stays inside of its row: nearly everywhere, it is the walk without the clamp.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + min(j + 1, n - 1)];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, float *A, float *y);

void run(int n, float *A, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(2, 256), n, A, y);
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
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + min(j + 1, n - 1)]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 16384 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.nest();
  {  // the loop at line 7
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(355u);  // A[i * n + min(j + 1, n - 1)]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(347u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return ((4LL * (long long)(n) * catt_x) + 4LL);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(0, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  return catt_d.gains(1);
}
static bool kernel__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)y; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.offer(gpuopt_o, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, float *A, float *y) {
// The launch of a version or of the original is here.
}
#endif
