// gpu: h200; policy: order="column"
// run: grid=dim3(4,5) block=dim3(16,16) n=64 a=80*n b=n*n c=80*n
// Lambdas with a default capture see the block whose work is done.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const unsigned *a, const unsigned *b, unsigned *c, int n)
{
    auto row = [=] { return blockIdx.y * 16 + threadIdx.y; };
    auto column = [&](auto i) { return blockIdx.x * 16 + threadIdx.x + i; };
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += a[row() * n + k] * b[k * n + column(0)];
    c[row() * n + column(0)] = sum;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *a, const unsigned *b, unsigned *c, int n);
void run(const unsigned *a, const unsigned *b, unsigned *c, int n) { kernel__gpuopt_launch(::gpuopt_rt::config(dim3(16, 16), dim3(16, 16)), a, b, c, n); }
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
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, const unsigned *a, const unsigned *b, unsigned *c, int n)
{ const ::uint3 blockIdx = ::gpuopt_rt::plugin_cta_clustering::redirected<0, 1, 2, 0, 1>(gpuopt_plan); (void)blockIdx; {
    auto row = [=] { return blockIdx.y * 16 + threadIdx.y; };
    auto column = [&](auto i) { return blockIdx.x * 16 + threadIdx.x + i; };
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += a[row() * n + k] * b[k * n + column(0)];
    c[row() * n + column(0)] = sum;
}}
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &c, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)a; (void)b; (void)c; (void)n; 
  if (gpuopt_l.grid.z != 1) return false;
  if (gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1 && gpuopt_l.grid.z == 1) return false;
  gpuopt_c.n[0] = 1; gpuopt_c.n[1] = 0; gpuopt_c.n[2] = 1;
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *a, const unsigned *b, unsigned *c, int n) {
// The launch of a version or of the original is here.
}
#endif
