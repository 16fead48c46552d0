// gpu: h200; policy: form="agents", order="row"
// run: main
// Members that may change although the parameter is const: the next block finds them as they were, too.
#include <cstdio>
struct Counter {
    int step;
    mutable int calls;
    __device__ int operator()(int x) const { return x * step + ++calls; }
};
template <class T> struct Held {
    mutable T last[2];
    __device__ T next(T x) const { return last[x & 1] += x; }
};
template <class T> struct Derived : Held<T> {
    T scale;
};
struct Outer {
    Counter inner[2];
};
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void counted(const Counter f, int *y)
{
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f(j);
} static void counted__gpuopt_launch(const ::gpuopt_rt::config &, const Counter f, int *y);
__global__ void inherited(const Derived<int> f, int *y)
{
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.next(j) * f.scale;
} static void inherited__gpuopt_launch(const ::gpuopt_rt::config &, const Derived<int> f, int *y);
__global__ void nested(const Outer f, int *y)
{
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.inner[j & 1](j);
} static void nested__gpuopt_launch(const ::gpuopt_rt::config &, const Outer f, int *y);
int main()
{
    int *y;
    cudaMallocManaged(&y, 700 * 32 * sizeof(int));
    cudaMemset(y, 0, 700 * 32 * sizeof(int));
    Derived<int> derived;
    derived.last[0] = derived.last[1] = 1;
    derived.scale = 3;
    counted__gpuopt_launch(::gpuopt_rt::config(700, 32), Counter{2, 0}, y);
    inherited__gpuopt_launch(::gpuopt_rt::config(700, 32), derived, y);
    nested__gpuopt_launch(::gpuopt_rt::config(700, 32), Outer{{{2, 0}, {3, 5}}}, y);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 700 * 32; ++i) h = h * 31 + y[i];
    printf("%llx\n", h);
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
#line 20
static __global__ void counted__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, const Counter f, int *y)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, const Counter f, int *y) -> void { (void)blockIdx; (void)gridDim; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f(j);
} }; ::gpuopt_rt::plugin_cta_clustering::agent<false, false> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, f, y); } }
static bool counted__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const Counter f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)f; (void)y; 
  if (gpuopt_l.grid.y != 1 || gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 0, gpuopt_cta_h = 1;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void counted__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const Counter f, int *y) {
// The launch of a version or of the original is here.
}
#line 24
static __global__ void inherited__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, const Derived<int> f, int *y)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, const Derived<int> f, int *y) -> void { (void)blockIdx; (void)gridDim; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.next(j) * f.scale;
} }; ::gpuopt_rt::plugin_cta_clustering::agent<false, false> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, f, y); } }
static bool inherited__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const Derived<int> f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)f; (void)y; 
  if (gpuopt_l.grid.y != 1 || gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 0, gpuopt_cta_h = 1;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void inherited__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const Derived<int> f, int *y) {
// The launch of a version or of the original is here.
}
#line 28
static __global__ void nested__gpuopt_cta_clustering(::gpuopt_rt::plan gpuopt_plan, const Outer f, int *y)
{ auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim, const Outer f, int *y) -> void { (void)blockIdx; (void)gridDim; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.inner[j & 1](j);
} }; ::gpuopt_rt::plugin_cta_clustering::agent<false, false> gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; while (gpuopt_a.next(gpuopt_b)) { gpuopt_body(gpuopt_b, gpuopt_a.grid, f, y); } }
static bool nested__gpuopt_cta_clustering_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const Outer f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)f; (void)y; 
  if (gpuopt_l.grid.y != 1 || gpuopt_l.grid.z != 1) return false;
  const ::dim3 &gpuopt_g = gpuopt_l.grid;
  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;
  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);
  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > 2147483647ull || gpuopt_l.sms < 1) return false;
  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);
  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;
  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = 0, gpuopt_cta_h = 1;
  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);
  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);
  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;
  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;
  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;
  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;
  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);
  return true;
}
static void nested__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const Outer f, int *y) {
// The launch of a version or of the original is here.
}
#endif
