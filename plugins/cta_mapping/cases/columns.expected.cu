// gpu: h200; policy: form="agents", direction="y"
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n
// Agents have whole columns of blocks, as the policy asks.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += A[i * n + k] * B[k * n + j];
    C[i * n + j] = s;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *A, const float *B, float *C);

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 8);
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3((n + 15) / 16, (n + 7) / 8), block), n, A, B, C);
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
static __global__ void kernel__gpuopt_cta_mapping(::gpuopt_rt::plan gpuopt_plan, int n, const float *A, const float *B, float *C)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, int n, const float *A, const float *B, float *C) -> void { (void)blockIdx; (void)gridDim; {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += A[i * n + k] * B[k * n + j];
    C[i * n + j] = s;
} }; ::gpuopt_rt::plugin_cta_mapping::agent<true, true> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, n, A, B, C); } }
static bool kernel__gpuopt_cta_mapping_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 1, gpuopt_cta_h = 1;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
