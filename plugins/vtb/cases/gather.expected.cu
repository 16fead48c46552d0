// gpu: h200; policy: factor=2
// run: grid=7 block=64 n=1000 table=1024 y=448
// Two blocks become one; seven are no multiple of two.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void gather(int n, const int *table, int *y)
{
    __shared__ int tile[64 * 100];
    int at = (blockIdx.x * 64 + threadIdx.x) % n;
    for (int k = 0; k < 8; ++k) at = (unsigned)table[at] % n;
    tile[threadIdx.x] = at;
    __syncthreads();
    int other = tile[63 - threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = other + at + gridDim.x;
} static void gather__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *table, int *y);

void run(int n, const int *table, int *y)
{
    gather__gpuopt_launch(::gpuopt_rt::config(7, 64), n, table, y);
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
static __global__ void gather__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *table, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    __shared__ int tile[64 * 100];
    int at = (blockIdx.x * 64 + threadIdx.x) % n;
    for (int k = 0; k < 8; ++k) at = (unsigned)table[at] % n;
    const int gpuopt_v0_0 = at; gpuopt_at.enter(); tile[threadIdx.x] = gpuopt_v0_0;
    gpuopt_at.sync();
    int other = tile[63 - threadIdx.x]; gpuopt_at.leave();
    gpuopt_at.sync();
    y[blockIdx.x * blockDim.x + threadIdx.x] = other + at + gridDim.x;
}}
static bool gather__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &table, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)table; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(57450LL) / 10, (double)(750LL) / 10, (double)(172LL), (double)(8LL), (double)(8LL), (double)(0LL), 693.0, (double)(1LL), (double)(8LL), (double)(57450LL) / 10 - (double)(32LL) * 406 / 4, (double)(750LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 15u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void gather__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *table, int *y) {
// The launch of a version or of the original is here.
}
#endif
