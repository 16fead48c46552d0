// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=64 a=131072 b=131072 x=n y=512
// Static constants keep nothing between calls, and are numbers in the index.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *a, const float *b, const float *x, float *y)
{
    static const int WIDTH = 4;
    static constexpr float SCALE[2] = {2.0f, 3.0f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += a[i * n * WIDTH + j] * x[j] * SCALE[0] + b[i * n * WIDTH + j] * x[j];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *a, const float *b, const float *x, float *y);

void run(int n, const float *a, const float *b, const float *x, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(1024, 256), n, a, b, x, y);
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
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, const float *a, const float *b, const float *x, float *y)
{
    static const int WIDTH = 4;
    static constexpr float SCALE[2] = {2.0f, 3.0f};
    int i = blockIdx.x * blockDim.x + threadIdx.x; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    for (int j = 0; j < n; j++)
        y[i] += a[i * n * WIDTH + j] * x[j] * SCALE[0] + b[i * n * WIDTH + j] * x[j]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)a; (void)b; (void)x; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 16384 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.nest();
  {  // the loop at line 9
    gpuopt_rt::plugin_catt::reference catt_r[5];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(475u);  // a[i * n * WIDTH + j]
    catt_r[1].set(2, 1, 4); catt_r[1].moves(catt_rules, 4LL, 1); catt_r[1].away = gpuopt_l.past_l1(498u) && gpuopt_l.past_l1(539u);  // x[j]
    catt_r[2].set(2, 2, 4); catt_r[2].moves(catt_rules, 0LL, 1); catt_r[2].away = gpuopt_l.past_l1(505u);  // SCALE[0]
    catt_r[3].set(1, 3, 4); catt_r[3].moves(catt_rules, 4LL, 1); catt_r[3].away = gpuopt_l.past_l1(516u);  // b[i * n * WIDTH + j]
    catt_r[4].set(1, 4, 4); catt_r[4].moves(catt_rules, 0LL, 1); catt_r[4].away = gpuopt_l.past_l1(467u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (16LL * (long long)(n) * catt_x);
      if (catt_k == 1) return 0LL;
      if (catt_k == 2) return 0LL;
      if (catt_k == 3) return (16LL * (long long)(n) * catt_x);
      if (catt_k == 4) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(0, catt_r, 5, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  return catt_d.gains(1);
}
static bool kernel__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)a; (void)b; (void)x; (void)y; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.offer(gpuopt_o, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *a, const float *b, const float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
