// gpu: h200; learn: on
// run: grid=19,9 block=32,4 w=600 h=35 in=600*35 out=600*35
// Blocks in a plane are split along y; what a copied function and a macro say of threads is what the program launched.
#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } namespace image {
__device__ unsigned row() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ unsigned at(unsigned width) { return row() * width + COLUMN; }
template <class T, int SCALE> static __global__ void scale(const T *in, T *out, unsigned w, unsigned h)
{
    if (COLUMN >= w || row() >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at(w)] = edge(COLUMN) ? in[at(w)] : in[at(w)] * SCALE;
} template <class T, int SCALE> __attribute__((noinline)) static void scale__gpuopt_launch(const ::gpuopt_rt::config &, const T *in, T *out, unsigned w, unsigned h);
}

void all(const float *in, float *out, unsigned w, unsigned h)
{
    image::scale__gpuopt_launch<float, 3>(::gpuopt_rt::config(dim3(19, 9), dim3(32, 4)), in, out, w, h);
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
namespace image { 
#line 6
static __device__ unsigned row__gpuopt_launch_shape_25e23c(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; { return blockIdx.y * blockDim.y + threadIdx.y; }} }
namespace image { 
#line 7
static __device__ unsigned at__gpuopt_launch_shape_25e23c(::gpuopt_rt::plan gpuopt_plan, unsigned width) { const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; { return row__gpuopt_launch_shape_25e23c(gpuopt_plan) * width + COLUMN; }} }
namespace image { 
#line 8
template <class T, int SCALE> static __global__ void scale__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, const T *in, T *out, unsigned w, unsigned h)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    if (COLUMN >= w || row__gpuopt_launch_shape_25e23c(gpuopt_plan) >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at__gpuopt_launch_shape_25e23c(gpuopt_plan, w)] = edge(COLUMN) ? in[at__gpuopt_launch_shape_25e23c(gpuopt_plan, w)] : in[at__gpuopt_launch_shape_25e23c(gpuopt_plan, w)] * SCALE;
}}
template <class GpuoptTag> struct scale__gpuopt_launch_shape_offers_of_B90343DE4AAF898C;
template <class T, int SCALE> struct scale__gpuopt_launch_shape_offers_tag_B90343DE4AAF898C {};
template <class GpuoptTag> struct scale__gpuopt_launch_shape_offers_of_B90343DE4AAF898C { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct scale__gpuopt_launch_shape_offers_of_B90343DE4AAF898C<scale__gpuopt_launch_shape_offers_tag_B90343DE4AAF898C<float, 3> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, unsigned int w, unsigned int h) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)w; (void)h; 
  gpuopt_rt::plugin_launch_shape::offer(gpuopt_l, gpuopt_o);
  return true;
} };
template <class T, int SCALE> static bool scale__gpuopt_launch_shape_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const T *in, T *out, unsigned w, unsigned h) { return scale__gpuopt_launch_shape_offers_of_B90343DE4AAF898C<scale__gpuopt_launch_shape_offers_tag_B90343DE4AAF898C<T, SCALE> >::pick(gpuopt_l, gpuopt_o, in, out, w, h); }
template <class T, int SCALE> static void scale__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const T *in, T *out, unsigned w, unsigned h) {
// The launch of a version or of the original is here.
}
} 
#endif
