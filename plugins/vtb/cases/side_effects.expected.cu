// gpu: h200; policy: factor=2, margin=0.0, form="turns"
// run: main
// What changes the test, a target or the order of other statements stays where it was: inside the turn.
#include <cstdio>

__device__ unsigned take(int &left)
{
    --left;
    return left * 7u + 1u;
}

__device__ unsigned next(unsigned &state)
{
    state = state * 5u + 3u;
    return state;
}

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void guarded(unsigned *y)
{
    __shared__ unsigned s[64];
    int t = threadIdx.x, left = 1;
    if (left > 0) s[t] = take(left);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + left;
} static void guarded__gpuopt_launch(const ::gpuopt_rt::config &, unsigned *y);

__global__ void target(unsigned *y)
{
    __shared__ unsigned s[64][4];
    int t = threadIdx.x;
    unsigned state = t;
    for (int i = 0; i < 4; ++i) s[t][state & 3] = next(state);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1][0] + s[t ^ 1][1] * 3 + s[t ^ 1][2] * 5 + s[t ^ 1][3] * 7;
} static void target__gpuopt_launch(const ::gpuopt_rt::config &, unsigned *y);

__global__ void comma(const unsigned *x, unsigned *y)
{
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned state = t;
    s[t] = x[t], next(state);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + state;
} static void comma__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *y);

__global__ void plain(const unsigned *x, unsigned *y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned state = t;
    if (x[t & 1] < 64u || true) state += 3u;
    s[t] = x[t] + next(state);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + state;
} static void plain__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *y);

static void show(const char *name, const unsigned *y)
{
    unsigned h[256], sum = 0;
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned one : h) sum = sum * 31 + one;
    printf("%s %u\n", name, sum);
}

int main()
{
    unsigned *x, *y, h[64];
    cudaMalloc(&x, 256), cudaMalloc(&y, 1024);
    for (unsigned i = 0; i < 64; ++i) h[i] = i * 37 % 64;
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    guarded__gpuopt_launch(::gpuopt_rt::config(4, 64), y);
    show("guarded", y);
    target__gpuopt_launch(::gpuopt_rt::config(4, 64), y);
    show("target", y);
    comma__gpuopt_launch(::gpuopt_rt::config(4, 64), x, y);
    show("comma", y);
    plain__gpuopt_launch(::gpuopt_rt::config(4, 64), x, y);
    show("plain", y);
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
#line 18
static __global__ void guarded__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, unsigned *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ unsigned s[64];
    int t = threadIdx.x, left = 1; gpuopt_at.enter();
    if (left > 0) s[t] = take(left);
    gpuopt_at.sync();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + left; gpuopt_at.leave();
}}
static bool guarded__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(90LL) / 10, (double)(1110LL) / 10, (double)(52LL), (double)(0LL), (double)(0LL), (double)(0LL), 693.0, (double)(1LL), (double)(0LL), (double)(90LL) / 10 - (double)(0LL) * 406 / 4, (double)(1110LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 0.0 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void guarded__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, unsigned *y) {
// The launch of a version or of the original is here.
}
#line 27
static __global__ void target__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, unsigned *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ unsigned s[64][4];
    int t = threadIdx.x;
    unsigned state = t; gpuopt_at.enter();
    for (int i = 0; i < 4; ++i) s[t][state & 3] = next(state);
    gpuopt_at.sync();
    y[blockIdx.x * 64 + t] = s[t ^ 1][0] + s[t ^ 1][1] * 3 + s[t ^ 1][2] * 5 + s[t ^ 1][3] * 7; gpuopt_at.leave();
}}
static bool target__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(120LL) / 10, (double)(3420LL) / 10, (double)(158LL), (double)(0LL), (double)(0LL), (double)(0LL), 693.0, (double)(1LL), (double)(0LL), (double)(120LL) / 10 - (double)(0LL) * 406 / 4, (double)(3420LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 0.0 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void target__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, unsigned *y) {
// The launch of a version or of the original is here.
}
#line 37
static __global__ void comma__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned state = t; gpuopt_at.enter();
    s[t] = x[t], next(state);
    gpuopt_at.sync();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + state; gpuopt_at.leave();
}}
static bool comma__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(90LL) / 10, (double)(8010LL) / 10, (double)(50LL), (double)(0LL), (double)(0LL), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(90LL) / 10 - (double)(0LL) * 406 / 4, (double)(8010LL) / 10 - (double)(4LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 0.0 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void comma__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *y) {
// The launch of a version or of the original is here.
}
#line 47
static __global__ void plain__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned state = t;
    if (x[t & 1] < 64u || true) state += 3u;
    const float gpuopt_v0_0 = x[t] + next(state); gpuopt_at.enter(); s[t] = gpuopt_v0_0;
    gpuopt_at.sync();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + state; gpuopt_at.leave();
}}
static bool plain__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(14370LL) / 10, (double)(870LL) / 10, (double)(68LL), (double)(0LL), (double)(0LL), (double)(2LL), 693.0, (double)(1LL), (double)(0LL), (double)(14370LL) / 10 - (double)(8LL) * 406 / 4, (double)(870LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 0.0 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void plain__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *y) {
// The launch of a version or of the original is here.
}
#endif
