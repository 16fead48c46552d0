// gpu: h200; policy: margin=1.0, share=0.0, l2_bytes=16384
// run: grid=dim3(24,24) block=dim3(32,32) n=768 m=8 A=n*m B=n*m C=n*n
// A product that stays inside of its matrices: nearly everywhere, its rows and columns are those without the clamps.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void product(int n, int m, const float *A, const float *B, float *C)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < m; k++)
        s += A[min(i, n - 1) * m + k] * B[k * n + (j < n ? j : n - 1)];
    if (i < n && j < n) C[i * n + j] = s;
} static void product__gpuopt_launch(const ::gpuopt_rt::config &, int n, int m, const float *A, const float *B, float *C);

void run(int n, int m, const float *A, const float *B, float *C)
{
    product__gpuopt_launch(::gpuopt_rt::config(dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)), n, m, A, B, C);
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
static __global__ void product__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, int n, int m, const float *A, const float *B, float *C)
{ const ::uint3 blockIdx = ::gpuopt_rt::plugin_cta_clustering::redirected<0, 1, 2, 0, 1>(gpuopt_plan); (void)blockIdx; {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < m; k++)
        s += A[min(i, n - 1) * m + k] * B[k * n + (j < n ? j : n - 1)];
    if (i < n && j < n) C[i * n + j] = s;
}}
static bool product__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int m, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)m; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  const long long gpuopt_l2 = 16384;
  long long gpuopt_l1 = 0;
  if (gpuopt_l.l1_bytes) {
    ::gpuopt_rt::plugin_cta_clustering::warp_forms gpuopt_cta_t; gpuopt_cta_t.add(4, 0LL, (4LL * (long long)(m)), 0LL, 0LL, (4LL * (long long)(m) * (long long)gpuopt_l.block.y), 0LL); gpuopt_cta_t.add(4, 4LL, 0LL, 0LL, (4LL * (long long)gpuopt_l.block.x), 0LL, 0LL);
    const double gpuopt_turn = (double)gpuopt_l.warps * gpuopt_cta_t.lines(gpuopt_l.block, 0, 1, 128);
    if (gpuopt_turn * (double)gpuopt_l.blocks_per_sm <= (double)gpuopt_l.l1_bytes * 0.6) gpuopt_l1 = (long long)gpuopt_l.l1_bytes;
  }
  const ::gpuopt_rt::plugin_cta_clustering::rules gpuopt_rules = { 32, 1000, 0, 280, gpuopt_l2, ::gpuopt_rt::plugin_cta_clustering::l1_granule(gpuopt_l.capability), gpuopt_l1, ::gpuopt_rt::plugin_cta_clustering::l2_rate(gpuopt_l.capability) };
  ::gpuopt_rt::plugin_cta_clustering::orders gpuopt_cta_o(gpuopt_l, gpuopt_rules);
  const long long gpuopt_ratio = ::gpuopt_rt::plugin_cta_clustering::memory_ratio(gpuopt_l.capability);
  if (!gpuopt_ratio || !gpuopt_cta_o.waits()) return false;
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = 1LL; gpuopt_cta_f.walk(4LL, (long long)gpuopt_l.block.x); gpuopt_cta_f.walk((4LL * (long long)(n)), (long long)gpuopt_l.block.y); gpuopt_cta_f.block[0] = (4LL * (long long)gpuopt_l.block.x); gpuopt_cta_f.block[1] = (4LL * (long long)gpuopt_l.block.y * (long long)(n)); }
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = (0LL > (long long)(m) ? 0LL : (long long)(m)); gpuopt_cta_f.walk((4LL * (long long)(m)), (long long)gpuopt_l.block.y); gpuopt_cta_f.walk(4LL, (0LL > (long long)(m) ? 0LL : (long long)(m))); gpuopt_cta_f.block[1] = (4LL * (long long)(m) * (long long)gpuopt_l.block.y); }
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = (0LL > (long long)(m) ? 0LL : (long long)(m)); gpuopt_cta_f.walk(4LL, (long long)gpuopt_l.block.x); gpuopt_cta_f.walk((4LL * (long long)(n)), (0LL > (long long)(m) ? 0LL : (long long)(m))); gpuopt_cta_f.block[0] = (4LL * (long long)gpuopt_l.block.x); }
  return gpuopt_cta_o.choose(gpuopt_c, gpuopt_ratio);
}
static bool product__gpuopt_cta_clustering_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, int m, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  if (gpuopt_l.grid.x == 1 || gpuopt_l.grid.y == 1) return false;
  if (gpuopt_l.grid.y > 8u) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 1; gpuopt_cta_c.n[1] = 8; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 1, 1, 1.5, "tiles"); }
  if (gpuopt_l.grid.y > 16u) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 1; gpuopt_cta_c.n[1] = 16; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 2, 1, 1.5, "tiles"); }
  if (gpuopt_l.grid.y > 32u) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 1; gpuopt_cta_c.n[1] = 32; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 3, 1, 1.5, "tiles"); }
  if (gpuopt_l.grid.y > 4u) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 1; gpuopt_cta_c.n[1] = 4; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 4, 1, 1.5, "tiles"); }
  if (gpuopt_l.grid.y > 2u) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 1; gpuopt_cta_c.n[1] = 2; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 5, 1, 1.5, "tiles"); }
  if (true) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 1; gpuopt_cta_c.n[1] = 0; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 6, 1, 1.5, "tiles"); }
  if (gpuopt_l.grid.y > 16u) { gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); gpuopt_cta_c.n[0] = 2; gpuopt_cta_c.n[1] = 16; gpuopt_cta_c.n[2] = 1; gpuopt_o.add(gpuopt_cta_c, 7, 1, 1.5, "tiles"); }
  return true;
}
static void product__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int m, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
