// run: grid=4 block=64 n=250 radius=2 x=n+4 w=5 y=n
// The sum is the same in both loops: it is loaded and stored around the outer one.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void stencil(int n, int radius, const int *x, const int *w, int *y)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        for (int pass = 0; pass < 3; ++pass)
            for (int j = 0; j <= 2 * radius; ++j)
                y[i] += w[j] * x[i + j] + pass;
} static void stencil__gpuopt_launch(const ::gpuopt_rt::config &, int n, int radius, const int *x, const int *w, int *y);

void all(int n, int radius, const int *x, const int *w, int *y)
{
    stencil__gpuopt_launch(::gpuopt_rt::config(4, 64), n, radius, x, w, y);
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
static __global__ void stencil__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, int n, int radius, const int *x, const int *w, int *y)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) { bool gpuopt_b0 = false; { int j = 0; if (j <= 2 * radius) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(y[i])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = y[i];
        for (int pass = 0; pass < 3; ++pass)
            for (int j = 0; j <= 2 * radius; ++j)
                gpuopt_s0 += w[j] * x[i + j] + pass; if (gpuopt_b0) y[i] = gpuopt_s0; }
}
static bool stencil__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, int n, int radius, const int *x, const int *w, int *y) { (void)gpuopt_l; (void)n; (void)radius; (void)x; (void)w; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), gpuopt_rt::only(2LL) * gpuopt_rt::counted(radius)), gpuopt_rt::only(2LL) * gpuopt_rt::counted(radius)), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), gpuopt_rt::only(2LL) * gpuopt_rt::counted(radius)), gpuopt_rt::only(2LL) * gpuopt_rt::counted(radius))), 4);
  return gpuopt_rt::apart(y, gpuopt_e0, 4, w, gpuopt_e1, 4) &&
         gpuopt_rt::apart(y, gpuopt_e0, 4, x, gpuopt_e2, 4);
}
static bool stencil__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int radius, const gpuopt_rt::unread &x, const gpuopt_rt::unread &w, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)radius; (void)x; (void)w; (void)y; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool stencil__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, int radius, const gpuopt_rt::unread &x, const gpuopt_rt::unread &w, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)radius; (void)x; (void)w; (void)y; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void stencil__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int radius, const int *x, const int *w, int *y) {
// The launch of a version or of the original is here.
}
#endif
