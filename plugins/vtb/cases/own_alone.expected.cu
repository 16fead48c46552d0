// gpu: h200; policy: factor=2, form="auto", margin=0
// run: grid=5 block=64 n=1000 x=4096 y=320
// Threads use `mine` where they do not come together, so nobody could take turns on it; each virtual block has its own.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = 0) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void alone(int n, const int *x, int *y)
{
    __shared__ int mine[64], all[64 * 40];
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    mine[t] = at;
    __syncthreads();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    all[t] = at;
    __syncthreads();
    at += all[63 - t];
    __syncthreads();
    if (t % 5 == 2) at += mine[(t * 7) & 63];
    y[blockIdx.x * 64 + t] = at;
} static void alone__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *x, int *y);
void run(int n, const int *x, int *y) { alone__gpuopt_launch(::gpuopt_rt::config(5, 64), n, x, y); }
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
static __global__ void alone__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, int n, const int *x, int *y)
{ __shared__ unsigned gpuopt_turn; const ::gpuopt_rt::plugin_vtb::place<8> gpuopt_at(gpuopt_plan, &gpuopt_turn); if (!gpuopt_at.exists) return; extern __shared__ uint4 gpuopt_own[]; const uint3 threadIdx = gpuopt_at.thread; (void)threadIdx; const uint3 blockIdx = gpuopt_at.block; (void)blockIdx; {
    typedef int gpuopt_t_mine[64], gpuopt_t_all[64 * 40]; static_assert(sizeof(gpuopt_t_mine) == 256, ""); gpuopt_t_mine &mine = *reinterpret_cast<gpuopt_t_mine *>(gpuopt_at.own(gpuopt_own, 256, 0)); __shared__ gpuopt_t_all all;
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    mine[t] = at;
    gpuopt_at.sync();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    const auto gpuopt_v0_0 = at; gpuopt_at.enter(); all[t] = gpuopt_v0_0;
    gpuopt_at.sync();
    at += all[63 - t]; gpuopt_at.leave();
    gpuopt_at.sync();
    if (t % 5 == 2) at += mine[(t * 7) & 63];
    y[blockIdx.x * 64 + t] = at;
}}
#line 4
static __global__ void alone__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, int n, const int *x, int *y)
{ __shared__ unsigned gpuopt_turn; const ::gpuopt_rt::plugin_vtb::place<8> gpuopt_at(gpuopt_plan, &gpuopt_turn); if (!gpuopt_at.exists) return; const uint3 threadIdx = gpuopt_at.thread; (void)threadIdx; const uint3 blockIdx = gpuopt_at.block; (void)blockIdx; {
    __shared__ int mine[64], all[64 * 40];
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    const auto gpuopt_v0_0 = at; gpuopt_at.enter(); mine[t] = gpuopt_v0_0;
    gpuopt_at.sync();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    all[t] = at;
    gpuopt_at.sync();
    at += all[63 - t];
    gpuopt_at.sync();
    if (t % 5 == 2) at += mine[(t * 7) & 63]; gpuopt_at.leave();
    y[blockIdx.x * 64 + t] = at;
}}
static bool alone__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const int *x, int *y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(7410LL) / 10, (double)(67848LL) / 10, (double)(316LL), (double)(9LL), (double)(9LL), (double)(1LL), 693.0, (double)(1LL) };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(74508LL) / 10, (double)(750LL) / 10, (double)(316LL), (double)(9LL), (double)(9LL), (double)(1LL), 693.0, (double)(1LL) };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 15u, 2u, 8u, 0.0 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 10240u, 256u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static bool alone__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const int *x, int *y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(7410LL) / 10, (double)(67848LL) / 10, (double)(316LL), (double)(9LL), (double)(9LL), (double)(1LL), 693.0, (double)(1LL) };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 15u, 2u, 8u, 0.0 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void alone__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
