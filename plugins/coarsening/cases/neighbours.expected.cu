// gpu: h200; policy: form="neighbours"; learn: on
// run: kernel=axpy grid=(n+63)/64 block=64 n=40003 x=n y=n a=1.5f
// run: kernel=widen grid=700 block=96 n=67001 in=n out=n sums=n+8
// run: kernel=planes grid=300,3 block=32,4 n=300*32 m=11 flags=n x=n y=n
// run: kernel=twice<float> grid=600 block=64 x=600*64 n=600*64-2
// run: kernel=twice<double> grid=600 block=64 x=600*64 n=600*64-2
// run: kernel=convert<float,double> grid=600 block=64 x=600*64 y=600*64 n=600*64
// run: kernel=convert<long,float> grid=600 block=64 x=600*64 y=600*64 n=600*64
// run: kernel=convert<float,Pair> grid=600 block=64 x=600*64 y=600*64 n=600*64
// run: kernel=below grid=16,60 block=32,4 w=498 h=237 in=499*241 out=499*241
// run: kernel=below grid=16,60 block=32,4 w=500 h=237 in=501*241 out=501*241
// run: kernel=blocks grid=600 block=64 w=64 x=601*64 y=601*64
// run: kernel=blocks grid=600 block=64 w=61 x=601*64 y=601*64
// Neighbours' elements are loaded and stored at once, where all of them are within the limits.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void axpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
} static void axpy__gpuopt_launch(const ::gpuopt_rt::config &, const float *x, float *y, float a, int n);
__global__ void widen(const short *in, double *out, int *sums, unsigned n)
{
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        const short value = in[i];
        out[i] = value;
        out[i] *= 0.5;
        sums[i + 8] = value + gridDim.x;
    }
} static void widen__gpuopt_launch(const ::gpuopt_rt::config &, const short *in, double *out, int *sums, unsigned n);
#define AT (blockIdx.x * blockDim.x + threadIdx.x)
__device__ int column() { return threadIdx.x + threadIdx.y; }
__global__ void planes(const int *flags, const float *x, float *y, int n, int m)
{
    if (AT < n && blockIdx.y * blockDim.y + threadIdx.y < m && threadIdx.y == 0 && blockIdx.y == 0)
        y[AT] = x[AT];
    if (AT >= n || blockIdx.y * blockDim.y + threadIdx.y >= 1)
        return;
    if (flags[AT] & 1)
        y[AT] = x[AT] + x[n - 1 - AT] + column();
} static void planes__gpuopt_launch(const ::gpuopt_rt::config &, const int *flags, const float *x, float *y, int n, int m);
__global__ void below(const double *in, double *out, int w, int h)  // rows of any length: each thread looks
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        const double sum = in[y * w + x] + in[(y + 1) * w + x] + in[(y + 2) * w + x + 1];
        out[(y + 1) * w + x] = sum + gridDim.y;
    }
} static void below__gpuopt_launch(const ::gpuopt_rt::config &, const double *in, double *out, int w, int h);
__global__ void blocks(const int *x, int *y, int w)  // whatever block they are in
{
    if (threadIdx.x < w && blockIdx.x > 2)
        y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * w + threadIdx.x] + x[threadIdx.x];
} static void blocks__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y, int w);
struct Pair { int value; __host__ __device__ Pair &operator=(int v) { value = v; return *this; } };
template <class A, class B> __global__ void convert(const A *x, B *y, int n)  // the last instance has no vectors of y
{
    if (AT < n)
        y[AT] = (int)x[AT];
} template <class A, class B> __attribute__((noinline)) static void convert__gpuopt_launch(const ::gpuopt_rt::config &, const A *x, B *y, int n);
template <class T> __global__ void twice(T *__restrict__ x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] = x[i] + x[i];
}

void all(const float *x, float *y, float a, int n, const short *s, double *d, int *i)
{
    axpy__gpuopt_launch(::gpuopt_rt::config((n + 63) / 64, 64), x, y, a, n);
    widen__gpuopt_launch(::gpuopt_rt::config(700, 96), s, d, i, n);
    planes__gpuopt_launch(::gpuopt_rt::config(dim3(300, 3), dim3(32, 4)), i, x, y, n, 11);
    below__gpuopt_launch(::gpuopt_rt::config(dim3(16, 60), dim3(32, 4)), d, d, n, n);
    blocks__gpuopt_launch(::gpuopt_rt::config(600, 64), i, (int *)y, 64);
    twice<<<600, 64>>>(y, n);
    twice<<<600, 64>>>(d, n);
    convert__gpuopt_launch(::gpuopt_rt::config(600, 64), x, d, n);
    convert__gpuopt_launch(::gpuopt_rt::config(600, 64), (const long *)d, y, n);
    convert__gpuopt_launch(::gpuopt_rt::config(600, 64), x, (Pair *)y, n);
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
#line 33
static __device__ int column__gpuopt_coarsening_neighbours_69c180(::gpuopt_rt::plan gpuopt_plan) { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; { return threadIdx.x + threadIdx.y; }}
#line 15
static __global__ void axpy__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, float a, int n)
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(x); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(y); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(n) + (-1LL)); if (gpuopt_all) { gpuopt_c0.load(x + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); gpuopt_c1.load(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(x, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(y, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    gpuopt_e1[i] += a * gpuopt_e0[i];
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c1.store(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
static bool axpy__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const float *x, float *y, float a, int n) { (void)gpuopt_l; (void)x; (void)y; (void)a; (void)n; 
  return gpuopt_rt::aligned(x, 16u) &&
         gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
}
static bool axpy__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, const gpuopt_rt::unread &a, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)a; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void axpy__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *x, float *y, float a, int n) {
// The launch of a version or of the original is here.
}
#line 22
static __global__ void widen__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const short *in, double *out, int *sums, unsigned n)
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(in); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(out); auto gpuopt_c2 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(sums); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(n) + (-1LL)); if (gpuopt_all) { gpuopt_c0.load(in + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); gpuopt_c1.load(out + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(in, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(out, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e2 = ::gpuopt_rt::plugin_coarsening::element_of(sums, gpuopt_whole ? &gpuopt_c2.held.at[gpuopt_plan.n[0]] : nullptr); {
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        const short value = gpuopt_e0[i];
        gpuopt_e1[i] = value;
        gpuopt_e1[i] *= 0.5;
        gpuopt_e2[i + 8] = value + gridDim.x;
    }
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c1.store(out + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); gpuopt_c2.store(sums + gpuopt_g.thread.x + (((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + 8LL)); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
static bool widen__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const short *in, double *out, int *sums, unsigned n) { (void)gpuopt_l; (void)in; (void)out; (void)sums; (void)n; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(8LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 8);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(32LL)), 4);
  return gpuopt_rt::aligned(in, 16u) &&
         gpuopt_rt::aligned(out, 16u) &&
         gpuopt_rt::aligned(sums, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(2LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(2LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(2LL))) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(8LL))) &&
         gpuopt_rt::apart(out, gpuopt_e0, 8, sums, gpuopt_e1, 4) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(32LL) + gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
}
static bool widen__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, const gpuopt_rt::unread &sums, unsigned n) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)sums; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void widen__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const short *in, double *out, int *sums, unsigned n) {
// The launch of a version or of the original is here.
}
#line 34
static __global__ void planes__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const int *flags, const float *x, float *y, int n, int m)
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(flags); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(n) + (-1LL)) && ((long long)(gpuopt_g.thread.y) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y))) <= 0LL; if (gpuopt_all) { gpuopt_c0.load(flags + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(flags, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); {
    if (AT < n && blockIdx.y * blockDim.y + threadIdx.y < m && threadIdx.y == 0 && blockIdx.y == 0)
        y[AT] = x[AT];
    if (AT >= n || blockIdx.y * blockDim.y + threadIdx.y >= 1)
        return;
    if (gpuopt_e0[AT] & 1)
        y[AT] = x[AT] + x[n - 1 - AT] + column__gpuopt_coarsening_neighbours_69c180(gpuopt_plan);
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
static bool planes__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const int *flags, const float *x, float *y, int n, int m) { (void)gpuopt_l; (void)flags; (void)x; (void)y; (void)n; (void)m; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed(gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  return gpuopt_rt::aligned(flags, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.y) * gpuopt_rt::below(gpuopt_l.grid.y) + gpuopt_rt::below(gpuopt_l.block.y))) &&
         gpuopt_rt::is_index(gpuopt_rt::only(1LL)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL))) &&
         gpuopt_rt::apart(flags, gpuopt_e0, 4, y, gpuopt_e1, 4);
}
static bool planes__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &flags, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n, int m) { (void)gpuopt_l; (void)gpuopt_o; (void)flags; (void)x; (void)y; (void)n; (void)m; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void planes__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *flags, const float *x, float *y, int n, int m) {
// The launch of a version or of the original is here.
}
#line 43
static __global__ void below__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const double *in, double *out, int w, int h)  // rows of any length: each thread looks
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(in); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(in); auto gpuopt_c2 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(out); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(w) + (-1LL)) && ((long long)(gpuopt_g.thread.y) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y))) <= ((long long)(h) + (-1LL)) && gpuopt_c0.fits(in + gpuopt_g.thread.x + (((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + ((long long)(gpuopt_g.thread.y) * (long long)(w)) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y) * (long long)(w)))) && gpuopt_c1.fits(in + gpuopt_g.thread.x + ((long long)(w) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + ((long long)(gpuopt_g.thread.y) * (long long)(w)) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y) * (long long)(w)))) && gpuopt_c2.fits(out + gpuopt_g.thread.x + ((long long)(w) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + ((long long)(gpuopt_g.thread.y) * (long long)(w)) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y) * (long long)(w)))); if (gpuopt_all) { gpuopt_c0.load(in + gpuopt_g.thread.x + (((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + ((long long)(gpuopt_g.thread.y) * (long long)(w)) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y) * (long long)(w)))); gpuopt_c1.load(in + gpuopt_g.thread.x + ((long long)(w) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + ((long long)(gpuopt_g.thread.y) * (long long)(w)) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y) * (long long)(w)))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(in, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(in, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e2 = ::gpuopt_rt::plugin_coarsening::element_of(out, gpuopt_whole ? &gpuopt_c2.held.at[gpuopt_plan.n[0]] : nullptr); {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        const double sum = gpuopt_e0[y * w + x] + gpuopt_e1[(y + 1) * w + x] + in[(y + 2) * w + x + 1];
        gpuopt_e2[(y + 1) * w + x] = sum + gridDim.y;
    }
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c2.store(out + gpuopt_g.thread.x + ((long long)(w) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x)) + ((long long)(gpuopt_g.thread.y) * (long long)(w)) + ((long long)blockDim.y * (long long)(gpuopt_g.block.y) * (long long)(w)))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
static bool below__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const double *in, double *out, int w, int h) { (void)gpuopt_l; (void)in; (void)out; (void)w; (void)h; 
  return gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(w)) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.y) * gpuopt_rt::below(gpuopt_l.grid.y) + gpuopt_rt::below(gpuopt_l.block.y))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(h)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.y) * gpuopt_rt::below(gpuopt_l.grid.y) * gpuopt_rt::counted(w) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.x) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.y) * gpuopt_rt::counted(w)) / gpuopt_rt::only(8LL))) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.y) * gpuopt_rt::below(gpuopt_l.grid.y) * gpuopt_rt::counted(w) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.x) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.y) * gpuopt_rt::counted(w) + gpuopt_rt::only(8LL) * gpuopt_rt::counted(w)) / gpuopt_rt::only(8LL)));
}
static bool below__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &in, const gpuopt_rt::unread &out, int w, int h) { (void)gpuopt_l; (void)gpuopt_o; (void)in; (void)out; (void)w; (void)h; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void below__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const double *in, double *out, int w, int h) {
// The launch of a version or of the original is here.
}
#line 51
static __global__ void blocks__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int w)  // whatever block they are in
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(x); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(x); auto gpuopt_c2 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(y); const bool gpuopt_all = (long long)(gpuopt_g.thread.x + 3) <= ((long long)(w) + (-1LL)) && ((-1LL) * (long long)(gpuopt_g.block.x)) <= (-3LL) && gpuopt_c0.fits(x + gpuopt_g.thread.x + ((long long)(gpuopt_g.block.x) * (long long)(w))); if (gpuopt_all) { gpuopt_c0.load(x + gpuopt_g.thread.x + ((long long)(gpuopt_g.block.x) * (long long)(w))); gpuopt_c1.load(x + gpuopt_g.thread.x); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(x, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(x, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e2 = ::gpuopt_rt::plugin_coarsening::element_of(y, gpuopt_whole ? &gpuopt_c2.held.at[gpuopt_plan.n[0]] : nullptr); {
    if (threadIdx.x < w && blockIdx.x > 2)
        gpuopt_e2[blockIdx.x * 64 + threadIdx.x] = gpuopt_e0[blockIdx.x * w + threadIdx.x] + gpuopt_e1[threadIdx.x];
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c2.store(y + gpuopt_g.thread.x + (64LL * (long long)(gpuopt_g.block.x))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
static bool blocks__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const int *x, int *y, int w) { (void)gpuopt_l; (void)x; (void)y; (void)w; 
  return gpuopt_rt::aligned(x, 16u) &&
         gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index(gpuopt_rt::below(gpuopt_l.block.x)) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(w)) &&
         gpuopt_rt::is_index(gpuopt_rt::only(2LL)) &&
         gpuopt_rt::is_index(gpuopt_rt::below(gpuopt_l.grid.x)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.grid.x) * gpuopt_rt::counted(w) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL))) &&
         gpuopt_rt::is_index((gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x) / gpuopt_rt::only(4LL))) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(256LL) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
}
static bool blocks__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int w) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)w; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void blocks__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y, int w) {
// The launch of a version or of the original is here.
}
#line 57
template <class A, class B> static __global__ void convert__gpuopt_coarsening_neighbours(::gpuopt_rt::plan gpuopt_plan, const A *x, B *y, int n)  // the last instance has no vectors of y
{ const ::gpuopt_rt::plugin_coarsening::group<4> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; auto gpuopt_c0 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(x); auto gpuopt_c1 = ::gpuopt_rt::plugin_coarsening::cells_of<4>(y); const bool gpuopt_all = ((long long)(gpuopt_g.thread.x + 3) + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))) <= ((long long)(n) + (-1LL)); if (gpuopt_all) { gpuopt_c0.load(x + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, const bool gpuopt_whole) -> void { const ::gpuopt_rt::plugin_coarsening::lane<4> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const auto gpuopt_e0 = ::gpuopt_rt::plugin_coarsening::element_of(x, gpuopt_whole ? &gpuopt_c0.held.at[gpuopt_plan.n[0]] : nullptr); const auto gpuopt_e1 = ::gpuopt_rt::plugin_coarsening::element_of(y, gpuopt_whole ? &gpuopt_c1.held.at[gpuopt_plan.n[0]] : nullptr); {
    if (AT < n)
        gpuopt_e1[AT] = (int)gpuopt_e0[AT];
}}; if (gpuopt_all) { _Pragma("unroll") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, true); } gpuopt_c1.store(y + gpuopt_g.thread.x + ((long long)blockDim.x * (long long)(gpuopt_g.block.x))); } else { _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < 4; ++gpuopt_k) { gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, false); } } }
template <class GpuoptTag> struct convert__gpuopt_coarsening_neighbours_holds_of_DDA8066137AE03F3;
template <class A, class B> struct convert__gpuopt_coarsening_neighbours_holds_tag_DDA8066137AE03F3 {};
template <class GpuoptTag> struct convert__gpuopt_coarsening_neighbours_holds_of_DDA8066137AE03F3 { template <class... GpuoptArgs> static bool pick(const ::gpuopt_rt::config &, const GpuoptArgs &...) { return false; } };
template <> struct convert__gpuopt_coarsening_neighbours_holds_of_DDA8066137AE03F3<convert__gpuopt_coarsening_neighbours_holds_tag_DDA8066137AE03F3<float, double> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, const float *x, double *y, int n) { (void)gpuopt_l; (void)x; (void)y; (void)n; 
  return gpuopt_rt::aligned(x, 16u) &&
         gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL))) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(8LL)));
} };
template <> struct convert__gpuopt_coarsening_neighbours_holds_of_DDA8066137AE03F3<convert__gpuopt_coarsening_neighbours_holds_tag_DDA8066137AE03F3<long, float> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, const long *x, float *y, int n) { (void)gpuopt_l; (void)x; (void)y; (void)n; 
  return gpuopt_rt::aligned(x, 16u) &&
         gpuopt_rt::aligned(y, 16u) &&
         gpuopt_rt::is_index((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(8LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(8LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(8LL))) &&
         gpuopt_rt::is_index(((gpuopt_rt::only(4LL) * gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::only(4LL) * gpuopt_rt::below(gpuopt_l.block.x)) / gpuopt_rt::only(4LL)));
} };
template <class A, class B> static bool convert__gpuopt_coarsening_neighbours_holds(const ::gpuopt_rt::config &gpuopt_l, const A *x, B *y, int n) { return convert__gpuopt_coarsening_neighbours_holds_of_DDA8066137AE03F3<convert__gpuopt_coarsening_neighbours_holds_tag_DDA8066137AE03F3<A, B> >::pick(gpuopt_l, x, y, n); }
template <class GpuoptTag> struct convert__gpuopt_coarsening_neighbours_offers_of_21318EDFCEFB2409;
template <class A, class B> struct convert__gpuopt_coarsening_neighbours_offers_tag_21318EDFCEFB2409 {};
template <class GpuoptTag> struct convert__gpuopt_coarsening_neighbours_offers_of_21318EDFCEFB2409 { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct convert__gpuopt_coarsening_neighbours_offers_of_21318EDFCEFB2409<convert__gpuopt_coarsening_neighbours_offers_tag_21318EDFCEFB2409<float, double> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
} };
template <> struct convert__gpuopt_coarsening_neighbours_offers_of_21318EDFCEFB2409<convert__gpuopt_coarsening_neighbours_offers_tag_21318EDFCEFB2409<long, float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  gpuopt_rt::plugin_coarsening::offer_grouped(gpuopt_l, gpuopt_o, 4);
  return true;
} };
template <class A, class B> static bool convert__gpuopt_coarsening_neighbours_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const A *x, B *y, int n) { return convert__gpuopt_coarsening_neighbours_offers_of_21318EDFCEFB2409<convert__gpuopt_coarsening_neighbours_offers_tag_21318EDFCEFB2409<A, B> >::pick(gpuopt_l, gpuopt_o, x, y, n); }
template <class A, class B> static void convert__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const A *x, B *y, int n) {
// The launch of a version or of the original is here.
}
#endif
