// gpu: h200; learn: on
// run: grid=3 block=1024 x=3*1024 hits=64
// Three blocks leave most multiprocessors idle: they are split down to single warps. Atomics of integers may come in any order.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } static __global__ void count(const int *x, unsigned *hits)
{
    unsigned bin = x[blockIdx.x * blockDim.x + threadIdx.x] & 63;
    asm("xor.b32 %0, %0, %1;" : "+r"(bin) : "r"(5));
    atomicAdd(&hits[bin], threadIdx.x + 1);
} static void count__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, unsigned *hits);

void all(const int *x, unsigned *hits)
{
    count__gpuopt_launch(::gpuopt_rt::config(3, 1024), x, hits);
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
static __global__ void count__gpuopt_launch_shape(::gpuopt_rt::plan gpuopt_plan, const int *x, unsigned *hits)
{ const ::gpuopt_rt::plugin_launch_shape::place gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; {
    unsigned bin = x[blockIdx.x * blockDim.x + threadIdx.x] & 63;
    asm("xor.b32 %0, %0, %1;" : "+r"(bin) : "r"(5));
    atomicAdd(&hits[bin], threadIdx.x + 1);
}}
static bool count__gpuopt_launch_shape_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &hits) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)hits; 
  gpuopt_rt::plugin_launch_shape::offer(gpuopt_l, gpuopt_o);
  return true;
}
static void count__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, unsigned *hits) {
// The launch of a version or of the original is here.
}
#endif
