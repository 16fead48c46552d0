// learn: on
// run: main
// Launches whose arrays overlap keep the original: what it reads is what it has just written.
#include <cstdio>
#include <cuda_runtime.h>

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void shift(int n, const int *x, int *y)
{
    for (int j = 0; j < n; ++j)
        y[j] = x[j] + 1;
} static void shift__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *x, int *y);

int main()
{
    const int room = 64;
    int host[room], *p;
    cudaMalloc(&p, sizeof(host));
    for (int start : { 32, 1, 0, 20, 19 }) {
        for (int i = 0; i < room; ++i) host[i] = i;
        cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
        for (int again = 0; again < 3; ++again)
            shift__gpuopt_launch(::gpuopt_rt::config(1, 1), 20, p, p + start);
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
        for (int i = 0; i < room; ++i) std::printf("%d ", host[i]);
        std::printf("\n");
    }
    return cudaFree(p) != cudaSuccess;
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 7
static __global__ void shift__gpuopt_read_only(::gpuopt_rt::plan gpuopt_plan, int n, const int *__restrict__ x, int *y)
{
    for (int j = 0; j < n; ++j)
        y[j] = x[j] + 1;
}
static bool shift__gpuopt_read_only_holds(const ::gpuopt_rt::config &gpuopt_l, int n, const int *x, int *y) { (void)gpuopt_l; (void)n; (void)x; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most(gpuopt_rt::upwards(gpuopt_rt::only(0), gpuopt_rt::only(1LL), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  return gpuopt_rt::apart(x, gpuopt_e0, 4, y, gpuopt_e1, 4);
}
static bool shift__gpuopt_read_only_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)x; (void)y; 

  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.02, "restricted");
  return true;
}
static void shift__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *x, int *y) {
// The launch of a version or of the original is here.
}
#endif
