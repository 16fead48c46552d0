// gpu: h200
// run: grid=528 block=256 table=16384 column=200000 y=135168
// The loop is a function's: what L1 has to hold is not known, but the driver makes room for eight blocks of the four.
__device__ float looked_up(const float *table, const int *column, int i)
{
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += table[column[i + k * 1024] & 16383];
    return sum;
}

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const float *table, const int *column, float *y)
{
    __shared__ float tile[4096];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = looked_up(table, column, i);
    __syncthreads();
    y[i] = tile[threadIdx.x ^ 1];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const float *table, const int *column, float *y);

void run(float *table, int *column, float *y)
{
    kernel__gpuopt_launch(::gpuopt_rt::config(528, 256), table, column, y);
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
static bool kernel__gpuopt_unified_memory_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &table, const gpuopt_rt::unread &column, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)table; (void)column; (void)y; 
  static const gpuopt_rt::plugin_unified_memory::l1_rules um_rules = { 128, 32, 32, 0, 5, { { 0.9, 1 }, { 1, 0.9 }, { 1.13, 0.6 }, { 1.3, 0.2 }, { 1.5, 0 } } };
  static const gpuopt_rt::plugin_unified_memory::model um_model = { 0.52765537, -0.17695728, 0.21920043, 0.9620771, 82.024311, 0.72573481, 0.38890889, 0, 0, 1.25, 64, 2, false, false };
  if (gpuopt_l.capability != 90) return false;
  gpuopt_rt::plugin_unified_memory::decision um_d(gpuopt_l, um_rules, um_model);
  if (!um_d.known()) return false;
  return um_d.is_free(gpuopt_c);
}
static bool kernel__gpuopt_unified_memory_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &table, const gpuopt_rt::unread &column, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)table; (void)column; (void)y; 
  static const gpuopt_rt::plugin_unified_memory::l1_rules um_rules = { 128, 32, 32, 0, 5, { { 0.9, 1 }, { 1, 0.9 }, { 1.13, 0.6 }, { 1.3, 0.2 }, { 1.5, 0 } } };
  static const gpuopt_rt::plugin_unified_memory::model um_model = { 0.52765537, -0.17695728, 0.21920043, 0.9620771, 82.024311, 0.72573481, 0.38890889, 0, 0, 1.25, 64, 2, false, false };
  if (gpuopt_l.capability != 90) return false;
  gpuopt_rt::plugin_unified_memory::decision um_d(gpuopt_l, um_rules, um_model);
  if (!um_d.known()) return false;
  um_d.offer(gpuopt_o);
  return true;
}
static bool kernel__gpuopt_own = false;
static bool kernel__gpuopt_elsewhere(const ::gpuopt_rt::config &gpuopt_c, const float *table, const int *column, float *y) {
// The launch of a version or of the original is here.
}
extern "C" { __attribute__((weak)) bool gpuopt_door_EAD841ACC937E760(::dim3 gpuopt_g, ::dim3 gpuopt_b, ::size_t gpuopt_s, ::cudaStream_t gpuopt_t, const float *table, const int *column, float *y) {
  return kernel__gpuopt_elsewhere(::gpuopt_rt::config(gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t), table, column, y);
}
__attribute__((weak)) void gpuopt_own_EAD841ACC937E760() { kernel__gpuopt_own = true; } }
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *table, const int *column, float *y) {
// The launch of a version or of the original is here.
}
#endif
