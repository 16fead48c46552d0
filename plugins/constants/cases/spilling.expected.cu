// gpu: h200; policy: pick="always", form="spilling"
// run: grid=2 block=128 x=256 n=8
// Registers go to shared memory where they do not suffice.
extern "C++" { namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } } extern "C" __global__ void kernel(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] % n;
} extern "C++" { static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int *x, int n); }

void run(int *x)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(2, 128), x, 8);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
extern "C++" {
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#ifndef GPUOPT_SUPPORT
#define GPUOPT_SUPPORT
// The definitions that a plugin's guards share are here.
#endif
extern "C" {
#line 4
static            __global__ void __launch_bounds__(128, 8) kernel__gpuopt_constants_spill8_b128_n8(::gpuopt_rt::plan gpuopt_plan, int *x, int n)
{ { ::gpuopt_rt::plugin_constants::spill_to_shared(); const ::dim3 blockDim(128u, 1u, 1u); (void)blockDim; decltype(n) n = static_cast<decltype(n)>(8LL); (void)n; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] % n;
}}}
}
static bool kernel__gpuopt_constants_spill8_b128_n8_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)n; 
  if (!(gpuopt_l.block.x == 128u && gpuopt_l.block.y == 1u && gpuopt_l.block.z == 1u && n == static_cast<decltype(n)>(8LL))) return false;
  if (gpuopt_l.shared || !::gpuopt_rt::plugin_constants::spills_to_shared()) return false;
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x, int n) {
// The launch of a version or of the original is here.
}
}
#endif
