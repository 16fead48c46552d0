// gpu: gtx480; policy: form="register", priority="auto"
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n
// Algorithm 2: blocks are mapped, and warps whose data L1 holds go first.
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
  if (::gpuopt_rt::plugin_cta_mapping::gpuopt_emu_priority_group) {
    ::gpuopt_rt::plugin_cta_mapping::warp_forms map_w; map_w.add(4, 0LL, (4LL * (long long)(n)), 0LL, 0LL, (4LL * (long long)gpuopt_l.block.y * (long long)(n)), 0LL); map_w.add(4, 4LL, 0LL, 0LL, (4LL * (long long)gpuopt_l.block.x), 0LL, 0LL);
    const long long map_r = (long long)gpuopt_l.grid.x - 1, map_all = (long long)gpuopt_l.warps * gpuopt_l.resident_blocks;
    const long long map_m = map_r * gpuopt_l.warps < map_all ? map_r * gpuopt_l.warps : map_all;
    const long long map_g = map_w.fitting(gpuopt_l.block, 0, map_m, (long long)gpuopt_l.l1_bytes, 128);
    ::gpuopt_rt::plugin_cta_mapping::gpuopt_emu_priority_group(gpuopt_l.version, (int)map_g);
  }
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
