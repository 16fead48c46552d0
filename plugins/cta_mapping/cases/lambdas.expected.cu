// gpu: h200; policy: form="agents", direction="y"
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
static __global__ void kernel__gpuopt_cta_mapping(::gpuopt_rt::plan gpuopt_plan, const unsigned *a, const unsigned *b, unsigned *c, int n)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, const unsigned *a, const unsigned *b, unsigned *c, int n) -> void { (void)blockIdx; (void)gridDim; {
    auto row = [=] { return blockIdx.y * 16 + threadIdx.y; };
    auto column = [&](auto i) { return blockIdx.x * 16 + threadIdx.x + i; };
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += a[row() * n + k] * b[k * n + column(0)];
    c[row() * n + column(0)] = sum;
} }; ::gpuopt_rt::plugin_cta_mapping::agent<true, true> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, a, b, c, n); } }
static bool kernel__gpuopt_cta_mapping_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &c, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)a; (void)b; (void)c; (void)n; 
  if (gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 1, gpuopt_cta_h = 1;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *a, const unsigned *b, unsigned *c, int n) {
// The launch of a version or of the original is here.
}
#endif
