// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=1 block=256 n=32 A=256*n y=256
// A plan has eight slots: the ninth loop stays as it is.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 1.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 2.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 3.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 4.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 5.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 6.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 7.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 8.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 9.0f;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, float *A, float *y);

void run(int n, float *A, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(1, 256), n, A, y);
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
        y[i] += A[i * n + j] * 1.0f; } if (gpuopt_plan.n[0] > 1) __syncthreads(); } for (unsigned gpuopt_g1 = 0; gpuopt_g1 < gpuopt_plan.n[1]; ++gpuopt_g1) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[1]) == gpuopt_g1) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 2.0f; } if (gpuopt_plan.n[1] > 1) __syncthreads(); } for (unsigned gpuopt_g2 = 0; gpuopt_g2 < gpuopt_plan.n[2]; ++gpuopt_g2) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[2]) == gpuopt_g2) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 3.0f; } if (gpuopt_plan.n[2] > 1) __syncthreads(); } for (unsigned gpuopt_g3 = 0; gpuopt_g3 < gpuopt_plan.n[3]; ++gpuopt_g3) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[3]) == gpuopt_g3) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 4.0f; } if (gpuopt_plan.n[3] > 1) __syncthreads(); } for (unsigned gpuopt_g4 = 0; gpuopt_g4 < gpuopt_plan.n[4]; ++gpuopt_g4) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[4]) == gpuopt_g4) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 5.0f; } if (gpuopt_plan.n[4] > 1) __syncthreads(); } for (unsigned gpuopt_g5 = 0; gpuopt_g5 < gpuopt_plan.n[5]; ++gpuopt_g5) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[5]) == gpuopt_g5) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 6.0f; } if (gpuopt_plan.n[5] > 1) __syncthreads(); } for (unsigned gpuopt_g6 = 0; gpuopt_g6 < gpuopt_plan.n[6]; ++gpuopt_g6) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[6]) == gpuopt_g6) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 7.0f; } if (gpuopt_plan.n[6] > 1) __syncthreads(); } for (unsigned gpuopt_g7 = 0; gpuopt_g7 < gpuopt_plan.n[7]; ++gpuopt_g7) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[7]) == gpuopt_g7) {
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 8.0f; } if (gpuopt_plan.n[7] > 1) __syncthreads(); }
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 9.0f;
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 16384 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.nest();
  {  // the loop at line 7
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(319u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(311u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(0, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 9
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(388u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(380u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(1, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 11
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(457u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(449u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(2, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 13
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(526u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(518u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(3, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 15
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(595u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(587u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(4, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 17
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(664u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(656u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(5, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 19
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(733u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(725u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(6, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  catt_d.nest();
  {  // the loop at line 21
    gpuopt_rt::plugin_catt::reference catt_r[2];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(802u);  // A[i * n + j]
    catt_r[1].set(1, 1, 4); catt_r[1].moves(catt_rules, 0LL, 1); catt_r[1].away = gpuopt_l.past_l1(794u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(7, catt_r, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  return catt_d.gains(8);
}
static bool kernel__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)y; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.offer(gpuopt_o, 8);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, float *A, float *y) {
// The launch of a version or of the original is here.
}
#endif
