// gpu: gtx480; policy: factor=2, form="co"
// run: main
// Loops over the rows of an array that is cut: what they do with own rows comes before the turn, in both.
#include <cstdio>
#include <cstdlib>
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void exchange(const unsigned *x, unsigned *y, unsigned n)
{
    __shared__ unsigned chunk[128 * 31 + 108];
    int t = threadIdx.x;
    unsigned at = x[blockIdx.x * 128 + t];
    for (unsigned k = 0; k < n; ++k) at = x[at & 1023] + k;
    for (int w = 0; w < 31; ++w) chunk[w * 128 + t] = at + w * 0x9e3779b9u;
    __syncthreads();
    unsigned other = 0, fifth = at % 5;
    for (int w = 0; w < 31; ++w) {
        unsigned one = chunk[w * 128 + (t * 5 + w) % 128];
        if (one % 5 == fifth) other = (other << 5 | other >> 27) ^ one;
        else other += chunk[w * 128 + 127 - t];
    }
    __syncthreads();
    y[blockIdx.x * 128 + t] = at ^ other;
} static void exchange__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *y, unsigned n);
// Two arrays; rows of several words; the second loop counts in steps, and rows are read by their neighbours.
__global__ void rows(const int *x, int *y)
{
    __shared__ float v[30][64];
    __shared__ int last[64];
    int t = threadIdx.x;
    int at = x[blockIdx.x * 64 + t];
    for (int k = 0; k < 9; ++k) at = x[at & 1023];
    for (int r = 0; r < 30; r += 2) {
        v[r][t] = at * 0.5f + r;
        v[r + 1][t] = at * 0.25f - r;
    }
    __syncthreads();
    float sum = 1;
    for (int r = 0; r < 30; r += 2) sum = sum * 0.5f + v[r][63 - t] * v[r + 1][t];
    last[t] = (int)sum;
    __syncthreads();
    y[blockIdx.x * 64 + t] = last[63 - t] + (int)(sum * 16);
} static void rows__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y);
int main()
{
    unsigned *x, *y;
    cudaMallocManaged(&x, 4096 * 4); cudaMallocManaged(&y, 8192 * 4);
    for (int i = 0; i < 4096; ++i) x[i] = rand() % 1024;
    for (int i = 0; i < 8192; ++i) y[i] = 0;
    exchange__gpuopt_launch(::gpuopt_rt::config(31, 128), x, y, 6);
    rows__gpuopt_launch(::gpuopt_rt::config(31, 64), (int *)x, (int *)y + 4096);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 8192; ++i) h = h * 31 + y[i];
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
static __global__ void exchange__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *y, unsigned n)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef unsigned gpuopt_t_chunk[128 * 31 + 108]; static_assert(sizeof(gpuopt_t_chunk) == 16304, ""); typedef ::gpuopt_rt::plugin_vtb::row_of<gpuopt_t_chunk>::gpuopt_type gpuopt_r_chunk; __shared__ gpuopt_r_chunk gpuopt_c_chunk[1920]; const ::gpuopt_rt::plugin_vtb::divided<gpuopt_r_chunk, 2048> chunk = { reinterpret_cast<gpuopt_r_chunk *>(gpuopt_at.own(gpuopt_own, 8192, 0)), gpuopt_c_chunk };
    int t = threadIdx.x;
    unsigned at = x[blockIdx.x * 128 + t];
    for (unsigned k = 0; k < n; ++k) at = x[at & 1023] + k;
    unsigned int gpuopt_v0_0_0[15]; _Pragma("unroll") for (int w = 0; w != 16; ++w) chunk.gpuopt_rows[w * 128 + t] = at + w * 0x9e3779b9u; _Pragma("unroll") for (int w = 16; w < 31; ++w) gpuopt_v0_0_0[((w) - (0)) / (1) - 16] = at + w * 0x9e3779b9u; gpuopt_at.sync(); unsigned other = 0, fifth = at % 5; for (int w = 0; w != 16; ++w) { unsigned one = chunk.gpuopt_rows[w * 128 + (t * 5 + w) % 128]; if (one % 5 == fifth) other = (other << 5 | other >> 27) ^ one; else other += chunk.gpuopt_rows[w * 128 + 127 - t]; } gpuopt_at.enter(); _Pragma("unroll") for (int w = 16; w < 31; ++w) chunk.gpuopt_rest(w * 128 + t) = gpuopt_v0_0_0[((w) - (0)) / (1) - 16];
    gpuopt_at.sync();
    
    for (int w = 16; w < 31; ++w) { unsigned one = chunk.gpuopt_rest(w * 128 + (t * 5 + w) % 128); if (one % 5 == fifth) other = (other << 5 | other >> 27) ^ one; else other += chunk.gpuopt_rest(w * 128 + 127 - t); }



 gpuopt_at.leave();
    gpuopt_at.sync();
    y[blockIdx.x * 128 + t] = at ^ other;
}}
static bool exchange__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, unsigned n) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; (void)n; 
  if (!((gpuopt_l.block.x == 128 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(((6150LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 12330LL)) / 10, (double)(28690LL) / 10, (double)(((14LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 2420LL)), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(1LL), 600.0, (double)(1LL), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(((6150LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 12330LL)) / 10 - (double)(((4LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 4LL)) * 330 / 4, (double)(28690LL) / 10 - (double)(0LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(((6150LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 26890LL)) / 10, (double)(14130LL) / 10, (double)(((14LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 2420LL)), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(1LL), 600.0, (double)(1LL), (double)((0LL > (long long)(n) ? 0LL : (long long)(n))), (double)(((6150LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 26890LL)) / 10 - (double)(((4LL * (0LL > (long long)(n) ? 0LL : (long long)(n))) + 4LL)) * 330 / 4, (double)(14130LL) / 10 - (double)(0LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 4u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 7680u, 8192u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void exchange__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *y, unsigned n) {
// The launch of a version or of the original is here.
}
#line 24
static __global__ void rows__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef float gpuopt_t_v[30][64]; static_assert(sizeof(gpuopt_t_v) == 7680, ""); typedef ::gpuopt_rt::plugin_vtb::row_of<gpuopt_t_v>::gpuopt_type gpuopt_r_v; __shared__ gpuopt_r_v gpuopt_c_v[14]; const ::gpuopt_rt::plugin_vtb::divided<gpuopt_r_v, 16> v = { reinterpret_cast<gpuopt_r_v *>(gpuopt_at.own(gpuopt_own, 4096, 0)), gpuopt_c_v };
    __shared__ int last[64];
    int t = threadIdx.x;
    int at = x[blockIdx.x * 64 + t];
    for (int k = 0; k < 9; ++k) at = x[at & 1023];
    float gpuopt_v0_0_0[7]; float gpuopt_v0_0_1[7]; _Pragma("unroll") for (int r = 0; r != 16; r += 2) { v.gpuopt_rows[r][t] = at * 0.5f + r; v.gpuopt_rows[r + 1][t] = at * 0.25f - r; } _Pragma("unroll") for (int r = 16; r < 30; r += 2) { gpuopt_v0_0_0[((r) - (0)) / (2) - 8] = at * 0.5f + r; gpuopt_v0_0_1[((r) - (0)) / (2) - 8] = at * 0.25f - r; } gpuopt_at.sync(); float sum = 1; for (int r = 0; r != 16; r += 2) sum = sum * 0.5f + v.gpuopt_rows[r][63 - t] * v.gpuopt_rows[r + 1][t]; gpuopt_at.enter(); _Pragma("unroll") for (int r = 16; r < 30; r += 2) { v.gpuopt_rest(r)[t] = gpuopt_v0_0_0[((r) - (0)) / (2) - 8]; v.gpuopt_rest(r + 1)[t] = gpuopt_v0_0_1[((r) - (0)) / (2) - 8]; }



    gpuopt_at.sync();
    
    for (int r = 16; r < 30; r += 2) sum = sum * 0.5f + v.gpuopt_rest(r)[63 - t] * v.gpuopt_rest(r + 1)[t];
    last[t] = (int)sum;
    gpuopt_at.sync();
    y[blockIdx.x * 64 + t] = last[63 - t] + (int)(sum * 16); gpuopt_at.leave();
}}
static bool rows__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(66300LL) / 10, (double)(10330LL) / 10, (double)(1058LL), (double)(9LL), (double)(9LL), (double)(1LL), 600.0, (double)(1LL), (double)(9LL), (double)(66300LL) / 10 - (double)(40LL) * 330 / 4, (double)(10330LL) / 10 - (double)(0LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(71020LL) / 10, (double)(5610LL) / 10, (double)(1058LL), (double)(9LL), (double)(9LL), (double)(1LL), 600.0, (double)(1LL), (double)(9LL), (double)(71020LL) / 10 - (double)(40LL) * 330 / 4, (double)(5610LL) / 10 - (double)(0LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 4u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 3840u, 4096u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void rows__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
