// gpu: h200; learn: on
// run: main
// Instances of a template share a version's text: what one loads at once is a class without a default constructor in the other.
#include <cstdio>
struct Half {
    unsigned short bits;
    __host__ __device__ Half(float v) : bits((unsigned short)v) {}
    __host__ __device__ operator float() const { return bits; }
};
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; struct ordered; __attribute__((always_inline, visibility("hidden"))) inline ordered *&waiting() { static __thread ordered *gpuopt_w; return gpuopt_w; } struct ordered { config given; ordered *below; __attribute__((always_inline)) inline ordered(dim3 gpuopt_g, dim3 gpuopt_b, size_t gpuopt_s = 0, cudaStream_t gpuopt_t = nullptr) : given(gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t), below(waiting()) { waiting() = this; } ordered(const ordered &); ordered &operator=(const ordered &); __attribute__((always_inline)) inline ~ordered() { waiting() = waiting() == this ? below : waiting(); } }; __attribute__((always_inline)) inline void first(const ordered &) {} __attribute__((always_inline)) inline const config &taken() { ordered *gpuopt_o = waiting(); waiting() = gpuopt_o->below; return gpuopt_o->given; } } } template <class T> __global__ void twice(T *y, const T *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * T(2) + T(1);
} template <class T> __attribute__((noinline)) static void twice__gpuopt_launch(const ::gpuopt_rt::config &, T *y, const T *x, int n);
template <class T> float run(int n)
{
    T *x, *y;
    cudaMallocManaged(&x, n * sizeof(T));
    cudaMallocManaged(&y, n * sizeof(T));
    for (int i = 0; i < n; ++i) x[i] = T(i % 100);
    (::gpuopt_rt::first(::gpuopt_rt::ordered((n + 127) / 128, 128)), twice__gpuopt_launch(::gpuopt_rt::taken(), y, x, n));
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += y[i];
    return sum;
}
int main() { std::printf("%g %g\n", run<float>(40001), run<Half>(40001)); }
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
#line 10
template <class T> static __global__ void twice__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, T *y, const T *x, int n)
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(x); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(y); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(n) + (-1LL)); if (gpuopt_all) { gpuopt_c0.load(x + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(x, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(y, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) gpuopt_e1[i] = gpuopt_e0[i] * T(2) + T(1);
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c1.store(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
#line 10
template <class T> static __global__ void twice__gpuopt_coarsening2(::gpuopt_rt::plan gpuopt_plan, T *y, const T *x, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<2> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * T(2) + T(1);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 2; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
#line 10
template <class T> static __global__ void twice__gpuopt_coarsening4(::gpuopt_rt::plan gpuopt_plan, T *y, const T *x, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::place<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * T(2) + T(1);
}}; _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
template <class GpuoptTag> struct twice__gpuopt_coarsening_neighbours_holds_of_48C34FDED8476B12;
template <class T> struct twice__gpuopt_coarsening_neighbours_holds_tag_48C34FDED8476B12 {};
template <class GpuoptTag> struct twice__gpuopt_coarsening_neighbours_holds_of_48C34FDED8476B12 { template <class... GpuoptArgs> static bool pick(const ::gpuopt_rt::config &, const GpuoptArgs &...) { return false; } };
template <> struct twice__gpuopt_coarsening_neighbours_holds_of_48C34FDED8476B12<twice__gpuopt_coarsening_neighbours_holds_tag_48C34FDED8476B12<float> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, float *y, const float *x, int n) { (void)gpuopt_l; (void)y; (void)x; (void)n; 
  return gpuopt_rt::aligned(x, 16u) &&
         gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
} };
template <class T> static bool twice__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, T *y, const T *x, int n) { return twice__gpuopt_coarsening_neighbours_holds_of_48C34FDED8476B12<twice__gpuopt_coarsening_neighbours_holds_tag_48C34FDED8476B12<T> >::pick(gpuopt_l, y, x, n); }
template <class GpuoptTag> struct twice__gpuopt_coarsening_neighbours_offers_of_86304E6EA587B37F;
template <class T> struct twice__gpuopt_coarsening_neighbours_offers_tag_86304E6EA587B37F {};
template <class GpuoptTag> struct twice__gpuopt_coarsening_neighbours_offers_of_86304E6EA587B37F { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct twice__gpuopt_coarsening_neighbours_offers_of_86304E6EA587B37F<twice__gpuopt_coarsening_neighbours_offers_tag_86304E6EA587B37F<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &y, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)y; (void)x; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
} };
template <class T> static bool twice__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, T *y, const T *x, int n) { return twice__gpuopt_coarsening_neighbours_offers_of_86304E6EA587B37F<twice__gpuopt_coarsening_neighbours_offers_tag_86304E6EA587B37F<T> >::pick(gpuopt_l, gpuopt_o, y, x, n); }
template <class GpuoptTag> struct twice__gpuopt_coarsening2_offers_of_E4BC7E89F36FB09D;
template <class T> struct twice__gpuopt_coarsening2_offers_tag_E4BC7E89F36FB09D {};
template <class GpuoptTag> struct twice__gpuopt_coarsening2_offers_of_E4BC7E89F36FB09D { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct twice__gpuopt_coarsening2_offers_of_E4BC7E89F36FB09D<twice__gpuopt_coarsening2_offers_tag_E4BC7E89F36FB09D<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &y, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)y; (void)x; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
} };
template <> struct twice__gpuopt_coarsening2_offers_of_E4BC7E89F36FB09D<twice__gpuopt_coarsening2_offers_tag_E4BC7E89F36FB09D<Half> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &y, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)y; (void)x; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  return true;
} };
template <class T> static bool twice__gpuopt_coarsening2_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, T *y, const T *x, int n) { return twice__gpuopt_coarsening2_offers_of_E4BC7E89F36FB09D<twice__gpuopt_coarsening2_offers_tag_E4BC7E89F36FB09D<T> >::pick(gpuopt_l, gpuopt_o, y, x, n); }
template <class GpuoptTag> struct twice__gpuopt_coarsening4_offers_of_A2E6B6FF4EAB805E;
template <class T> struct twice__gpuopt_coarsening4_offers_tag_A2E6B6FF4EAB805E {};
template <class GpuoptTag> struct twice__gpuopt_coarsening4_offers_of_A2E6B6FF4EAB805E { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct twice__gpuopt_coarsening4_offers_of_A2E6B6FF4EAB805E<twice__gpuopt_coarsening4_offers_tag_A2E6B6FF4EAB805E<Half> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &y, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)y; (void)x; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
} };
template <class T> static bool twice__gpuopt_coarsening4_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, T *y, const T *x, int n) { return twice__gpuopt_coarsening4_offers_of_A2E6B6FF4EAB805E<twice__gpuopt_coarsening4_offers_tag_A2E6B6FF4EAB805E<T> >::pick(gpuopt_l, gpuopt_o, y, x, n); }
template <class T> static void twice__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, T *y, const T *x, int n) {
// The launch of a version or of the original is here.
}
#endif
