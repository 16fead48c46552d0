// gpu: h200; learn: on
// run: grid=2 block=64 x=128*12 y=128*12 n=12
// A thread's own array is in registers once its loops are unrolled: versions with fewer of them, too.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void sort_rows(const int *x, int *y, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    int row[40];
    for (int i = 0; i < n; ++i) row[i] = x[first + i];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            if (row[j] > row[j + 1]) {
                const int swapped = row[j];
                row[j] = row[j + 1];
                row[j + 1] = swapped;
            }
    for (int i = 0; i < n; ++i) y[first + i] = row[i];
} static void sort_rows__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y, int n);

void all(const int *x, int *y)
{
    sort_rows__gpuopt_launch(::gpuopt_rt::config(2, 64), x, y, 12);
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
static __global__ void __launch_bounds__(64) sort_rows__gpuopt_constants_b64_n12(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n)
{ { const ::dim3 blockDim(64u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(12LL); (void)n; {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    int row[40];
    for (int i = 0; i < n; ++i) row[i] = x[first + i];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            if (row[j] > row[j + 1]) {
                const int swapped = row[j];
                row[j] = row[j + 1];
                row[j + 1] = swapped;
            }
    for (int i = 0; i < n; ++i) y[first + i] = row[i];
}}}
#line 4
static __global__ void __launch_bounds__(64, 16) sort_rows__gpuopt_constants_cap16_b64_n12(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n)
{ { const ::dim3 blockDim(64u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(12LL); (void)n; {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    int row[40];
    for (int i = 0; i < n; ++i) row[i] = x[first + i];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            if (row[j] > row[j + 1]) {
                const int swapped = row[j];
                row[j] = row[j + 1];
                row[j + 1] = swapped;
            }
    for (int i = 0; i < n; ++i) y[first + i] = row[i];
}}}
#line 4
static __global__ void __launch_bounds__(64, 16) sort_rows__gpuopt_constants_spill16_b64_n12(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n)
{ { ::gpuopt_rt::plugin_constants::spill_to_shared(); const ::dim3 blockDim(64u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(12LL); (void)n; {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    int row[40];
    for (int i = 0; i < n; ++i) row[i] = x[first + i];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            if (row[j] > row[j + 1]) {
                const int swapped = row[j];
                row[j] = row[j + 1];
                row[j + 1] = swapped;
            }
    for (int i = 0; i < n; ++i) y[first + i] = row[i];
}}}
static bool sort_rows__gpuopt_constants_b64_n12_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  if (!(gpuopt_l.block.x == 64u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(12LL))) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "plain");
  return true;
}
static bool sort_rows__gpuopt_constants_cap16_b64_n12_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  if (!(gpuopt_l.block.x == 64u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(12LL))) return false;
  if (gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared) <= gpuopt_l.resident_blocks)
    return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "capped");
  return true;
}
static bool sort_rows__gpuopt_constants_spill16_b64_n12_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  if (!(gpuopt_l.block.x == 64u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(12LL))) return false;
  if (gpuopt_l.shared || !::gpuopt_rt::plugin_constants::spills_to_shared()) return false;
  if (gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared) <= gpuopt_l.resident_blocks)
    return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "spilling");
  return true;
}
static void sort_rows__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y, int n) {
// The launch of a version or of the original is here.
}
#endif
