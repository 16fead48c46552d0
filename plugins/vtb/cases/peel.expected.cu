// gpu: h200; policy: factor=2, form="pipe"
// run: main
// The first iterations of loops run before the turn: behind a barrier, from the thread's index on, with loops and
// variables in them.
#include <cstdio>

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void bins(const unsigned char *data, unsigned *counts, int n)
{
    __shared__ unsigned char mine[32 * 64];
    int t = threadIdx.x;
    for (int b = 0; b < 32; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 64) {
        unsigned bin = data[blockIdx.x * n + i] & 31;
        ++mine[bin * 64 + t];
        ++mine[(data[blockIdx.x * n + i] >> 3) * 64 + t];
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += mine[(t & 31) * 64 + k] * (k + 1);
    counts[blockIdx.x * 64 + t] = sum;
} static void bins__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned char *data, unsigned *counts, int n);

__global__ void sums(const unsigned char *a, unsigned *c, int n)
{
    __shared__ int s[1000];
    for (int i = threadIdx.x; i < 1000; i += 64) {
        int sum = 0;
        for (int p = i; p < n; p += 100) sum += a[blockIdx.x * n + p];
        s[i] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 30) s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + 3 * s[999 - threadIdx.x];
} static void sums__gpuopt_launch(const ::gpuopt_rt::config &, const unsigned char *a, unsigned *c, int n);

// What the loop loads is written before it, and where it begins is changed: not peeled.
__global__ void written(unsigned char *data, unsigned *counts, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    data[blockIdx.x * n + 63 - t] += 1;
    __syncthreads();
    for (int i = t; i < n; i += 64) s[t] += data[blockIdx.x * n + i];
    __syncthreads();
    counts[blockIdx.x * 64 + t] = s[63 - t];
} static void written__gpuopt_launch(const ::gpuopt_rt::config &, unsigned char *data, unsigned *counts, int n);

int main()
{
    const int blocks = 5;
    unsigned char *data;
    unsigned *counts;
    cudaMallocManaged(&data, blocks * 2300);
    cudaMallocManaged(&counts, blocks * 64 * 4);
    for (int i = 0; i < blocks * 2300; ++i) data[i] = (unsigned char)(i * 7 + i / 13);
    for (int n = 70; n <= 2300; n += 2230) {
        unsigned sum = 0;
        bins__gpuopt_launch(::gpuopt_rt::config(blocks, 64), data, counts, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < blocks * 64; ++i) sum = sum * 31 + counts[i];
        sums__gpuopt_launch(::gpuopt_rt::config(blocks, 64), data, counts, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < blocks * 64; ++i) sum = sum * 31 + counts[i];
        written__gpuopt_launch(::gpuopt_rt::config(blocks, 64), data, counts, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < blocks * 64; ++i) sum = sum * 31 + counts[i];
        printf("%d %u\n", n, sum);
    }
    return 0;
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
static __global__ void bins__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const unsigned char *data, unsigned *counts, int n)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ unsigned char mine[32 * 64];
    int t = threadIdx.x;
    unsigned char gpuopt_w0_0[16]; unsigned int gpuopt_w0_1[16]; _Pragma("unroll") for (int gpuopt_w0_g = 0; gpuopt_w0_g < 16; ++gpuopt_w0_g) { const int i = (t) + gpuopt_w0_g * (64); if (!(i < n)) break; unsigned bin = data[blockIdx.x * n + i] & 31; gpuopt_w0_0[gpuopt_w0_g] = data[blockIdx.x * n + i]; gpuopt_w0_1[gpuopt_w0_g] = bin; } unsigned char gpuopt_v0_0_0[32]; _Pragma("unroll") for (int b = 0; b < 32; ++b) gpuopt_v0_0_0[((b) - (0)) / (1)] = 0; gpuopt_at.enter(); _Pragma("unroll") for (int b = 0; b < 32; ++b) mine[b * 64 + t] = gpuopt_v0_0_0[((b) - (0)) / (1)];
    gpuopt_at.sync();
    bool gpuopt_w0_more = true; _Pragma("unroll") for (int gpuopt_w0_g = 0; gpuopt_w0_g < 16; ++gpuopt_w0_g) { const int i = (t) + gpuopt_w0_g * (64); if (!(i < n)) { gpuopt_w0_more = false; break; } unsigned int bin = gpuopt_w0_1[gpuopt_w0_g]; ++mine[bin * 64 + t]; ++mine[(gpuopt_w0_0[gpuopt_w0_g] >> 3) * 64 + t]; } if (gpuopt_w0_more) for (int i = (t) + 16 * (64); i < n; i += 64) { unsigned bin = data[blockIdx.x * n + i] & 31; ++mine[bin * 64 + t]; ++mine[(data[blockIdx.x * n + i] >> 3) * 64 + t]; }




    gpuopt_at.sync();
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += mine[(t & 31) * 64 + k] * (k + 1); gpuopt_at.leave();
    counts[blockIdx.x * 64 + t] = sum;
}}
static bool bins__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &data, const gpuopt_rt::unread &counts, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)data; (void)counts; (void)n; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(4050LL) / 10, (double)(((2416LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 24908LL)) / 10, (double)(((46LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 1902LL)), (double)(0LL), (double)(0LL), (double)((2LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL)))), 693.0, (double)(1LL), (double)(0LL), (double)(4050LL) / 10 - (double)(0LL) * 406 / 4, (double)(((2416LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 24908LL)) / 10 - (double)((0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 2u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void bins__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned char *data, unsigned *counts, int n) {
// The launch of a version or of the original is here.
}
#line 24
static __global__ void sums__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const unsigned char *a, unsigned *c, int n)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int s[1000];
    int gpuopt_v0_0_0[16]; _Pragma("unroll") for (int gpuopt_v0_0_g = 0; gpuopt_v0_0_g < 16; ++gpuopt_v0_0_g) { const int i = (threadIdx.x) + gpuopt_v0_0_g * (64); if (!(i < 1000)) break; int sum = 0; for (int p = i; p < n; p += 100) sum += a[blockIdx.x * n + p]; gpuopt_v0_0_0[gpuopt_v0_0_g] = sum; } gpuopt_at.enter(); _Pragma("unroll") for (int gpuopt_v0_0_g = 0; gpuopt_v0_0_g < 16; ++gpuopt_v0_0_g) { const int i = (threadIdx.x) + gpuopt_v0_0_g * (64); if (!(i < 1000)) break; s[i] = gpuopt_v0_0_0[gpuopt_v0_0_g]; }




    gpuopt_at.sync();
    if (threadIdx.x < 30) s[threadIdx.x] = a[threadIdx.x];
    gpuopt_at.sync();
    c[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + 3 * s[999 - threadIdx.x]; gpuopt_at.leave();
}}
static bool sums__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &a, const gpuopt_rt::unread &c, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)a; (void)c; (void)n; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(483742LL) / 10, (double)(9780LL) / 10, (double)(3956LL), (double)(0LL), (double)(0LL), (double)(257LL), 693.0, (double)(1LL), (double)(0LL), (double)(483742LL) / 10 - (double)(256LL) * 406 / 4, (double)(9780LL) / 10 - (double)(4LL) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 2u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void sums__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const unsigned char *a, unsigned *c, int n) {
// The launch of a version or of the original is here.
}
#line 39
static __global__ void written__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, unsigned char *data, unsigned *counts, int n)
{ __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int s[64];
    int t = threadIdx.x;
    const int gpuopt_v0_0 = t; gpuopt_at.enter(); s[t] = gpuopt_v0_0;
    data[blockIdx.x * n + 63 - t] += 1;
    gpuopt_at.sync();
    for (int i = t; i < n; i += 64) s[t] += data[blockIdx.x * n + i];
    gpuopt_at.sync();
    counts[blockIdx.x * 64 + t] = s[63 - t]; gpuopt_at.leave();
}}
static bool written__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &data, const gpuopt_rt::unread &counts, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)data; (void)counts; (void)n; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(120LL) / 10, (double)(((1984LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 8280LL)) / 10, (double)(((16LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 54LL)), (double)(0LL), (double)(0LL), (double)(((0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL)) + 1LL)), 693.0, (double)(1LL), (double)(0LL), (double)(120LL) / 10 - (double)(0LL) * 406 / 4, (double)(((1984LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 8280LL)) / 10 - (double)(((0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL)) + 4LL)) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 2u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void written__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, unsigned char *data, unsigned *counts, int n) {
// The launch of a version or of the original is here.
}
#endif
