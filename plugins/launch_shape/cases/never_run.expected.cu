// gpu: h200; policy: form="join", factor=4
// run: grid=5,2 block=64 x=10*64
// What an instantiation never runs does not hold it back: a barrier, and what writes through a reference.
__device__ void meet(int &v) { __syncthreads(); v += 1; }
__device__ void count(int &v) { v += threadIdx.x; }
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } template <int M> __global__ void ramp(int *x)
{
    int v = 1000 * blockDim.x;
    if (M == 0) {
        meet(v);
    } else {
        count(v);
    }
    if (M == 2) return;
    x[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += v;
} template <int M> __attribute__((noinline)) static void ramp__gpuopt_launch(const ::gpuopt_rt::config &, int *x);

void all(int *x)
{
    ramp__gpuopt_launch<1>(::gpuopt_rt::config(dim3(5, 2), 64), x);
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
#line 5
static __device__ void count__gpuopt_launch_shape_83e84a(::gpuopt_rt::plan gpuopt_plan, int &v) { const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; { v += threadIdx.x; }}
#line 6
template <int M> static __global__ void ramp__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, int *x)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    int v = 1000 * blockDim.x;
    if (M == 0) {
        meet(v);
    } else {
        count__gpuopt_launch_shape_83e84a(gpuopt_plan, v);
    }
    if (M == 2) return;
    x[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += v;
}}
template <class GpuoptTag> struct ramp__gpuopt_launch_shape_guard_of_6F3B1919F33337B6;
template <int M> struct ramp__gpuopt_launch_shape_guard_tag_6F3B1919F33337B6 {};
template <class GpuoptTag> struct ramp__gpuopt_launch_shape_guard_of_6F3B1919F33337B6 { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct ramp__gpuopt_launch_shape_guard_of_6F3B1919F33337B6<ramp__gpuopt_launch_shape_guard_tag_6F3B1919F33337B6<1> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x) { (void)gpuopt_l; (void)gpuopt_c; (void)x; 
  return gpuopt_rt::plugin_launch_shape::join(gpuopt_l, gpuopt_c, 2) > 0;
} };
template <int M> static bool ramp__gpuopt_launch_shape_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int *x) { return ramp__gpuopt_launch_shape_guard_of_6F3B1919F33337B6<ramp__gpuopt_launch_shape_guard_tag_6F3B1919F33337B6<M> >::pick(gpuopt_l, gpuopt_c, x); }
template <int M> static void ramp__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x) {
// The launch of a version or of the original is here.
}
#endif
