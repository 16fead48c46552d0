// gpu: h200; learn: on
// run: grid=3 block=128 x=384 sums=3
// run: grid=2 block=64 x=384 sums=3
// The loop over halves of a block ends with the block's size.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void total(const float *x, float *sums)
{
    __shared__ float part[128];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
} static void total__gpuopt_launch(const ::gpuopt_rt::config &, const float *x, float *sums);

void all(const float *x, float *sums)
{
    total__gpuopt_launch(::gpuopt_rt::config(3, 128), x, sums);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 5
static __global__ void __launch_bounds__(128) total__gpuopt_constants_b128(::gpuopt_rt::plan gpuopt_plan, const float *x, float *sums)
{ { const ::dim3 blockDim(128u, 1u, 1u); (void)blockDim; {
    __shared__ float part[128];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}}}
static bool total__gpuopt_constants_b128_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &sums) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)sums; 
  if (!(gpuopt_l.block.x == 128u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u)) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static void total__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *x, float *sums) {
// The launch of a version or of the original is here.
}
#endif
