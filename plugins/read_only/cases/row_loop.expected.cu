// learn: on
// run: grid=2 block=64 n=120 m=10 x=m*n w=m y=m*n
// A store in each iteration stands in the way of the next iteration's loads.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void scale(int n, int m, const float *x, float *w, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[j * n + i] = x[j * n + i] * w[j] + 1.0f;
} static void scale__gpuopt_launch(const ::gpuopt_rt::config &, int n, int m, const float *x, float *w, float *y);

void all(int n, int m, const float *x, float *w, float *y)
{
    scale__gpuopt_launch(::gpuopt_rt::config(2, 64), n, m, x, w, y);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 4
static __global__ void scale__gpuopt_read_only(::gpuopt_rt::plan gpuopt_plan, int n, int m, const float *__restrict__ x, float *__restrict__ w, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[j * n + i] = x[j * n + i] * w[j] + 1.0f;
}
static bool scale__gpuopt_read_only_holds(const ::gpuopt_rt::config &gpuopt_l, int n, int m, const float *x, float *w, float *y) { (void)gpuopt_l; (void)n; (void)m; (void)x; (void)w; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL) * gpuopt_rt::counted(n) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m)))), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL) * gpuopt_rt::counted(n) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m)))), 4);
  return gpuopt_rt::apart(w, gpuopt_e0, 4, y, gpuopt_e1, 4) &&
         gpuopt_rt::apart(x, gpuopt_e2, 4, y, gpuopt_e1, 4);
}
static bool scale__gpuopt_read_only_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &w, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)x; (void)w; (void)y; 

  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.02, "restricted");
  return true;
}
static void scale__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int m, const float *x, float *w, float *y) {
// The launch of a version or of the original is here.
}
#endif
