// policy: factor=2, form="turns"
// run: grid=4 block=64 x=256 y=256
// Lambdas with a default capture see the virtual block.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const int *x, int *y)
{
    __shared__ int s[64];
    auto at = [=](int i) { return (i ^ threadIdx.x) % 64; };
    auto mine = [&](auto i) { auto inner = [&, i] { return blockIdx.x * 64 + threadIdx.x + i; }; return inner(); };
    auto own = [t = threadIdx.x](int i) { return (int)t + i; };
    s[threadIdx.x] = x[mine(0)] + own(1);
    __syncthreads();
    y[mine(0)] = s[at(1)];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y);
void run(const int *x, int *y) { kernel__gpuopt_launch(::gpuopt_rt::config(4, 64), x, y); }
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
static __global__ void kernel__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int s[64];
    auto at = [=](int i) { return (i ^ threadIdx.x) % 64; };
    auto mine = [&](auto i) { auto inner = [&, i] { return blockIdx.x * 64 + threadIdx.x + i; }; return inner(); };
    auto own = [t = threadIdx.x](int i) { return (int)t + i; }; gpuopt_at.enter();
    s[threadIdx.x] = x[mine(0)] + own(1);
    gpuopt_at.sync();
    y[mine(0)] = s[at(1)]; gpuopt_at.leave();
}}
static bool kernel__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(660LL) / 10, (double)(7920LL) / 10, (double)(84LL), (double)(0LL), (double)(0LL), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(660LL) / 10 - (double)(0LL) * 406 / 4, (double)(7920LL) / 10 - (double)(4LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
