// gpu: h200; policy: pick="always"
// run: grid=2 block=32 x=64 n=3
// A lambda without a capture reads the launch's own block, which has the same size; a local class does, too.
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int *x, int n)
{
    struct Wide {
        __device__ int of(int k) const { return k * gridDim.x; }
    };
    auto size = [] { return blockDim.x; };
    auto all = [&](int k) { return k * size() + Wide().of(n); };
    x[ME] = all(x[ME]);
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int *x, int n);

void run(int *x)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(2, 32), x, 3);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 5
static __global__ void __launch_bounds__(32) kernel__gpuopt_constants_b32_g2_n3(::gpuopt_rt::plan gpuopt_plan, int *x, int n)
{ { decltype(n) n = static_cast<decltype(n)>(3LL); (void)n; {
    struct Wide {
        __device__ int of(int k) const { return k * gridDim.x; }
    };
    auto size = [] { return blockDim.x; };
    auto all = [&](int k) { return k * size() + Wide().of(n); };
    x[ME] = all(x[ME]);
}}}
static bool kernel__gpuopt_constants_b32_g2_n3_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)n; 
  if (!(gpuopt_l.block.x == 32u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && gpuopt_l.grid.x == 2u && gpuopt_l.grid.y == 1u && gpuopt_l.grid.z == 1u && n == static_cast<decltype(n)>(3LL))) return false;
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x, int n) {
// The launch of a version or of the original is here.
}
#endif
