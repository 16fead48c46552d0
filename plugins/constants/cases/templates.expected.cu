// gpu: h200; policy: pick="always"
// run: kernel=fill<int> grid=2 block=32 x=64 n=3 by=2
// run: kernel=fill<float> grid=3 block=64 x=192 n=5 by=4
// Instantiations have numbers of their own.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } template <class T>
__global__ void fill(T *x, T n, int by = 7)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = n / (T)by;
} template <class T> __attribute__((noinline)) static void fill__gpuopt_launch(const ::gpuopt_rt::config &, T *x, T n, int by = 7);

void run(int *x, float *y)
{
    fill__gpuopt_launch(::gpuopt_rt::config(2, 32), x, 3, 2);
    fill__gpuopt_launch<float>(::gpuopt_rt::config(3, 64), y, 5.0f, 4);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 5
template <class T>
static __global__ void __launch_bounds__(32) fill__gpuopt_constants_b32_n3_by2(::gpuopt_rt::plan gpuopt_plan, T *x, T n, int by = 7)
{ { const ::dim3 blockDim(32u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(3LL); (void)n; decltype(by) by = static_cast<decltype(by)>(2LL); (void)by; {
    x[blockIdx.x * blockDim.x + threadIdx.x] = n / (T)by;
}}}
#line 5
template <class T>
static __global__ void __launch_bounds__(64) fill__gpuopt_constants_b64_by4(::gpuopt_rt::plan gpuopt_plan, T *x, T n, int by = 7)
{ { const ::dim3 blockDim(64u, 1u, 1u); (void)blockDim; decltype(by) by = static_cast<decltype(by)>(4LL); (void)by; {
    x[blockIdx.x * blockDim.x + threadIdx.x] = n / (T)by;
}}}
namespace {
template <class GpuoptTag> struct fill__gpuopt_constants_b32_n3_by2_guard_of;
template <class T> struct fill__gpuopt_constants_b32_n3_by2_guard_tag {};
template <class GpuoptTag> struct fill__gpuopt_constants_b32_n3_by2_guard_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct fill__gpuopt_constants_b32_n3_by2_guard_of<fill__gpuopt_constants_b32_n3_by2_guard_tag<int> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, int n, int by) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)n; (void)by; 
  if (!(gpuopt_l.block.x == 32u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(3LL) && by == static_cast<decltype(by)>(2LL))) return false;
  return true;
} };
}
template <class T> static bool fill__gpuopt_constants_b32_n3_by2_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, T *x, T n, int by) { return fill__gpuopt_constants_b32_n3_by2_guard_of<fill__gpuopt_constants_b32_n3_by2_guard_tag<T> >::pick(gpuopt_l, gpuopt_c, x, n, by); }
namespace {
template <class GpuoptTag> struct fill__gpuopt_constants_b64_by4_guard_of;
template <class T> struct fill__gpuopt_constants_b64_by4_guard_tag {};
template <class GpuoptTag> struct fill__gpuopt_constants_b64_by4_guard_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct fill__gpuopt_constants_b64_by4_guard_of<fill__gpuopt_constants_b64_by4_guard_tag<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &n, int by) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)n; (void)by; 
  if (!(gpuopt_l.block.x == 64u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && by == static_cast<decltype(by)>(4LL))) return false;
  return true;
} };
}
template <class T> static bool fill__gpuopt_constants_b64_by4_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, T *x, T n, int by) { return fill__gpuopt_constants_b64_by4_guard_of<fill__gpuopt_constants_b64_by4_guard_tag<T> >::pick(gpuopt_l, gpuopt_c, x, n, by); }
template <class T> static void fill__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, T *x, T n, int by) {
// The launch of a version or of the original is here.
}
#endif
