// policy: form="split"
// run: grid=4 block=64 y=256
// The size of a number says nothing of a closure.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } static __global__ void numbers(int *y)
{
    auto at = [=](int i) { return i + (int)threadIdx.x; };
    y[blockIdx.x * blockDim.x + threadIdx.x] = at(sizeof(unsigned long long) + sizeof(float4));
} static void numbers__gpuopt_launch(const ::gpuopt_rt::config &, int *y);

void run(int *y)
{
    numbers__gpuopt_launch(::gpuopt_rt::config(4, 64), y);
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
#line 4
static __global__ void numbers__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, int *y)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; {
    auto at = [=](int i) { return i + (int)threadIdx.x; };
    y[blockIdx.x * blockDim.x + threadIdx.x] = at(sizeof(unsigned long long) + sizeof(float4));
}}
static bool numbers__gpuopt_launch_shape_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)y; 
  return gpuopt_rt::plugin_launch_shape::split(gpuopt_l, gpuopt_c, 1) > 0;
}
static void numbers__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *y) {
// The launch of a version or of the original is here.
}
#endif
