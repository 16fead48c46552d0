// gpu: h200; learn: on; policy: known=["blockDim = 32, width = 12, radius = 2", "width = 9"]
// run: grid=2 block=32 in=64 out=64 width=12 radius=2
// run: grid=4 block=16 in=64 out=64 width=9 radius=5
// run: grid=4 block=16 in=64 out=64 width=8 radius=1
// Numbers that a run was seen with: a version for each set, and every other launch the original.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void blur(const float *in, float *out, int width, int radius)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        if (x + k >= 0 && x + k < width) sum += in[i + k];
    out[i] = sum;
} static void blur__gpuopt_launch(const ::gpuopt_rt::config &, const float *in, float *out, int width, int radius);

void all(const float *in, float *out, int width, int radius, int threads)
{
    blur__gpuopt_launch(::gpuopt_rt::config(64 / threads, threads), in, out, width, radius);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 6
static __global__ void __launch_bounds__(32) blur__gpuopt_constants_b32_width12_radius2(::gpuopt_rt::plan gpuopt_plan, const float *in, float *out, int width, int radius)
{ { const ::dim3 blockDim(32u, 1u, 1u); (void)blockDim; decltype(width) width = static_cast<decltype(width)>(12LL); (void)width; decltype(radius) radius = static_cast<decltype(radius)>(2LL); (void)radius; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        if (x + k >= 0 && x + k < width) sum += in[i + k];
    out[i] = sum;
}}}
#line 6
static __global__ void blur__gpuopt_constants_width9(::gpuopt_rt::plan gpuopt_plan, const float *in, float *out, int width, int radius)
{ { decltype(width) width = static_cast<decltype(width)>(9LL); (void)width; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        if (x + k >= 0 && x + k < width) sum += in[i + k];
    out[i] = sum;
}}}
static bool blur__gpuopt_constants_b32_width12_radius2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, int width, int radius) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)width; (void)radius; 
  if (!(gpuopt_l.block.x == 32u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && width == static_cast<decltype(width)>(12LL) && radius == static_cast<decltype(radius)>(2LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static bool blur__gpuopt_constants_width9_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, int width, int radius) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)width; (void)radius; 
  if (!(width == static_cast<decltype(width)>(9LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static void blur__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *in, float *out, int width, int radius) {
// The launch of a version or of the original is here.
}
#endif
