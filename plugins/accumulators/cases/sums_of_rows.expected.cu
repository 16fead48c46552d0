// run: grid=5 block=64 rows=300 columns=37 a=rows*columns b=rows*columns x=columns s=rows t=rows
// Two sums of one loop, in two arrays.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void sums(int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        s[i] = 0.0f;
        t[i] = 0.0f;
        for (int j = 0; j < columns; ++j) {
            s[i] += a[i * columns + j] * x[j];
            t[i] += b[i * columns + j] * x[j];
        }
        t[i] = 1.5f * s[i] - t[i];
    }
} static void sums__gpuopt_launch(const ::gpuopt_rt::config &, int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t);

void all(int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t)
{
    sums__gpuopt_launch(::gpuopt_rt::config((rows + 63) / 64, 64), rows, columns, a, b, x, s, t);
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
static __global__ void sums__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        s[i] = 0.0f;
        t[i] = 0.0f; { bool gpuopt_b0 = false; { int j = 0; if (j < columns) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(s[i])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = s[i]; decltype(::gpuopt_rt::plugin_accumulators::held(t[i])) gpuopt_s1 = 0; if (gpuopt_b0) gpuopt_s1 = t[i];
        for (int j = 0; j < columns; ++j) {
            gpuopt_s0 += a[i * columns + j] * x[j];
            gpuopt_s1 += b[i * columns + j] * x[j];
        } if (gpuopt_b0) s[i] = gpuopt_s0; if (gpuopt_b0) t[i] = gpuopt_s1; }
        t[i] = 1.5f * s[i] - t[i];
    }
}
static bool sums__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t) { (void)gpuopt_l; (void)rows; (void)columns; (void)a; (void)b; (void)x; (void)s; (void)t; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(rows))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::counted(columns) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(rows))) + gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(columns))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(columns)))), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(columns))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(columns))), 4);
  const gpuopt_rt::reach gpuopt_e3 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::counted(columns) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(rows))) + gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(columns))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(columns)))), 4);
  const gpuopt_rt::reach gpuopt_e4 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(rows))), 4);
  return gpuopt_rt::apart(s, gpuopt_e0, 4, a, gpuopt_e1, 4) &&
         gpuopt_rt::apart(s, gpuopt_e0, 4, x, gpuopt_e2, 4) &&
         gpuopt_rt::apart(s, gpuopt_e0, 4, b, gpuopt_e3, 4) &&
         gpuopt_rt::apart(t, gpuopt_e4, 4, s, gpuopt_e0, 4) &&
         gpuopt_rt::apart(t, gpuopt_e4, 4, a, gpuopt_e1, 4) &&
         gpuopt_rt::apart(t, gpuopt_e4, 4, x, gpuopt_e2, 4) &&
         gpuopt_rt::apart(t, gpuopt_e4, 4, b, gpuopt_e3, 4);
}
static bool sums__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int rows, int columns, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &x, const gpuopt_rt::unread &s, const gpuopt_rt::unread &t) { (void)gpuopt_l; (void)gpuopt_c; (void)rows; (void)columns; (void)a; (void)b; (void)x; (void)s; (void)t; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool sums__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int rows, int columns, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &x, const gpuopt_rt::unread &s, const gpuopt_rt::unread &t) { (void)gpuopt_l; (void)gpuopt_o; (void)rows; (void)columns; (void)a; (void)b; (void)x; (void)s; (void)t; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void sums__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t) {
// The launch of a version or of the original is here.
}
#endif
