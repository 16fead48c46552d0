// gpu: h200; policy: form="register"
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n
// The emulated GPU maps rows of blocks; the version is the kernel as it was.
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
static bool kernel__gpuopt_cta_mapping_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)B; (void)C; 
  if (gpuopt_l.grid.z != 1) return false;
  if (gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1) return false;
  if (!::gpuopt_rt::plugin_cta_mapping::gpuopt_emu_cta_mapping) return false;
  ::gpuopt_rt::plugin_cta_mapping::gpuopt_emu_cta_mapping(gpuopt_l.version, 1);
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
