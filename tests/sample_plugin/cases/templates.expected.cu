// gpu: h200
// run: kernel=shift<float> grid=2 block=64 values=128 by=1.0f
// run: kernel=shift<int> grid=2 block=64 values=128 by=3
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } namespace work {
template <class T> __global__ void shift(T *values, T by)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] += by;
} template <class T> __attribute__((noinline)) static void shift__gpuopt_launch(const ::gpuopt_rt::config &, T *values, T by);
}

void shift_both(float *f, int *i)
{
    work::shift__gpuopt_launch(::gpuopt_rt::config(2, 64), f, 1.0f);
    work::shift__gpuopt_launch<int>(::gpuopt_rt::config(2, 64), i, 3);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
namespace work { 
template <class GpuoptTag> struct shift__gpuopt_prefer_l1_guard_of_CC701A71ECC2493A;
template <class T> struct shift__gpuopt_prefer_l1_guard_tag_CC701A71ECC2493A {};
template <class GpuoptTag> struct shift__gpuopt_prefer_l1_guard_of_CC701A71ECC2493A { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct shift__gpuopt_prefer_l1_guard_of_CC701A71ECC2493A<shift__gpuopt_prefer_l1_guard_tag_CC701A71ECC2493A<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &values, const gpuopt_rt::unread &by) { (void)gpuopt_l; (void)gpuopt_c; (void)values; (void)by; 

  if (gpuopt_l.shared || gpuopt_l.static_shared || gpuopt_l.carveout_set) return false;
  if (gpuopt_l.grid.x * gpuopt_l.grid.y * gpuopt_l.grid.z < 1u) return false;
  gpuopt_c.carveout = 0;
  return true;
} };
template <> struct shift__gpuopt_prefer_l1_guard_of_CC701A71ECC2493A<shift__gpuopt_prefer_l1_guard_tag_CC701A71ECC2493A<int> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &values, int by) { (void)gpuopt_l; (void)gpuopt_c; (void)values; (void)by; 

  if (gpuopt_l.shared || gpuopt_l.static_shared || gpuopt_l.carveout_set) return false;
  if (gpuopt_l.grid.x * gpuopt_l.grid.y * gpuopt_l.grid.z < 1u) return false;
  gpuopt_c.carveout = 0;
  return true;
} };
template <class T> static bool shift__gpuopt_prefer_l1_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, T *values, T by) { return shift__gpuopt_prefer_l1_guard_of_CC701A71ECC2493A<shift__gpuopt_prefer_l1_guard_tag_CC701A71ECC2493A<T> >::pick(gpuopt_l, gpuopt_c, values, by); }
template <class T> static void shift__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, T *values, T by) {
// The launch of a version or of the original is here.
}
} 
#endif
