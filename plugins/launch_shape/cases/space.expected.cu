// gpu: h200; learn: on
// run: grid=70,3,2 block=8,4,4 out=70*3*2*128
// Blocks in three dimensions: split along z, joined above each other where their depth is a power of two.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void places(int *out)
{
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * 128 + thread] = ((block * 8 + threadIdx.x) * 4 + threadIdx.y) * 4 + threadIdx.z + gridDim.z * blockDim.z;
} static void places__gpuopt_launch(const ::gpuopt_rt::config &, int *out);

void all(int *out)
{
    places__gpuopt_launch(::gpuopt_rt::config(dim3(70, 3, 2), dim3(8, 4, 4)), out);
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
static __global__ void places__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, int *out)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * 128 + thread] = ((block * 8 + threadIdx.x) * 4 + threadIdx.y) * 4 + threadIdx.z + gridDim.z * blockDim.z;
}}
static bool places__gpuopt_launch_shape_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &out) { (void)gpuopt_l; (void)gpuopt_o; (void)out; 
  gpuopt_rt::plugin_launch_shape::offer(gpuopt_l, gpuopt_o);
  return true;
}
static void places__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *out) {
// The launch of a version or of the original is here.
}
#endif
