// gpu: h200; learn: on
// run: grid=8,8 block=32,8 n=64 A=256*64 B=64*256 map=64 y=256*256
// Rows of B come out of a table: what blocks share is not known, and an order of blocks may help.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const float *A, const float *B, const int *map, float *y, int n)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[(map[k] & 63) * 256 + column];
    y[row * 256 + column] = sum;
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const float *A, const float *B, const int *map, float *y, int n);

void all(const float *A, const float *B, const int *map, float *y, int n)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3(8, 8), dim3(32, 8)), A, B, map, y, n);
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
static __global__ void kernel__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, const float *A, const float *B, const int *map, float *y, int n)
{ const ::uint3 blockIdx = ::gpuopt_rt::plugin_cta_clustering::redirected<0, 1, 2, 0, 1>(gpuopt_plan); (void)blockIdx; {
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[(map[k] & 63) * 256 + column];
    y[row * 256 + column] = sum;
}}
static bool kernel__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &map, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)A; (void)B; (void)map; (void)y; (void)n; 
  if (gpuopt_l.grid.z != 1) return false;
  return false;
}
static bool kernel__gpuopt_cta_clustering_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &A, const gpuopt_rt::unread &B, const gpuopt_rt::unread &map, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)A; (void)B; (void)map; (void)y; (void)n; 
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
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *A, const float *B, const int *map, float *y, int n) {
// The launch of a version or of the original is here.
}
#endif
