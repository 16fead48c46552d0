// gpu: h200; learn: on
// run: kernel=rotate grid=64 block=128 x=8192 y=8192 bits=0 n=4
// run: kernel=rotate grid=64 block=128 x=8192 y=8192 bits=5 n=4
// run: kernel=rotate_by_call grid=64 block=128 x=8192 y=8192 bits=5 n=4
// Numbers that are in range are constants, and beside one that is not the others are. What is `const` warns of nothing.
__device__ unsigned turned(unsigned x, int by) { return x << by | x >> (32 - by); }

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void rotate(const unsigned *x, unsigned *y, int bits, const int n)
{
    for (int k = 0; k < n; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += x[k] << bits | x[k] >> (32 - bits);
} static void rotate__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *y, int bits, const int n);
__global__ void rotate_by_call(const unsigned *x, unsigned *y, int bits, int n)
{
    for (int k = 0; k < n; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += turned(x[k], bits);
} static void rotate_by_call__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *y, int bits, int n);
void run(const unsigned *x, unsigned *y)
{
    rotate__gpuopt_launch(::gpuopt_rt::config(64, 128), x, y, 0, 4);
    rotate__gpuopt_launch(::gpuopt_rt::config(64, 128), x, y, 5, 4);
    rotate_by_call__gpuopt_launch(::gpuopt_rt::config(64, 128), x, y, 5, 4);
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
#line 8
static __global__ void __launch_bounds__(128) rotate__gpuopt_constants_b128_n4(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y, int bits, const int n)
{ { const ::dim3 blockDim(128u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(::gpuopt_rt::plugin_constants::number(4LL)); (void)n; {
    for (int k = 0; k < n; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += x[k] << bits | x[k] >> (32 - bits);
}}}
static bool rotate__gpuopt_constants_b128_n4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int bits, const int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)bits; (void)n; 
  if (!(gpuopt_l.block.x == 128u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(4LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static void rotate__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *y, int bits, const int n) {
// The launch of a version or of the original is here.
}
#line 12
static __global__ void __launch_bounds__(128) rotate_by_call__gpuopt_constants_b128_n4(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y, int bits, int n)
{ { const ::dim3 blockDim(128u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(4LL); (void)n; {
    for (int k = 0; k < n; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += turned(x[k], bits);
}}}
static bool rotate_by_call__gpuopt_constants_b128_n4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int bits, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)bits; (void)n; 
  if (!(gpuopt_l.block.x == 128u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(4LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static void rotate_by_call__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *y, int bits, int n) {
// The launch of a version or of the original is here.
}
#endif
