// gpu: h200; policy: factor=2, form="co"
// run: main
// What every virtual block has of its own: a whole array that lives long, and the first rows of one that is cut.
#include <cstdio>
#include <cstdlib>
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void table(int n, const int *x, int *y)
{
    __shared__ int near[64], scratch[64 * 40];   // `near` lives long, `scratch` briefly
    int t = threadIdx.x, at = x[blockIdx.x * 64 + t];
    near[t] = x[(at + t) & 1023];
    __syncthreads();
    for (int k = 0; k < n; ++k) at = (x[at & 1023] + near[(at + k) & 63]) & 1023;
    for (int k = 0; k < 8; ++k) scratch[k * 64 + t] = at + k;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += scratch[k * 64 + (t * 7 + k) % 64];
    __syncthreads();
    y[blockIdx.x * 64 + t] = sum + near[63 - t];
} static void table__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *x, int *y);
__global__ void rows(const int *x, const unsigned char *which, int *y)
{
    __shared__ int v[24][32][2];
    int t = threadIdx.x, at = x[blockIdx.x * 32 + t];
    for (int k = 0; k < 9; ++k) at = x[at & 1023];
#pragma unroll 2
    for (int e = 0; e < 24; ++e) {
        int a = at * e + 3, b = a ^ at;
        v[e][t][0] = a;
        v[e][t][1] = b + e;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 6; ++k) {
        int e = which[(at + k) & 255] % 24;
        sum += v[e][t][0] * 3 + v[e][31 - t][1];
    }
    y[blockIdx.x * 32 + t] = sum;
} static void rows__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, const unsigned char *which, int *y);
// Threads use `mine` where they do not come together, so nobody could take turns on it; each virtual block has its own.
__global__ void alone(int n, const int *x, int *y)
{
    __shared__ int mine[64], all[64 * 40];
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    mine[t] = at;
    __syncthreads();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    const int *p = x;
    for (int k = 0; k < 2; ++k, p += 64) all[k * 64 + t] = at + p[t] % 7;   // a header that must not run twice
    __syncthreads();
    at += all[127 - t] + all[63 - t];
    __syncthreads();
    if (t % 5 == 2) at += mine[(t * 7) & 63];
    y[blockIdx.x * 64 + t] = at;
} static void alone__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *x, int *y);
int main()
{
    int *x, *y; unsigned char *w;
    cudaMallocManaged(&x, 4096 * 4); cudaMallocManaged(&y, 4096 * 4); cudaMallocManaged(&w, 256);
    for (int i = 0; i < 4096; ++i) { x[i] = rand() % 1024; y[i] = 0; }
    for (int i = 0; i < 256; ++i) w[i] = rand() % 251;
    table__gpuopt_launch(::gpuopt_rt::config(7, 64), 20, x, y);
    rows__gpuopt_launch(::gpuopt_rt::config(9, 32), x, w, y + 1000);
    alone__gpuopt_launch(::gpuopt_rt::config(5, 64), 1000, x, y + 2000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 4096; ++i) h = h * 31 + y[i];
    printf("%llx\n", h);
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
#line 6
static __global__ void table__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, int n, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef int gpuopt_t_near[64], gpuopt_t_scratch[64 * 40]; static_assert(sizeof(gpuopt_t_near) == 256, ""); gpuopt_t_near &near = *reinterpret_cast<gpuopt_t_near *>(gpuopt_at.own(gpuopt_own, 256, 0)); __shared__ gpuopt_t_scratch scratch;   // `near` lives long, `scratch` briefly
    int t = threadIdx.x, at = x[blockIdx.x * 64 + t];
    near[t] = x[(at + t) & 1023];
    gpuopt_at.sync();
    for (int k = 0; k < n; ++k) at = (x[at & 1023] + near[(at + k) & 63]) & 1023;
    int gpuopt_v0_0_0[8]; _Pragma("unroll") for (int k = 0; k < 8; ++k) gpuopt_v0_0_0[((k) - (0)) / (1)] = at + k; gpuopt_at.enter(); _Pragma("unroll") for (int k = 0; k < 8; ++k) scratch[k * 64 + t] = gpuopt_v0_0_0[((k) - (0)) / (1)];
    gpuopt_at.sync();
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += scratch[k * 64 + (t * 7 + k) % 64]; gpuopt_at.leave();
    gpuopt_at.sync();
    y[blockIdx.x * 64 + t] = sum + near[63 - t];
}}
static bool table__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(14250LL) / 10, (double)(((7520LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 6146LL)) / 10, (double)(((24LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 382LL)), (double)(((0LL > (long long)(n) ? 0LL : (long long)(n)) + 1LL)), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(14250LL) / 10 - (double)(8LL) * 406 / 4, (double)(((7520LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 6146LL)) / 10 - (double)((4LL * (0LL > (long long)(n) ? 0LL : (long long)(n)))) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(((7520LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 9750LL)) / 10, (double)(3716LL) / 10, (double)(((24LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 382LL)), (double)(((0LL > (long long)(n) ? 0LL : (long long)(n)) + 1LL)), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(1LL), 693.0, (double)(1LL), (double)(0LL), (double)(((7520LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 9750LL)) / 10 - (double)(((4LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 4LL)) * 406 / 4, (double)(3716LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 4u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 10240u, 256u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void table__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#line 20
static __global__ void rows__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, const int *x, const unsigned char *which, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<0, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef int gpuopt_t_v[24][32][2]; static_assert(sizeof(gpuopt_t_v) == 6144, ""); typedef ::gpuopt_rt::plugin_vtb::row_of<gpuopt_t_v>::gpuopt_type gpuopt_r_v; __shared__ gpuopt_r_v gpuopt_c_v[6]; const ::gpuopt_rt::plugin_vtb::divided<gpuopt_r_v, 18> v = { reinterpret_cast<gpuopt_r_v *>(gpuopt_at.own(gpuopt_own, 4608, 0)), gpuopt_c_v };
    int t = threadIdx.x, at = x[blockIdx.x * 32 + t];
    for (int k = 0; k < 9; ++k) at = x[at & 1023];
int gpuopt_w0_0[6]; _Pragma("unroll") for (int gpuopt_w0_g = 0; gpuopt_w0_g < 6; ++gpuopt_w0_g) { const int k = (0) + gpuopt_w0_g * (1); if (!(k < 6)) break; int e = which[(at + k) & 255] % 24; gpuopt_w0_0[gpuopt_w0_g] = e; } int gpuopt_v0_0_0[6]; int gpuopt_v0_0_1[6]; _Pragma("unroll") for (int e = 0; e != 18; ++e) { int a = at * e + 3, b = a ^ at; v.gpuopt_rows[e][t][0] = a; v.gpuopt_rows[e][t][1] = b + e; } _Pragma("unroll") for (int e = 18; e < 24; ++e) { int a = at * e + 3, b = a ^ at; gpuopt_v0_0_0[((e) - (0)) / (1) - 18] = a; gpuopt_v0_0_1[((e) - (0)) / (1) - 18] = b + e; } gpuopt_at.enter(); _Pragma("unroll") for (int e = 18; e < 24; ++e) { v.gpuopt_rest(e)[t][0] = gpuopt_v0_0_0[((e) - (0)) / (1) - 18]; v.gpuopt_rest(e)[t][1] = gpuopt_v0_0_1[((e) - (0)) / (1) - 18]; }





    gpuopt_at.sync();
    int sum = 0;
    _Pragma("unroll") for (int gpuopt_w0_g = 0; gpuopt_w0_g < 6; ++gpuopt_w0_g) { const int k = (0) + gpuopt_w0_g * (1); if (!(k < 6)) break; int e = gpuopt_w0_0[gpuopt_w0_g]; sum += v[e][t][0] * 3 + v[e][31 - t][1]; }


 gpuopt_at.leave();
    y[blockIdx.x * 32 + t] = sum;
}}
static bool rows__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &which, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)which; (void)y; 
  if (!((gpuopt_l.block.x == 32 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(70770LL) / 10, (double)(58464LL) / 10, (double)(1360LL), (double)(15LL), (double)(15LL), (double)(1LL), 693.0, (double)(1LL), (double)(9LL), (double)(70770LL) / 10 - (double)(40LL) * 406 / 4, (double)(58464LL) / 10 - (double)(24LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(125310LL) / 10, (double)(5364LL) / 10, (double)(1432LL), (double)(15LL), (double)(15LL), (double)(1LL), 693.0, (double)(1LL), (double)(9LL), (double)(125310LL) / 10 - (double)(64LL) * 406 / 4, (double)(5364LL) / 10 - (double)(0LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 2u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 1536u, 4608u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void rows__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, const unsigned char *which, int *y) {
// The launch of a version or of the original is here.
}
#line 40
static __global__ void alone__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, int n, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef int gpuopt_t_mine[64], gpuopt_t_all[64 * 40]; static_assert(sizeof(gpuopt_t_mine) == 256, ""); gpuopt_t_mine &mine = *reinterpret_cast<gpuopt_t_mine *>(gpuopt_at.own(gpuopt_own, 256, 0)); __shared__ gpuopt_t_all all;
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    mine[t] = at;
    gpuopt_at.sync();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    const int *p = x; gpuopt_at.enter();
    for (int k = 0; k < 2; ++k, p += 64) all[k * 64 + t] = at + p[t] % 7;   // a header that must not run twice
    gpuopt_at.sync();
    at += all[127 - t] + all[63 - t]; gpuopt_at.leave();
    gpuopt_at.sync();
    if (t % 5 == 2) at += mine[(t * 7) & 63];
    y[blockIdx.x * 64 + t] = at;
}}
static bool alone__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(7410LL) / 10, (double)(72242LL) / 10, (double)(366LL), (double)(9LL), (double)(9LL), (double)(3LL), 693.0, (double)(1LL), (double)(0LL), (double)(7410LL) / 10 - (double)(4LL) * 406 / 4, (double)(72242LL) / 10 - (double)(38LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(74508LL) / 10, (double)(5144LL) / 10, (double)(366LL), (double)(9LL), (double)(9LL), (double)(3LL), 693.0, (double)(1LL), (double)(0LL), (double)(74508LL) / 10 - (double)(40LL) * 406 / 4, (double)(5144LL) / 10 - (double)(2LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 4u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 10240u, 256u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void alone__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
