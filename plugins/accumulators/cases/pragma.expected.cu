// run: grid=2 block=64 n=100 m=12 x=n y=n
// The loop keeps its pragma; the loop is the only statement of an `if`, and another one follows at once.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void twice(int n, int m, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
#pragma unroll 4
        for (int j = 0; j < m; ++j) y[i] += x[i] * j;
    if (i < n - 1) for (int j = m; j > 0; j--) { y[i] = y[i] * 0.5f + x[i + 1]; } else y[i] = 0;
} static void twice__gpuopt_launch(const ::gpuopt_rt::config &, int n, int m, const float *x, float *y);

void all(int n, int m, const float *x, float *y)
{
    twice__gpuopt_launch(::gpuopt_rt::config(2, 64), n, m, x, y);
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
static __global__ void twice__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, int n, int m, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { bool gpuopt_b0 = false; { int j = 0; if (j < m) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(y[i])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = y[i];
#pragma unroll 4
        for (int j = 0; j < m; ++j) gpuopt_s0 += x[i] * j; if (gpuopt_b0) y[i] = gpuopt_s0; }
    if (i < n - 1) { bool gpuopt_b1 = false; { int j = m; if (j > 0) gpuopt_b1 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(y[i])) gpuopt_s1 = 0; if (gpuopt_b1) gpuopt_s1 = y[i]; for (int j = m; j > 0; j--) { gpuopt_s1 = gpuopt_s1 * 0.5f + x[i + 1]; } if (gpuopt_b1) y[i] = gpuopt_s1; } else y[i] = 0;
}
static bool twice__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, int n, int m, const float *x, float *y) { (void)gpuopt_l; (void)n; (void)m; (void)x; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-2LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e3 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-2LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL)), 4);
  return gpuopt_rt::apart(y, gpuopt_e0, 4, x, gpuopt_e1, 4) &&
         gpuopt_rt::apart(y, gpuopt_e2, 4, x, gpuopt_e3, 4);
}
static bool twice__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool twice__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void twice__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int m, const float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
