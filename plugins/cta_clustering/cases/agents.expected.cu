// gpu: h200; policy: form="agents", bypass=true, prefetch=true, active_agents=1
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n S=n*n
// Persistent blocks run the clusters of their SMs; shared memory is used again, threads return early. What blocks do not
// share goes past L1, what the next block reads first is prefetched, one agent per SM works.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *A, const float *B, float *C, const float *S)
{
    __shared__ float row[8][16];
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        row[threadIdx.y][threadIdx.x] = i < n && k + threadIdx.x < n ? A[i * n + k + threadIdx.x] : 0;
        __syncthreads();
        for (int l = 0; l < 16; l++)
            if (k + l < n && j < n) s += row[threadIdx.y][l] * B[(k + l) * n + j];
        __syncthreads();
    }
    int at = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.y * 16 + threadIdx.x;
    if (at < n * n) s += S[at];
    if (i >= n || j >= n) return;
    C[i * n + j] = s + gridDim.x;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *A, const float *B, float *C, const float *S);

void run(int n, float *A, float *B, float *C, float *S)
{
    dim3 block(16, 8);
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3((n + 15) / 16, (n + 7) / 8), block), n, A, B, C, S);
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
#line 5
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, int n, const float *A, const float *B, float *C, const float *S)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, int n, const float *A, const float *B, float *C, const float *S) -> void { (void)blockIdx; (void)gridDim; {
    __shared__ float row[8][16];
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        row[threadIdx.y][threadIdx.x] = i < n && k + threadIdx.x < n ? A[i * n + k + threadIdx.x] : 0;
        __syncthreads();
        for (int l = 0; l < 16; l++)
            if (k + l < n && j < n) s += row[threadIdx.y][l] * B[(k + l) * n + j];
        __syncthreads();
    }
    int at = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.y * 16 + threadIdx.x;
    if (at < n * n) s += __ldcs(&(S[at]));
    if (i >= n || j >= n) return;
    C[i * n + j] = s + gridDim.x;
} }; ::gpuopt_rt::plugin_cta_clustering::agent<false, false> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { if (gpuopt_a.follows(gpuopt_n)) { if ((((long long)threadIdx.y + ((long long)blockDim.y * (long long)gpuopt_n.y)) < (long long)n) && ((long long)threadIdx.x < (long long)n)) ::gpuopt_rt::plugin_cta_clustering::soon((const char *)A + ((4LL * (long long)threadIdx.x) + (4LL * (long long)n * (long long)threadIdx.y) + (4LL * (long long)blockDim.y * (long long)gpuopt_n.y * (long long)n))); if ((0LL < (long long)n) && (((long long)threadIdx.x + ((long long)blockDim.x * (long long)gpuopt_n.x)) < (long long)n) && ((0LL < (long long)n) && (((long long)threadIdx.x + ((long long)blockDim.x * (long long)gpuopt_n.x)) < (long long)n))) ::gpuopt_rt::plugin_cta_clustering::soon((const char *)B + ((4LL * (long long)threadIdx.x) + (4LL * (long long)blockDim.x * (long long)gpuopt_n.x))); if ((((128LL * (long long)gpuopt_n.x) + (long long)threadIdx.x + (16LL * (long long)threadIdx.y) + (128LL * (long long)gpuopt_n.y * (long long)gpuopt_a.grid.x)) < ((long long)n * (long long)n)) && (((128LL * (long long)gpuopt_n.x) + (long long)threadIdx.x + (16LL * (long long)threadIdx.y) + (128LL * (long long)gpuopt_n.y * (long long)gpuopt_a.grid.x)) < ((long long)n * (long long)n))) ::gpuopt_rt::plugin_cta_clustering::soon((const char *)S + ((512LL * (long long)gpuopt_n.x) + (4LL * (long long)threadIdx.x) + (64LL * (long long)threadIdx.y) + (512LL * (long long)gpuopt_n.y * (long long)gpuopt_a.grid.x))); } gpuopt_body(gpuopt_b, gpuopt_a.grid, n, A, B, C, S); } }
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C, const gpuopt_rt::unread &S) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)B; (void)C; (void)S; 
  if (gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 1, gpuopt_cta_h = 0;
  if (gpuopt_cta_a > 1u) gpuopt_cta_a = 1u;
  const long long gpuopt_unit = ::gpuopt_rt::plugin_cta_clustering::l1_granule(gpuopt_l.capability);
  if (!gpuopt_unit) return false;
  const ::gpuopt_rt::plugin_cta_clustering::rules gpuopt_rules = { gpuopt_unit, 1000, 0, 0, 0, 0, 0, 0 };
  ::gpuopt_rt::plugin_cta_clustering::orders gpuopt_cta_o(gpuopt_l, gpuopt_rules);
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = (0LL > (((long long)(n) + 15LL) / 16LL) ? 0LL : (((long long)(n) + 15LL) / 16LL)); gpuopt_cta_f.walk(4LL, (long long)gpuopt_l.block.x); gpuopt_cta_f.walk((4LL * (long long)(n)), (long long)gpuopt_l.block.y); gpuopt_cta_f.walk(64LL, (0LL > (((long long)(n) + 15LL) / 16LL) ? 0LL : (((long long)(n) + 15LL) / 16LL))); gpuopt_cta_f.block[1] = (4LL * (long long)gpuopt_l.block.y * (long long)(n)); }
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = (16LL * (0LL > (((long long)(n) + 15LL) / 16LL) ? 0LL : (((long long)(n) + 15LL) / 16LL))); gpuopt_cta_f.walk(4LL, (long long)gpuopt_l.block.x); gpuopt_cta_f.walk((64LL * (long long)(n)), (0LL > (((long long)(n) + 15LL) / 16LL) ? 0LL : (((long long)(n) + 15LL) / 16LL))); gpuopt_cta_f.walk((4LL * (long long)(n)), 16LL); gpuopt_cta_f.block[0] = (4LL * (long long)gpuopt_l.block.x); }
  { ::gpuopt_rt::plugin_cta_clustering::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = 4; gpuopt_cta_f.requests = 1LL; gpuopt_cta_f.walk(4LL, (long long)gpuopt_l.block.x); gpuopt_cta_f.walk(64LL, (long long)gpuopt_l.block.y); gpuopt_cta_f.block[0] = 512LL; gpuopt_cta_f.block[1] = (512LL * (long long)gpuopt_l.grid.x); }
  const double gpuopt_each = gpuopt_cta_o.gather(gpuopt_cta_a, gpuopt_cta_w, gpuopt_cta_h);
  (void)gpuopt_each;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *B, float *C, const float *S) {
// The launch of a version or of the original is here.
}
#endif
