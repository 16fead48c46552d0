// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: kernel=kernel<float,1> grid=2 block=256 n=100 A=512*n x=n y=512
// run: kernel=kernel<double,2> grid=2 block=256 n=100 A=512*n x=n y=512
// One rewrite for all instantiations, a guard for each.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } template <class T, int STEP>
__global__ void kernel(int n, const T *A, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j += STEP)
        y[i] += A[i * n + j] * x[j];
} template <class T, int STEP> __attribute__((noinline)) static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const T *A, const T *x, T *y);

void run(int n, float *A, float *x, float *y, double *B, double *u, double *v)
{
    kernel__gpuopt_launch<float, 1>(::gpuopt_rt::config(2, 256), n, A, x, y);
    kernel__gpuopt_launch<double, 2>(::gpuopt_rt::config(2, 256), n, B, u, v);
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
template <class T, int STEP>
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, const T *A, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    for (int j = 0; j < n; j += STEP)
        y[i] += A[i * n + j] * x[j]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
}
namespace {
template <class GpuoptTag> struct kernel__gpuopt_catt_guard_of;
template <class T, int STEP> struct kernel__gpuopt_catt_guard_tag {};
template <class GpuoptTag> struct kernel__gpuopt_catt_guard_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct kernel__gpuopt_catt_guard_of<kernel__gpuopt_catt_guard_tag<float, 1> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)x; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 16384 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.nest();
  {  // the loop at line 9
    gpuopt_rt::plugin_catt::reference catt_r[3];
    catt_r[0].set(1, 0, 4); catt_r[0].moves(catt_rules, 4LL, 1); catt_r[0].away = gpuopt_l.past_l1(464u);  // A[i * n + j]
    catt_r[1].set(2, 1, 4); catt_r[1].moves(catt_rules, 4LL, 1); catt_r[1].away = gpuopt_l.past_l1(479u);  // x[j]
    catt_r[2].set(1, 2, 4); catt_r[2].moves(catt_rules, 0LL, 1); catt_r[2].away = gpuopt_l.past_l1(456u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (4LL * (long long)(n) * catt_x);
      if (catt_k == 1) return 0LL;
      if (catt_k == 2) return (4LL * catt_x);
      return 0;
    };
    catt_d.loop(0, catt_r, 3, (0LL > (long long)(n) ? 0LL : (long long)(n)), catt_at);
  }
  return catt_d.gains(1);
} };
template <> struct kernel__gpuopt_catt_guard_of<kernel__gpuopt_catt_guard_tag<double, 2> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)x; (void)y; 
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 16384 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);
  if (!catt_d.known()) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.nest();
  {  // the loop at line 9
    gpuopt_rt::plugin_catt::reference catt_r[3];
    catt_r[0].set(1, 0, 8); catt_r[0].moves(catt_rules, 16LL, 1); catt_r[0].away = gpuopt_l.past_l1(464u);  // A[i * n + j]
    catt_r[1].set(2, 1, 8); catt_r[1].moves(catt_rules, 16LL, 1); catt_r[1].away = gpuopt_l.past_l1(479u);  // x[j]
    catt_r[2].set(1, 2, 8); catt_r[2].moves(catt_rules, 0LL, 1); catt_r[2].away = gpuopt_l.past_l1(456u);  // y[i]
    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> long long {
      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;
      if (catt_k == 0) return (8LL * (long long)(n) * catt_x);
      if (catt_k == 1) return 0LL;
      if (catt_k == 2) return (8LL * catt_x);
      return 0;
    };
    catt_d.loop(0, catt_r, 3, (0LL > (((long long)(n) + 1LL) / 2LL) ? 0LL : (((long long)(n) + 1LL) / 2LL)), catt_at);
  }
  return catt_d.gains(1);
} };
}
template <class T, int STEP> static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const T *A, const T *x, T *y) { return kernel__gpuopt_catt_guard_of<kernel__gpuopt_catt_guard_tag<T, STEP> >::pick(gpuopt_l, gpuopt_c, n, A, x, y); }
namespace {
template <class GpuoptTag> struct kernel__gpuopt_catt_offers_of;
template <class T, int STEP> struct kernel__gpuopt_catt_offers_tag {};
template <class GpuoptTag> struct kernel__gpuopt_catt_offers_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct kernel__gpuopt_catt_offers_of<kernel__gpuopt_catt_offers_tag<float, 1> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)x; (void)y; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.offer(gpuopt_o, 1);
  return true;
} };
template <> struct kernel__gpuopt_catt_offers_of<kernel__gpuopt_catt_offers_tag<double, 2> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)x; (void)y; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, true, true, 128, 32, 1000, 16, 1, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  if (gpuopt_l.block.y > 1 || gpuopt_l.block.z > 1) return false;  // races
  catt_d.offer(gpuopt_o, 1);
  return true;
} };
}
template <class T, int STEP> static bool kernel__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const T *A, const T *x, T *y) { return kernel__gpuopt_catt_offers_of<kernel__gpuopt_catt_offers_tag<T, STEP> >::pick(gpuopt_l, gpuopt_o, n, A, x, y); }
template <class T, int STEP> static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const T *A, const T *x, T *y) {
// The launch of a version or of the original is here.
}
#endif
