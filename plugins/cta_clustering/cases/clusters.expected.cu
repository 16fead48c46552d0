// gpu: h200; policy: form="clusters", order="direction"
// run: grid=dim3(7,9) block=dim3(8,8) n=70 A=n*n B=n*n C=n*n
// Balanced clusters along the direction of reuse, bound to SMs as if blocks were dealt out in turn.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *A, const float *B, float *C)
{
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < n; i += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += A[i * n + k] * B[k * n + j];
            C[i * n + j] = s;
        }
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *A, const float *B, float *C);

void run(int n, float *A, float *B, float *C)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3(7, 9), dim3(8, 8)), n, A, B, C);
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
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, int n, const float *A, const float *B, float *C)
{ const ::uint3 blockIdx = ::gpuopt_rt::plugin_cta_clustering::redirected<0, 1, 2, 0, 1>(gpuopt_plan); (void)blockIdx; {
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < n; i += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += A[i * n + k] * B[k * n + j];
            C[i * n + j] = s;
        }
}}
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  if (gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1 && gpuopt_l.grid.z == 1) return false;
  gpuopt_c.n[0] = 1; gpuopt_c.n[1] = 0; gpuopt_c.n[2] = 1; gpuopt_c.n[3] = (unsigned short)gpuopt_l.sms;
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
