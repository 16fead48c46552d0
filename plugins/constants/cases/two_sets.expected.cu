// gpu: h200; learn: on
// run: grid=2 block=32 x=256 y=64 taps=4 step=2
// run: grid=2 block=32 x=256 y=64 taps=8 step=2
// run: grid=2 block=32 x=256 y=64 taps=5 step=2
// Three launches with different numbers: two sets get versions, and every other launch the original.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void filter(const int *x, int *y, int taps, int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < taps; ++k)
        sum += x[i + k * step];
    y[i] = sum / step;
} static void filter__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y, int taps, int step);

void all(const int *x, int *y, int n)
{
    filter__gpuopt_launch(::gpuopt_rt::config(2, 32), x, y, 4, 2);
    filter__gpuopt_launch(::gpuopt_rt::config(2, 32), x, y, 8, 2);
    filter__gpuopt_launch(::gpuopt_rt::config(2, 32), x, y, 5, 2);
    filter__gpuopt_launch(::gpuopt_rt::config(2, 32), x, y, 4, 2);
    filter__gpuopt_launch(::gpuopt_rt::config(2, 32), x, y, 8, 2);
    for (int k = 1; k < n; ++k) filter__gpuopt_launch(::gpuopt_rt::config(2, 32), x, y, k, 2);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 6
static __global__ void __launch_bounds__(32) filter__gpuopt_constants_b32_taps4_step2(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int taps, int step)
{ { const ::dim3 blockDim(32u, 1u, 1u); (void)blockDim; decltype(taps) taps = static_cast<decltype(taps)>(4LL); (void)taps; decltype(step) step = static_cast<decltype(step)>(2LL); (void)step; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < taps; ++k)
        sum += x[i + k * step];
    y[i] = sum / step;
}}}
#line 6
static __global__ void __launch_bounds__(32) filter__gpuopt_constants_b32_taps8_step2(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int taps, int step)
{ { const ::dim3 blockDim(32u, 1u, 1u); (void)blockDim; decltype(taps) taps = static_cast<decltype(taps)>(8LL); (void)taps; decltype(step) step = static_cast<decltype(step)>(2LL); (void)step; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < taps; ++k)
        sum += x[i + k * step];
    y[i] = sum / step;
}}}
static bool filter__gpuopt_constants_b32_taps4_step2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int taps, int step) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)taps; (void)step; 
  if (!(gpuopt_l.block.x == 32u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && taps == static_cast<decltype(taps)>(4LL) && step == static_cast<decltype(step)>(2LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static bool filter__gpuopt_constants_b32_taps8_step2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int taps, int step) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)taps; (void)step; 
  if (!(gpuopt_l.block.x == 32u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && taps == static_cast<decltype(taps)>(8LL) && step == static_cast<decltype(step)>(2LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static void filter__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y, int taps, int step) {
// The launch of a version or of the original is here.
}
#endif
