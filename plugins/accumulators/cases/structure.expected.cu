// run: main
// Pointers and sizes come in a structure.
#include <cstdio>
#include <cuda_runtime.h>

struct Sums {
    const float *x;
    float *y;
    int n, m;
};

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void sums(Sums s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n)
        for (int j = 0; j < s.m; ++j)
            s.y[i] += s.x[j] * 0.5f;
} static void sums__gpuopt_launch(const ::gpuopt_rt::config &, Sums s);

int main()
{
    float host[300], *p;
    cudaMalloc(&p, sizeof(host));
    for (int start : { 100, 20, 0 }) {
        for (int i = 0; i < 300; ++i) host[i] = (float)(i % 7);
        cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
        sums__gpuopt_launch(::gpuopt_rt::config(1, 1), Sums{ p, p + start, 1, 25 });
        if (start == 100) sums__gpuopt_launch(::gpuopt_rt::config(4, 32), Sums{ p, p + start, 100, 25 });
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < 300; ++i) sum += host[i] * (i + 1);
        std::printf("%d %.9g\n", start, sum);
    }
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
#line 12
static __global__ void sums__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, Sums s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) { bool gpuopt_b0 = false; { int j = 0; if (j < s.m) gpuopt_b0 = true; } decltype(::gpuopt_rt::plugin_accumulators::held(s.y[i])) gpuopt_s0 = 0; if (gpuopt_b0) gpuopt_s0 = s.y[i];
        for (int j = 0; j < s.m; ++j)
            gpuopt_s0 += s.x[j] * 0.5f; if (gpuopt_b0) s.y[i] = gpuopt_s0; }
}
static bool sums__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, Sums s) { (void)gpuopt_l; (void)s; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(s.n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(s.m))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(s.m))), 4);
  return gpuopt_rt::apart(s.y, gpuopt_e0, 4, s.x, gpuopt_e1, 4);
}
static bool sums__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, Sums s) { (void)gpuopt_l; (void)gpuopt_c; (void)s; 

  gpuopt_c.fewer_blocks = true;
  return true;
}
static bool sums__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, Sums s) { (void)gpuopt_l; (void)gpuopt_o; (void)s; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
}
static void sums__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, Sums s) {
// The launch of a version or of the original is here.
}
#endif
