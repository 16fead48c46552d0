// gpu: h200; learn: on
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
static __global__ void counted__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const Counter f, int *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const Counter f) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f(j);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, f); } }
#line 20
static __global__ void counted__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const Counter f, int *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const Counter f) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f(j);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, f); } }
static bool counted__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const Counter f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)f; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool counted__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const Counter f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)f; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void counted__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const Counter f, int *y) {
// The launch of a version or of the original is here.
}
#line 24
static __global__ void inherited__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const Derived<int> f, int *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const Derived<int> f) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.next(j) * f.scale;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, f); } }
#line 24
static __global__ void inherited__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const Derived<int> f, int *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const Derived<int> f) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.next(j) * f.scale;
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, f); } }
static bool inherited__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const Derived<int> f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)f; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool inherited__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const Derived<int> f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)f; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void inherited__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const Derived<int> f, int *y) {
// The launch of a version or of the original is here.
}
#line 28
static __global__ void nested__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, const Outer f, int *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const Outer f) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.inner[j & 1](j);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, f); } }
#line 28
static __global__ void nested__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, const Outer f, int *y)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const Outer f) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.inner[j & 1](j);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, f); } }
static bool nested__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const Outer f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)f; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
}
static bool nested__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const Outer f, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)f; (void)y; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void nested__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const Outer f, int *y) {
// The launch of a version or of the original is here.
}
#endif
