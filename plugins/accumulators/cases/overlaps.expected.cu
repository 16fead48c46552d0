// run: main
// One launch after the other: arrays apart, next to each other, with bytes in common, the same one.
#include <cstdio>
#include <cuda_runtime.h>

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void windows(int n, int m, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[i] += x[j] * 0.5f;
} static void windows__gpuopt_launch(const ::gpuopt_rt::config &, int n, int m, const float *x, float *y);

int main()
{
    const int room = 400, n = 100, m = 25;
    float host[room], *p;
    cudaMalloc(&p, sizeof(host));
    const int starts[][2] = { { 0, 200 }, { 0, 25 }, { 0, 24 }, { 3, 0 }, { 100, 0 }, { 99, 0 }, { 0, 0 }, { 60, 50 } };
    for (const auto &start : starts) {
        for (int i = 0; i < room; ++i) host[i] = (float)(i % 7);
        cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
        windows__gpuopt_launch(::gpuopt_rt::config(1, 1), 1, m, p + start[0], p + start[1]);
        if (start[0] + m <= start[1] || start[1] + n <= start[0])
            windows__gpuopt_launch(::gpuopt_rt::config(4, 32), n, m, p + start[0], p + start[1]);
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < room; ++i) sum += host[i] * (i + 1);
        std::printf("%d %d %.9g\n", start[0], start[1], sum);
    }
    windows__gpuopt_launch(::gpuopt_rt::config(4, 32), n, 0, p, nullptr);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return cudaFree(p) != cudaSuccess;
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
#line 6
static __global__ void windows__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, int n, int m, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { bool gpuopt_b0 = false; { int j = 0; if (j < m) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(y[i])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = y[i];
        for (int j = 0; j < m; ++j)
            gpuopt_s0 += x[j] * 0.5f; if (gpuopt_b0) y[i] = gpuopt_s0; }
}
static bool windows__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, int n, int m, const float *x, float *y) { (void)gpuopt_l; (void)n; (void)m; (void)x; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m))), 4);
  return gpuopt_rt::apart(y, gpuopt_e0, 4, x, gpuopt_e1, 4);
}
static bool windows__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool windows__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void windows__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, int m, const float *x, float *y) {
// The launch of a version or of the original is here.
}
#endif
