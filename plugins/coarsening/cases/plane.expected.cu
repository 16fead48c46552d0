// gpu: h200; learn: on
// run: kernel=image::scale<float,3> grid=19,36 block=32,4 w=600 h=141 in=600*141 out=600*141
// Blocks in a plane; what a copied function, a macro and a lambda say of blocks is what the program launched.
#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } namespace image {
__device__ unsigned row() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ unsigned at(unsigned width) { return row() * width + COLUMN; }
template <class T, int SCALE> static __global__ void scale(const T *in, T *out, const unsigned w, unsigned h)
{
    if (COLUMN >= w || row() >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at(w)] = edge(COLUMN) ? in[at(w)] : in[at(w)] * SCALE;
} template <class T, int SCALE> __attribute__((noinline)) static void scale__gpuopt_launch(const ::gpuopt_rt::config &, const T *in, T *out, const unsigned w, unsigned h);
}

void all(const float *in, float *out, unsigned w, unsigned h)
{
    image::scale__gpuopt_launch<float, 3>(::gpuopt_rt::config(dim3(19, 36), dim3(32, 4)), in, out, w, h);
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
static __device__ unsigned row__gpuopt_coarsening2_6a4c89(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; { return blockIdx.y * blockDim.y + threadIdx.y; }} }
namespace image { 
#line 7
static __device__ unsigned at__gpuopt_coarsening2_6a4c89(::gpuopt_rt::plan gpuopt_plan, unsigned width) { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; { return row__gpuopt_coarsening2_6a4c89(gpuopt_plan) * width + COLUMN; }} }
namespace image { 
#line 6
static __device__ unsigned row__gpuopt_coarsening4_86439c(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; { return blockIdx.y * blockDim.y + threadIdx.y; }} }
namespace image { 
#line 7
static __device__ unsigned at__gpuopt_coarsening4_86439c(::gpuopt_rt::plan gpuopt_plan, unsigned width) { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; { return row__gpuopt_coarsening4_86439c(gpuopt_plan) * width + COLUMN; }} }
namespace image { 
#line 8
template <class T, int SCALE> static __global__ void scale__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const T *in, T *out, const unsigned w, unsigned h)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    if (COLUMN >= w || row__gpuopt_coarsening2_6a4c89(gpuopt_plan) >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at__gpuopt_coarsening2_6a4c89(gpuopt_plan, w)] = edge(COLUMN) ? in[at__gpuopt_coarsening2_6a4c89(gpuopt_plan, w)] : in[at__gpuopt_coarsening2_6a4c89(gpuopt_plan, w)] * SCALE;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
#line 8
template <class T, int SCALE> static __global__ void scale__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const T *in, T *out, const unsigned w, unsigned h)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    if (COLUMN >= w || row__gpuopt_coarsening4_86439c(gpuopt_plan) >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at__gpuopt_coarsening4_86439c(gpuopt_plan, w)] = edge(COLUMN) ? in[at__gpuopt_coarsening4_86439c(gpuopt_plan, w)] : in[at__gpuopt_coarsening4_86439c(gpuopt_plan, w)] * SCALE;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
template <class GpuoptTag> struct scale__gpuopt_coarsening2_offers_of_351B59F6D765F1BC;
template <class T, int SCALE> struct scale__gpuopt_coarsening2_offers_tag_351B59F6D765F1BC {};
template <class GpuoptTag> struct scale__gpuopt_coarsening2_offers_of_351B59F6D765F1BC { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct scale__gpuopt_coarsening2_offers_of_351B59F6D765F1BC<scale__gpuopt_coarsening2_offers_tag_351B59F6D765F1BC<float, 3> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, const unsigned int w, unsigned int h) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)w; (void)h; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
} };
template <class T, int SCALE> static bool scale__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const T *in, T *out, const unsigned w, unsigned h) { return scale__gpuopt_coarsening2_offers_of_351B59F6D765F1BC<scale__gpuopt_coarsening2_offers_tag_351B59F6D765F1BC<T, SCALE> >::pick(gpuopt_l, gpuopt_o, in, out, w, h); }
template <class GpuoptTag> struct scale__gpuopt_coarsening4_offers_of_1680BD22932E5C5D;
template <class T, int SCALE> struct scale__gpuopt_coarsening4_offers_tag_1680BD22932E5C5D {};
template <class GpuoptTag> struct scale__gpuopt_coarsening4_offers_of_1680BD22932E5C5D { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct scale__gpuopt_coarsening4_offers_of_1680BD22932E5C5D<scale__gpuopt_coarsening4_offers_tag_1680BD22932E5C5D<float, 3> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, const unsigned int w, unsigned int h) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)w; (void)h; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
} };
template <class T, int SCALE> static bool scale__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const T *in, T *out, const unsigned w, unsigned h) { return scale__gpuopt_coarsening4_offers_of_1680BD22932E5C5D<scale__gpuopt_coarsening4_offers_tag_1680BD22932E5C5D<T, SCALE> >::pick(gpuopt_l, gpuopt_o, in, out, w, h); }
template <class T, int SCALE> static void scale__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const T *in, T *out, const unsigned w, unsigned h) {
// The launch of a version or of the original is here.
}
} 
#endif
