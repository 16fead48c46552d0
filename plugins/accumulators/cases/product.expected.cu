// run: grid=3,2 block=16,8 m=20 n=40 k=33 a=m*k b=k*n c=m*n
// A product of matrices that is added up in memory; an early return bounds the indices.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void product(int m, int n, int k, const double *a, const double *b, double *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= m)
        return;
    for (int l = 0; l < k; l++)
        c[row * n + column] += a[row * k + l] * b[l * n + column];
} static void product__gpuopt_launch(const ::gpuopt_rt::config &, int m, int n, int k, const double *a, const double *b, double *c);

void all(int m, int n, int k, const double *a, const double *b, double *c)
{
    product__gpuopt_launch(::gpuopt_rt::config(dim3(3, 2), dim3(16, 8)), m, n, k, a, b, c);
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
static __global__ void product__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, int m, int n, int k, const double *a, const double *b, double *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= m)
        return; { bool gpuopt_b0 = false; { int l = 0; if (l < k) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(c[row * n + column])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = c[row * n + column];
    for (int l = 0; l < k; l++)
        gpuopt_s0 += a[row * k + l] * b[l * n + column]; if (gpuopt_b0) c[row * n + column] = gpuopt_s0; }
}
static bool product__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, int m, int n, int k, const double *a, const double *b, double *c) { (void)gpuopt_l; (void)m; (void)n; (void)k; (void)a; (void)b; (void)c; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed((gpuopt_rt::only(8LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(8LL) * gpuopt_rt::counted(n) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.y) * gpuopt_rt::below(gpuopt_l.grid.y) + gpuopt_rt::below(gpuopt_l.block.y)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m)))), 8);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed((gpuopt_rt::only(8LL) * gpuopt_rt::counted(k) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.y) * gpuopt_rt::below(gpuopt_l.grid.y) + gpuopt_rt::below(gpuopt_l.block.y)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))) + gpuopt_rt::only(8LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(k))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(k)))), 8);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed((gpuopt_rt::only(8LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(8LL) * gpuopt_rt::counted(n) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(k))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(k)))), 8);
  return gpuopt_rt::apart(c, gpuopt_e0, 8, a, gpuopt_e1, 8) &&
         gpuopt_rt::apart(c, gpuopt_e0, 8, b, gpuopt_e2, 8);
}
static bool product__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int m, int n, int k, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &c) { (void)gpuopt_l; (void)gpuopt_c; (void)m; (void)n; (void)k; (void)a; (void)b; (void)c; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool product__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int m, int n, int k, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &c) { (void)gpuopt_l; (void)gpuopt_o; (void)m; (void)n; (void)k; (void)a; (void)b; (void)c; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void product__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int m, int n, int k, const double *a, const double *b, double *c) {
// The launch of a version or of the original is here.
}
#endif
