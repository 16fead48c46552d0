// gpu: h200; policy: pick="always", form="capped"
// run: grid=2 block=dim3(16,16) x=512 n=8
// At most as many registers as four blocks on a multiprocessor leave to each thread.
namespace m { __global__ void kernel(int *x, int n); }

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void m::kernel(int *x, int n)
{
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    x[i] = x[i] % n;
} namespace m { static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int *x, int n); }

void run(int *x)
{
    m::kernel__gpuopt_launch(::gpuopt_rt::config(2, dim3(16, 16)), x, 8);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
namespace m { 
#line 6
static __global__ void    __launch_bounds__(256, 4) kernel__gpuopt_constants_cap4_b16x16_n8(::gpuopt_rt::plan gpuopt_plan, int *x, int n)
{ { const ::dim3 blockDim(16u, 16u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(8LL); (void)n; {
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    x[i] = x[i] % n;
}}}
static bool kernel__gpuopt_constants_cap4_b16x16_n8_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)n; 
  if (!(gpuopt_l.block.x == 16u && gpuopt_l.block.y == 16u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(8LL))) return false;
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x, int n) {
// The launch of a version or of the original is here.
}
} 
#endif
