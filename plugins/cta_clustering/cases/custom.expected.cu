// gpu: h200; policy: order="custom", custom=["(x + 3 * y) % gx", "gy - 1 - y", "z"]
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n
// An order of the policy's own: rows from the last one on, each begun three blocks later. A function names blockIdx too.
__device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *A, const float *B, float *C)
{
    int j = column(), i = blockIdx.y * blockDim.y + threadIdx.y;
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
static __device__ int column__gpuopt_cta_clustering_b19e62(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_cta_clustering::numbered gpuopt_o = ::gpuopt_rt::plugin_cta_clustering::usual(); (void)gpuopt_o; const ::uint3 blockIdx = ::make_uint3((unsigned)((gpuopt_o.x + 3 * gpuopt_o.y) % gpuopt_o.gx), (unsigned)(gpuopt_o.gy - 1 - gpuopt_o.y), (unsigned)(gpuopt_o.z)); (void)blockIdx; { return blockIdx.x * blockDim.x + threadIdx.x; }}
#line 5
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, int n, const float *A, const float *B, float *C)
{ const ::gpuopt_rt::plugin_cta_clustering::numbered gpuopt_o = ::gpuopt_rt::plugin_cta_clustering::usual(); (void)gpuopt_o; const ::uint3 blockIdx = ::make_uint3((unsigned)((gpuopt_o.x + 3 * gpuopt_o.y) % gpuopt_o.gx), (unsigned)(gpuopt_o.gy - 1 - gpuopt_o.y), (unsigned)(gpuopt_o.z)); (void)blockIdx; {
    int j = column__gpuopt_cta_clustering_b19e62(gpuopt_plan), i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += A[i * n + k] * B[k * n + j];
    C[i * n + j] = s;
}}
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  if (gpuopt_all < 2 || gpuopt_all > 4194304) return false;
  ::gpuopt_rt::plugin_cta_clustering::marks gpuopt_cta_m(gpuopt_g);
  for (unsigned gpuopt_cta_z = 0; gpuopt_cta_z < gpuopt_g.z; ++gpuopt_cta_z)
   for (unsigned gpuopt_cta_y = 0; gpuopt_cta_y < gpuopt_g.y; ++gpuopt_cta_y)
    for (unsigned gpuopt_cta_x = 0; gpuopt_cta_x < gpuopt_g.x; ++gpuopt_cta_x) {
      const ::gpuopt_rt::plugin_cta_clustering::numbered gpuopt_o(gpuopt_cta_x, gpuopt_cta_y, gpuopt_cta_z, gpuopt_g);
      (void)gpuopt_o;
      if (!gpuopt_cta_m.once((long long)((gpuopt_o.x + 3 * gpuopt_o.y) % gpuopt_o.gx), (long long)(gpuopt_o.gy - 1 - gpuopt_o.y), (long long)(gpuopt_o.z))) return false;
    }
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
