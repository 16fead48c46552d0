// gpu: h200; policy: order="tile", tile=[2, 2, 0], axes="yxz zxy", float_atomics=true
// run: grid=dim3(3,5,2) block=dim3(8,4) n=5 a=960 b=960 total=1
// Three dimensions, axes in another order, and sums by atomics, which the policy allows.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *a, float *b, float *total)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    b[(z * 20 + y) * 24 + x] = a[(z * 20 + y) * 24 + x] * n;
    atomicAdd(total, 1.0f);
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *a, float *b, float *total);

void run(int n, float *a, float *b, float *total)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3(3, 5, 2), dim3(8, 4)), n, a, b, total);
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
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, int n, const float *a, float *b, float *total)
{ const ::uint3 blockIdx = ::gpuopt_rt::plugin_cta_clustering::redirected<1, 0, 2, 2, 0>(gpuopt_plan); (void)blockIdx; {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    b[(z * 20 + y) * 24 + x] = a[(z * 20 + y) * 24 + x] * n;
    atomicAdd(total, 1.0f);
}}
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &total) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)a; (void)b; (void)total; 
  if (gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1 && gpuopt_l.grid.z == 1) return false;
  gpuopt_c.n[0] = 2; gpuopt_c.n[1] = 2; gpuopt_c.n[2] = 0;
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *a, float *b, float *total) {
// The launch of a version or of the original is here.
}
#endif
