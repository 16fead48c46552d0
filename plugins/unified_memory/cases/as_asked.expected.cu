// gpu: h200; policy: carveout=25
// run: grid=2 block=64 a=128 y=128
// A percentage for every launch.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const float *a, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a[i] + 1;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const float *a, float *y);

void run(float *a, float *y) { kernel__gpuopt_launch(::gpuopt_rt::config(2, 64), a, y); }
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
static bool kernel__gpuopt_unified_memory_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &a, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)a; (void)y; 
  gpuopt_c.carveout = 25;
  return gpuopt_l.capability == 90;
}
static bool kernel__gpuopt_own = false;
static bool kernel__gpuopt_elsewhere(const ::gpuopt_rt::config &gpuopt_c, const float *a, float *y) {
// The launch of a version or of the original is here.
}
extern "C" { __attribute__((weak)) bool gpuopt_door_2D02A9E800ACB586(::dim3 gpuopt_g, ::dim3 gpuopt_b, ::size_t gpuopt_s, ::cudaStream_t gpuopt_t, const float *a, float *y) {
  return kernel__gpuopt_elsewhere(::gpuopt_rt::config(gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t), a, y);
}
__attribute__((weak)) void gpuopt_own_2D02A9E800ACB586() { kernel__gpuopt_own = true; } }
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *a, float *y) {
// The launch of a version or of the original is here.
}
#endif
