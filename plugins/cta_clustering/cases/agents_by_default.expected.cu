// gpu: k40c; args: -Xptxas -dlcm=ca
// run: grid=dim3(44,44) block=dim3(8,8) n=352 k=256 A=n*k B=n*k C=n*n
// A GPU on which agents pay, long blocks, and many of them.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, int k, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int l = 0; l < k; l++)
        s += A[i * k + l] * B[l * n + j];
    C[i * n + j] = s;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, int k, const float *A, const float *B, float *C);

void run(int n, int k, float *A, float *B, float *C)
{
    dim3 block(8, 8);
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3(n / 8, n / 8), block), n, k, A, B, C);
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
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, int n, int k, const float *A, const float *B, float *C)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, int n, int k, const float *A, const float *B, float *C) -> void { (void)blockIdx; (void)gridDim; {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int l = 0; l < k; l++)
        s += A[i * k + l] * B[l * n + j];
    C[i * n + j] = s;
} }; ::gpuopt_rt::plugin_cta_clustering::agent<false, false> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, n, k, A, B, C); } }
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int k, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)k; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  if ((0LL > (long long)(k) ? 0LL : (long long)(k)) + (0LL > (long long)(k) ? 0LL : (long long)(k)) < 512 || (unsigned long long)gpuopt_l.grid.x * gpuopt_l.grid.y * gpuopt_l.grid.z < 8 * (unsigned long long)gpuopt_l.sms * gpuopt_l.blocks_per_sm) return false;
  if (gpuopt_l.capability != 35) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 0, gpuopt_cta_h = 1;
  const long long gpuopt_unit = ::gpuopt_rt::plugin_cta_clustering::l1_granule(gpuopt_l.capability);
  if (!gpuopt_unit) return false;
  const ::gpuopt_rt::plugin_cta_clustering::rules gpuopt_rules = { gpuopt_unit, 1000, 0, 0, 0, 0, 0, 0 };
  ::gpuopt_rt::plugin_cta_clustering::orders gpuopt_cta_o(gpuopt_l, gpuopt_rules);
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = (0LL > (long long)(k) ? 0LL : (long long)(k)); gpuopt_cta_f.walk((4LL * (long long)(k)), (long long)gpuopt_l.block.y); gpuopt_cta_f.walk(4LL, (0LL > (long long)(k) ? 0LL : (long long)(k))); gpuopt_cta_f.block[1] = (4LL * (long long)gpuopt_l.block.y * (long long)(k)); }
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = (0LL > (long long)(k) ? 0LL : (long long)(k)); gpuopt_cta_f.walk(4LL, (long long)gpuopt_l.block.x); gpuopt_cta_f.walk((4LL * (long long)(n)), (0LL > (long long)(k) ? 0LL : (long long)(k))); gpuopt_cta_f.block[0] = (4LL * (long long)gpuopt_l.block.x); }
  if (gpuopt_l.l1_bytes) {
    ::gpuopt_rt::plugin_cta_clustering::warp_forms gpuopt_cta_t; gpuopt_cta_t.add(4, 0LL, (4LL * (long long)(k)), 0LL, 0LL, (4LL * (long long)gpuopt_l.block.y * (long long)(k)), 0LL); gpuopt_cta_t.add(4, 4LL, 0LL, 0LL, (4LL * (long long)gpuopt_l.block.x), 0LL, 0LL);
    const double gpuopt_turn = (double)gpuopt_l.warps * gpuopt_cta_t.lines(gpuopt_l.block, 0, 1, 128);
    const double gpuopt_room = (double)gpuopt_l.l1_bytes * 0.6 / gpuopt_turn;
    if (gpuopt_room < (double)gpuopt_cta_a) gpuopt_cta_a = gpuopt_room < 1 ? 1u : (unsigned)gpuopt_room;
  }
  const double gpuopt_each = gpuopt_cta_o.gather(gpuopt_cta_a, gpuopt_cta_w, gpuopt_cta_h);
  if (gpuopt_each * 1.2 > gpuopt_cta_o.dealt(gpuopt_fit)) return false;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int k, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
