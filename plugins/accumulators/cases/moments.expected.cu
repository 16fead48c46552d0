// run: grid=2 block=64 n=100 m=9 x=n a=n b=n
// The elements are used where variables are initialised, too; a loop over steps in a loop over elements.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void moments(int n, int m, const float *x, float *a, float *b)
{
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x)
        for (int t = 1; t <= m; t++) {
            a[j] = 0.75f * a[j] + 0.25f * x[j];
            b[j] = 0.5f * b[j] + 0.5f * x[j] * x[j];
            const float mean = a[j] / t, spread = b[j] - mean;
            a[j] -= spread > 0 ? spread : mean * 0.125f;
        }
} static void moments__gpuopt_launch(const ::gpuopt_rt::config &, int n, int m, const float *x, float *a, float *b);

void all(int n, int m, const float *x, float *a, float *b)
{
    moments__gpuopt_launch(::gpuopt_rt::config(2, 64), n, m, x, a, b);
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
#line 3
static __global__ void moments__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, int n, int m, const float *x, float *a, float *b)
{
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) { bool gpuopt_b0 = false; { int t = 1; if (t <= m) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(a[j])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = a[j]; decltype(::gpuopt_rt::plugin_accumulators::held(b[j])) gpuopt_s1 = 0; if (gpuopt_b0) gpuopt_s1 = b[j];
        for (int t = 1; t <= m; t++) {
            gpuopt_s0 = 0.75f * gpuopt_s0 + 0.25f * x[j];
            gpuopt_s1 = 0.5f * gpuopt_s1 + 0.5f * x[j] * x[j];
            const float mean = gpuopt_s0 / t, spread = gpuopt_s1 - mean;
            gpuopt_s0 -= spread > 0 ? spread : mean * 0.125f;
        } if (gpuopt_b0) b[j] = gpuopt_s1; if (gpuopt_b0) a[j] = gpuopt_s0; }
}
static bool moments__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, int n, int m, const float *x, float *a, float *b) { (void)gpuopt_l; (void)n; (void)m; (void)x; (void)a; (void)b; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::only(gpuopt_l.grid.x), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::only(gpuopt_l.grid.x), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::only(gpuopt_l.grid.x), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  return gpuopt_rt::apart(a, gpuopt_e0, 4, x, gpuopt_e1, 4) &&
         gpuopt_rt::apart(b, gpuopt_e2, 4, a, gpuopt_e0, 4) &&
         gpuopt_rt::apart(b, gpuopt_e2, 4, x, gpuopt_e1, 4);
}
static bool moments__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)m; (void)x; (void)a; (void)b; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool moments__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)x; (void)a; (void)b; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void moments__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int m, const float *x, float *a, float *b) {
// The launch of a version or of the original is here.
}
#endif
