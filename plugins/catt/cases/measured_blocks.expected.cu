// gpu: h200; learn: on
// run: grid=528 block=64 n=8 a=33792 y=33792
// The next place is computed from what was read: fewer resident blocks are measured, of the kernel as it is.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void gather(const float *a, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned all = gridDim.x * blockDim.x;
    unsigned at = i;
    float sum = 0;
    for (int j = 0; j < n; ++j) {
        sum += a[at];
        at = (at * 1664525u + (unsigned)(a[at] * a[at] * 1024.0f)) % all;
    }
    y[i] = sum;
} static void gather__gpuopt_launch(const ::gpuopt_rt::config &, const float *a, float *y, int n);

void all(int blocks, const float *a, float *y, int n)
{
    gather__gpuopt_launch(::gpuopt_rt::config(blocks, 64), a, y, n);
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
static bool gather__gpuopt_catt_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &a, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)a; (void)y; (void)n; 
  gpuopt_rt::choice catt_c = gpuopt_o.blank();
  static const gpuopt_rt::plugin_catt::rules catt_rules = { true, false, true, 128, 32, 1220, 16, 4, 0 };
  gpuopt_rt::plugin_catt::decision catt_d(gpuopt_l, catt_c, catt_rules);
  if (!catt_d.all) return false;
  catt_d.offer(gpuopt_o, 0);
  return true;
}
static void gather__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *a, float *y, int n) {
// The launch of a version or of the original is here.
}
#endif
