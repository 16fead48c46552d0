// gpu: h200; policy: factor=2
// run: grid=12 block=64 in=12*64 out=12*64 n=3
// A whole warp exchanges data where rows of threads are whole warps, which the launch shows.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += tile[(threadIdx.x + j) & 63] * in[j];
    if (threadIdx.x / 32 == 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        out[i] = sum;
    }
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const float *in, float *out, int n);
void run(const float *in, float *out, int n)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(12, 64), in, out, n);
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
static __global__ void kernel__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const float *in, float *out, int n)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const float gpuopt_v0_0 = in[i]; gpuopt_at.enter(); tile[threadIdx.x] = gpuopt_v0_0;
    gpuopt_at.sync();
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += tile[(threadIdx.x + j) & 63] * in[j]; gpuopt_at.leave();
    if (threadIdx.x / 32 == 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        out[i] = sum;
    }
}}
static bool kernel__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)in; (void)out; (void)n; 

  if (!(gpuopt_l.block.x % 32 == 0)) return false;  // else parts of a warp may wait for others
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(7650LL) / 10, (double)(129326LL) / 10, (double)(1208LL), (double)(0LL), (double)(0LL), (double)(65LL), 693.0, (double)(1LL), (double)(0LL), (double)(7650LL) / 10 - (double)(4LL) * 406 / 4, (double)(129326LL) / 10 - (double)(64LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 15u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *in, float *out, int n) {
// The launch of a version or of the original is here.
}
#endif
