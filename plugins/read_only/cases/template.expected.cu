// learn: on
// run: kernel=sums<float> grid=2 block=64 n=120 x=2*n y=n z=n
// run: kernel=sums<int> grid=2 block=64 n=120 x=2*n y=n z=n
// The loads behind the first store; a function reads through the pointer, too.
template <class T> __device__ T at(const T *x, int i)
{
    return x[i] * T(3);
}

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } template <class T> __global__ void sums(int n, T const* x, T *y, T *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = x[i] + x[i + n];
    z[i] = x[i] * x[i + n] - at(x, i);
} template <class T> __attribute__((noinline)) static void sums__gpuopt_launch(const ::gpuopt_rt::config &, int n, T const* x, T *y, T *z);

void all(int n, const float *x, float *y, float *z, const int *a, int *b, int *c)
{
    sums__gpuopt_launch<float>(::gpuopt_rt::config(2, 64), n, x, y, z);
    sums__gpuopt_launch<int>(::gpuopt_rt::config(2, 64), n, a, b, c);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 10
template <class T> static __global__ void sums__gpuopt_read_only(::gpuopt_rt::plan gpuopt_plan, int n, T const* __restrict__ x, T *y, T *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = x[i] + x[i + n];
    z[i] = x[i] * x[i + n] - at(x, i);
}
namespace {
template <class GpuoptTag> struct sums__gpuopt_read_only_holds_of;
template <class T> struct sums__gpuopt_read_only_holds_tag {};
template <class GpuoptTag> struct sums__gpuopt_read_only_holds_of { template <class... GpuoptArgs> static bool pick(const ::gpuopt_rt::config &, const GpuoptArgs &...) { return false; } };
template <> struct sums__gpuopt_read_only_holds_of<sums__gpuopt_read_only_holds_tag<float> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, int n, const float *x, float *y, float *z) { (void)gpuopt_l; (void)n; (void)x; (void)y; (void)z; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::either(gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4), gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL) * gpuopt_rt::counted(n)), 4));
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  return gpuopt_rt::apart(x, gpuopt_e0, 4, y, gpuopt_e1, 4) &&
         gpuopt_rt::apart(x, gpuopt_e0, 4, z, gpuopt_e2, 4);
} };
template <> struct sums__gpuopt_read_only_holds_of<sums__gpuopt_read_only_holds_tag<int> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, int n, const int *x, int *y, int *z) { (void)gpuopt_l; (void)n; (void)x; (void)y; (void)z; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::either(gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4), gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL) * gpuopt_rt::counted(n)), 4));
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  return gpuopt_rt::apart(x, gpuopt_e0, 4, y, gpuopt_e1, 4) &&
         gpuopt_rt::apart(x, gpuopt_e0, 4, z, gpuopt_e2, 4);
} };
}
template <class T> static bool sums__gpuopt_read_only_holds(const ::gpuopt_rt::config &gpuopt_l, int n, T const* x, T *y, T *z) { return sums__gpuopt_read_only_holds_of<sums__gpuopt_read_only_holds_tag<T> >::pick(gpuopt_l, n, x, y, z); }
namespace {
template <class GpuoptTag> struct sums__gpuopt_read_only_offers_of;
template <class T> struct sums__gpuopt_read_only_offers_tag {};
template <class GpuoptTag> struct sums__gpuopt_read_only_offers_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct sums__gpuopt_read_only_offers_of<sums__gpuopt_read_only_offers_tag<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &z) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)x; (void)y; (void)z; 

  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.02, "restricted");
  return true;
} };
template <> struct sums__gpuopt_read_only_offers_of<sums__gpuopt_read_only_offers_tag<int> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &z) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)x; (void)y; (void)z; 

  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.02, "restricted");
  return true;
} };
}
template <class T> static bool sums__gpuopt_read_only_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, T const* x, T *y, T *z) { return sums__gpuopt_read_only_offers_of<sums__gpuopt_read_only_offers_tag<T> >::pick(gpuopt_l, gpuopt_o, n, x, y, z); }
template <class T> static void sums__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, T const* x, T *y, T *z) {
// The launch of a version or of the original is here.
}
#endif
