// gpu: h200; policy: factors=[3], forced=true
// run: kernel=count grid=5,2,2 block=48 x=20*48 hits=16
// As the policy asks: five blocks become two, of which the second one lacks one. Atomics of integers may come in any order.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } static __global__ void count(const int *x, unsigned *hits)
{
    const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned bin = x[b * blockDim.x + threadIdx.x] & 15;
    asm("xor.b32 %0, %0, %1;" : "+r"(bin) : "r"(5));
    atomicAdd(&hits[bin], threadIdx.x + 1);
} static void count__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, unsigned *hits);

void all(const int *x, unsigned *hits)
{
    count__gpuopt_launch(::gpuopt_rt::config(dim3(5, 2, 2), 48), x, hits);
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
static __global__ void count__gpuopt_coarsening3(::gpuopt_rt::plan gpuopt_plan, const int *x, unsigned *hits)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const int *x, unsigned *hits) -> void { const ::gpuopt_rt::plugin_coarsening::place<3> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned bin = x[b * blockDim.x + threadIdx.x] & 15;
    asm("xor.b32 %0, %0, %1;" : "+r"(bin) : "r"(5));
    atomicAdd(&hits[bin], threadIdx.x + 1);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 3; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, x, hits); } }
static bool count__gpuopt_coarsening3_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &hits) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)hits; 
  return gpuopt_rt::plugin_coarsening::coarse(gpuopt_l, gpuopt_c, 3);
}
static void count__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, unsigned *hits) {
// The launch of a version or of the original is here.
}
#endif
