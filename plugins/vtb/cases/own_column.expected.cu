// gpu: gtx480; policy: factor=2, form="co"
// run: main
// Threads stay in their own column of an array whose places are data: what is common of it stays in a register of theirs
// until others read it, and the rows that are a virtual block's own are read before the turn.
#include <cstdio>
#include <cstdlib>
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void histogram(const unsigned *x, unsigned *counts)
{
    __shared__ unsigned char mine[128 * 64 + 32];
    int t = threadIdx.x;
    for (int b = 0; b < 128; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    for (int i = 0; i < 48; ++i) {
        unsigned w = x[(blockIdx.x * 48 + i) * 64 + t];
        ++mine[(w & 127) * 64 + t];
        if (w >> 7 & 1) mine[(w >> 8 & 127) * 64 + t] += 2;
    }
    __syncthreads();
    for (int b = t; b < 128; b += 64) {
        unsigned sum = 0;
#pragma unroll 4
        for (int k = 0; k < 64; ++k) sum += mine[b * 64 + (k + 4 * t) % 64];
        counts[blockIdx.x * 128 + b] = sum;
    }
} static void histogram__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, unsigned *counts);
// Rows with two subscripts, the last ones not used; a block that is no multiple of a warp; elements are set from others.
__global__ void walks(const unsigned *x, int *y)
{
    __shared__ int seen[53][40];
    const int t = threadIdx.x;
    unsigned at = x[blockIdx.x * 40 + t];
    for (int r = 0; r < 51; ++r) seen[r][t] = r;
    for (int i = 0; i < 90; ++i) {
        at = x[at & 16383];
        seen[at & 31][t] ^= seen[at >> 6 & 31][t] + i;
        seen[50][t]--;
    }
    int kept = seen[50][t] * 3 + seen[at & 31][t];
    __syncthreads();
    int sum = kept;
    for (int r = 0; r < 51; ++r) sum = sum * 5 + seen[r][39 - t];
    y[blockIdx.x * 40 + t] = sum;
} static void walks__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned *x, int *y);
int main()
{
    unsigned *x, *counts;
    int *y;
    cudaMallocManaged(&x, 37 * 48 * 64 * 4); cudaMallocManaged(&counts, 37 * 128 * 4); cudaMallocManaged(&y, 37 * 40 * 4);
    for (int i = 0; i < 37 * 48 * 64; ++i) x[i] = rand();
    histogram__gpuopt_launch(::gpuopt_rt::config(37, 64), x, counts);
    walks__gpuopt_launch(::gpuopt_rt::config(37, 40), x, y);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 37 * 128; ++i) h = h * 31 + counts[i];
    for (int i = 0; i < 37 * 40; ++i) h = h * 31 + y[i];
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
#line 7
static __global__ void histogram__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, unsigned *counts)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef unsigned char gpuopt_t_mine[128 * 64 + 32]; static_assert(sizeof(gpuopt_t_mine) == 8224, ""); typedef ::gpuopt_rt::plugin_vtb::row_of<gpuopt_t_mine>::gpuopt_type gpuopt_r_mine; gpuopt_r_mine *const gpuopt_c_mine = reinterpret_cast<gpuopt_r_mine *>(gpuopt_at.own(gpuopt_own, 8128, 0)); const ::gpuopt_rt::plugin_vtb::divided<gpuopt_r_mine, 8128> mine = { reinterpret_cast<gpuopt_r_mine *>(gpuopt_at.own(gpuopt_own, 8128, 0)), gpuopt_c_mine }; ::gpuopt_rt::plugin_vtb::column<::gpuopt_rt::plugin_vtb::element_of<gpuopt_t_mine>::gpuopt_type, 8128> gpuopt_k_mine = { reinterpret_cast<::gpuopt_rt::plugin_vtb::element_of<gpuopt_t_mine>::gpuopt_type *>(gpuopt_at.own(gpuopt_own, 8128, 0)), ::gpuopt_rt::plugin_vtb::element_of<gpuopt_t_mine>::gpuopt_type() };
    int t = threadIdx.x;
    for (int b = 0; b != 127; ++b) mine.gpuopt_rows[b * 64 + t] = 0; for (int b = 127; b < 128; ++b) gpuopt_k_mine.at(b * 64 + t) = 0;
    gpuopt_at.sync();
    for (int i = 0; i < 48; ++i) {
        unsigned w = x[(blockIdx.x * 48 + i) * 64 + t];
        ++gpuopt_k_mine.at((w & 127) * 64 + t);
        if (w >> 7 & 1) gpuopt_k_mine.at((w >> 8 & 127) * 64 + t) += 2;
    }
    gpuopt_at.sync();
    for (int b = t, gpuopt_n15 = 0; gpuopt_n15 < 1 && (b < 128); b += 64, ++gpuopt_n15) { unsigned sum = 0; _Pragma("unroll 4") for (int k = 0; k < 64; ++k) sum += mine.gpuopt_rows[b * 64 + (k + 4 * t) % 64]; counts[blockIdx.x * 128 + b] = sum; } gpuopt_at.sync(); gpuopt_k_mine.put(gpuopt_c_mine, gpuopt_at.rank()); gpuopt_at.sync(); for (int b = (t) + 1 * (64); b < 128; b += 64) { const int gpuopt_s0 = (b * 64 + ((0) + 4 * t) % 64) < 8128 ? 0 : 8128; { unsigned sum = 0; _Pragma("unroll 4") for (int k = 0; k < 64; ++k) sum += mine.gpuopt_rows[(b * 64 + (k + 4 * t) % 64) - gpuopt_s0]; counts[blockIdx.x * 128 + b] = sum; } }





}}
static bool histogram__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &counts) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)counts; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(120LL) / 10, (double)(179090LL) / 10, (double)(7282LL), (double)(0LL), (double)(0LL), (double)(48LL), 600.0, (double)(1LL), (double)(0LL), (double)(120LL) / 10 - (double)(0LL) * 330 / 4, (double)(179090LL) / 10 - (double)(48LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(196490LL) / 10, (double)(0LL) / 10, (double)(7474LL), (double)(0LL), (double)(0LL), (double)(48LL), 600.0, (double)(0LL), (double)(0LL), (double)(196490LL) / 10 - (double)(48LL) * 330 / 4, (double)(0LL) / 10 - (double)(0LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 0u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 0u, 8128u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void histogram__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, unsigned *counts) {
// The launch of a version or of the original is here.
}
#line 27
static __global__ void walks__gpuopt_vtb_co(::gpuopt_rt::plan gpuopt_plan, const unsigned *x, int *y)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); extern __shared__ uint4 gpuopt_own[]; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    typedef int gpuopt_t_seen[53][40]; static_assert(sizeof(gpuopt_t_seen) == 8480, ""); typedef ::gpuopt_rt::plugin_vtb::row_of<gpuopt_t_seen>::gpuopt_type gpuopt_r_seen; gpuopt_r_seen *const gpuopt_c_seen = reinterpret_cast<gpuopt_r_seen *>(gpuopt_at.own(gpuopt_own, 8000, 0)); const ::gpuopt_rt::plugin_vtb::divided<gpuopt_r_seen, 50> seen = { reinterpret_cast<gpuopt_r_seen *>(gpuopt_at.own(gpuopt_own, 8000, 0)), gpuopt_c_seen }; ::gpuopt_rt::plugin_vtb::column<::gpuopt_rt::plugin_vtb::element_of<gpuopt_t_seen>::gpuopt_type, 2000> gpuopt_k_seen = { reinterpret_cast<::gpuopt_rt::plugin_vtb::element_of<gpuopt_t_seen>::gpuopt_type *>(gpuopt_at.own(gpuopt_own, 8000, 0)), ::gpuopt_rt::plugin_vtb::element_of<gpuopt_t_seen>::gpuopt_type() };
    const int t = threadIdx.x;
    unsigned at = x[blockIdx.x * 40 + t];
    for (int r = 0; r != 50; ++r) seen.gpuopt_rows[r][t] = r; for (int r = 50; r < 51; ++r) gpuopt_k_seen.at((r) * 40 + (t)) = r;
    for (int i = 0; i < 90; ++i) {
        at = x[at & 16383];
        gpuopt_k_seen.at((at & 31) * 40 + (t)) ^= gpuopt_k_seen.get((at >> 6 & 31) * 40 + (t)) + i;
        gpuopt_k_seen.at((50) * 40 + (t))--;
    }
    int kept = gpuopt_k_seen.get((50) * 40 + (t)) * 3 + gpuopt_k_seen.get((at & 31) * 40 + (t));
    gpuopt_at.sync();
    int sum = kept;
    for (int r = 0, gpuopt_n16 = 0; gpuopt_n16 < 32 && (r < 51); ++r, ++gpuopt_n16) sum = sum * 5 + seen.gpuopt_rows[r][39 - t]; gpuopt_at.sync(); gpuopt_k_seen.put(gpuopt_c_seen, gpuopt_at.rank()); gpuopt_at.sync(); for (int r = (0) + 32 * (1); r < 51; ++r) { const int gpuopt_s0 = (r) < 50 ? 0 : 50; sum = sum * 5 + seen.gpuopt_rows[(r) - gpuopt_s0][39 - t]; }
    y[blockIdx.x * 40 + t] = sum;
}}
static bool walks__gpuopt_vtb_co_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)y; 
  if (!((gpuopt_l.block.x == 40 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(6330LL) / 10, (double)(627435LL) / 10, (double)(5380LL), (double)(90LL), (double)(90LL), (double)(1LL), 600.0, (double)(1LL), (double)(90LL), (double)(6330LL) / 10 - (double)(4LL) * 330 / 4, (double)(627435LL) / 10 - (double)(360LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::phases vtb_o = { (double)(682725LL) / 10, (double)(0LL) / 10, (double)(5924LL), (double)(90LL), (double)(90LL), (double)(1LL), 600.0, (double)(0LL), (double)(90LL), (double)(682725LL) / 10 - (double)(364LL) * 330 / 4, (double)(0LL) / 10 - (double)(0LL) * 330 / 4, 270.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 12u, 2u, 8u, 0u, 1.25 };
  const gpuopt_rt::plugin_vtb::part vtb_s = { 0u, 8000u };
  return gpuopt_rt::plugin_vtb::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);
}
static void walks__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
