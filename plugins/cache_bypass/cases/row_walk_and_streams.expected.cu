// gpu: h200; policy: l1_bytes=33792
// run: kernel=kernel grid=(n+255)/256 block=256 n=300 A=n*n u=n*n v=n*n x=n y=n
// run: kernel=twice<float> grid=2 block=256 n=64 A=512*n u=512*n v=512*n x=n y=512
// run: kernel=twice<double> grid=2 block=256 n=64 A=512*n u=512*n v=512*n x=n y=512
// A matrix that is walked row by row lives off L1; the other arrays are read once. Vectors, structures, templates.
struct Point { float x, y, z; };

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, const float *A, const float *__restrict__ u, const float *v, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            y[i] += A[i * n + j] * x[j] + u[j * n + i] + v[j * n + i];
        }
    }
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float *A, const float *__restrict__ u, const float *v, const float *x, float *y);

template <class T>
__global__ void twice(int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y)
{
    const int m = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int j = 0; j < n; j++)
        sum += A[i * n + j] * x[j] + u[j * m + i];
    for (int j = 0; j < n; j++) {
        const T &value = v[j * m + i];
        sum += A[i * n + j] + value;
    }
    y[i] = sum;
} template <class T> __attribute__((noinline)) static void twice__gpuopt_launch(const ::gpuopt_rt::config &, int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y);

void run(int n, float *A, float *u, float *v, float *x, float *y, double *B)
{
    kernel__gpuopt_launch(::gpuopt_rt::config((n + 255) / 256, 256), n, A, u, v, x, y);
    twice__gpuopt_launch<float>(::gpuopt_rt::config(2, 256), n, A, u, v, x, y);
    twice__gpuopt_launch<double>(::gpuopt_rt::config(2, 256), n, B, B, B, B, B);
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
#ifndef GPUOPT_SUPPORT
#define GPUOPT_SUPPORT
// The definitions that a plugin's guards share are here.
#endif
#line 8
static __global__ void kernel__gpuopt_cache_bypass(::gpuopt_rt::plan gpuopt_plan, int n, const float *A, const float *__restrict__ u, const float *v, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            y[i] += A[i * n + j] * x[j] + ::gpuopt_rt::plugin_cache_bypass::cs(&(u[j * n + i])) + ::gpuopt_rt::plugin_cache_bypass::cs_ordered(&(v[j * n + i]));
        }
    }
}
static bool kernel__gpuopt_cache_bypass_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &u, const gpuopt_rt::unread &v, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)u; (void)v; (void)x; (void)y; 
  static const gpuopt_rt::plugin_cache_bypass::l1_rules cb_rules = { 128, 32, 32, 33792, 5, { { 0.9, 1 }, { 1, 0.9 }, { 1.13, 0.6 }, { 1.3, 0.2 }, { 1.5, 0 } } };
  if (gpuopt_l.capability != 90) return false;
  gpuopt_rt::plugin_cache_bypass::decision cb_d(gpuopt_l, cb_rules, 1.05);
  if (!cb_d.known()) return false;
  {  // the loop at line 12
    static const gpuopt_rt::plugin_cache_bypass::l1_load cb_r[5] = {
      { 0, 4, true, false, 1 },  // A[i * n + j]
      { 1, 4, false, false, 1 },  // x[j]
      { 2, 4, true, true, 4 },  // u[j * n + i]
      { 3, 4, true, true, 1 },  // v[j * n + i]
      { 4, 4, true, false, 1 },  // y[i]
    };
    const long long cb_s[5] = { 4LL, 4LL, (4LL * (long long)(n)), (4LL * (long long)(n)), 0LL };
    auto cb_at = [&](unsigned cb_k, long long cb_x, long long cb_y, long long cb_z) -> long long {
      (void)cb_k; (void)cb_x; (void)cb_y; (void)cb_z;
      if (cb_k == 0) return (4LL * (long long)(n) * cb_x);
      if (cb_k == 1) return 0LL;
      if (cb_k == 2) return (4LL * cb_x);
      if (cb_k == 3) return (4LL * cb_x);
      if (cb_k == 4) return (4LL * cb_x);
      return 0;
    };
    cb_d.loop(cb_r, cb_s, 5, (0LL > (long long)(n) ? 0LL : (long long)(n)), cb_at);
  }
  gpuopt_c.gives_way = cb_d.tight;
  return cb_d.gains();
}
static bool kernel__gpuopt_cache_bypass_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &u, const gpuopt_rt::unread &v, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)u; (void)v; (void)x; (void)y; 
  if (gpuopt_l.capability != 90) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.5, "loads past L1");
  return true;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float *A, const float *__restrict__ u, const float *v, const float *x, float *y) {
// The launch of a version or of the original is here.
}
#line 18
template <class T>
static __global__ void twice__gpuopt_cache_bypass(::gpuopt_rt::plan gpuopt_plan, int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y)
{
    const int m = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int j = 0; j < n; j++)
        sum += A[i * n + j] * x[j] + ::gpuopt_rt::plugin_cache_bypass::cs(&(u[j * m + i]));
    for (int j = 0; j < n; j++) {
        const T &value = v[j * m + i];
        sum += A[i * n + j] + ::gpuopt_rt::plugin_cache_bypass::cs(&(value));
    }
    y[i] = sum;
}
namespace {
template <class GpuoptTag> struct twice__gpuopt_cache_bypass_guard_of;
template <class T> struct twice__gpuopt_cache_bypass_guard_tag {};
template <class GpuoptTag> struct twice__gpuopt_cache_bypass_guard_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct twice__gpuopt_cache_bypass_guard_of<twice__gpuopt_cache_bypass_guard_tag<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &u, const gpuopt_rt::unread &v, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)u; (void)v; (void)x; (void)y; 
  static const gpuopt_rt::plugin_cache_bypass::l1_rules cb_rules = { 128, 32, 32, 33792, 5, { { 0.9, 1 }, { 1, 0.9 }, { 1.13, 0.6 }, { 1.3, 0.2 }, { 1.5, 0 } } };
  if (gpuopt_l.capability != 90) return false;
  gpuopt_rt::plugin_cache_bypass::decision cb_d(gpuopt_l, cb_rules, 1.05);
  if (!cb_d.known()) return false;
  {  // the loop at line 24
    static const gpuopt_rt::plugin_cache_bypass::l1_load cb_r[3] = {
      { 0, 4, true, false, 4 },  // A[i * n + j]
      { 1, 4, false, false, 4 },  // x[j]
      { 2, 4, true, true, 4 },  // u[j * m + i]
    };
    const long long cb_s[3] = { 4LL, 4LL, (4LL * (long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) };
    auto cb_at = [&](unsigned cb_k, long long cb_x, long long cb_y, long long cb_z) -> long long {
      (void)cb_k; (void)cb_x; (void)cb_y; (void)cb_z;
      if (cb_k == 0) return (4LL * (long long)(n) * cb_x);
      if (cb_k == 1) return 0LL;
      if (cb_k == 2) return (4LL * cb_x);
      return 0;
    };
    cb_d.loop(cb_r, cb_s, 3, (0LL > (long long)(n) ? 0LL : (long long)(n)), cb_at);
  }
  {  // the loop at line 26
    static const gpuopt_rt::plugin_cache_bypass::l1_load cb_r[2] = {
      { 0, 4, true, false, 4 },  // A[i * n + j]
      { 1, 4, true, true, 4 },  // value
    };
    const long long cb_s[2] = { 4LL, (4LL * (long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) };
    auto cb_at = [&](unsigned cb_k, long long cb_x, long long cb_y, long long cb_z) -> long long {
      (void)cb_k; (void)cb_x; (void)cb_y; (void)cb_z;
      if (cb_k == 0) return (4LL * (long long)(n) * cb_x);
      if (cb_k == 1) return (4LL * cb_x);
      return 0;
    };
    cb_d.loop(cb_r, cb_s, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), cb_at);
  }
  gpuopt_c.gives_way = cb_d.tight;
  return cb_d.gains();
} };
template <> struct twice__gpuopt_cache_bypass_guard_of<twice__gpuopt_cache_bypass_guard_tag<double> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &u, const gpuopt_rt::unread &v, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)u; (void)v; (void)x; (void)y; 
  static const gpuopt_rt::plugin_cache_bypass::l1_rules cb_rules = { 128, 32, 32, 33792, 5, { { 0.9, 1 }, { 1, 0.9 }, { 1.13, 0.6 }, { 1.3, 0.2 }, { 1.5, 0 } } };
  if (gpuopt_l.capability != 90) return false;
  gpuopt_rt::plugin_cache_bypass::decision cb_d(gpuopt_l, cb_rules, 1.05);
  if (!cb_d.known()) return false;
  {  // the loop at line 24
    static const gpuopt_rt::plugin_cache_bypass::l1_load cb_r[3] = {
      { 0, 8, true, false, 4 },  // A[i * n + j]
      { 1, 8, false, false, 4 },  // x[j]
      { 2, 8, true, true, 4 },  // u[j * m + i]
    };
    const long long cb_s[3] = { 8LL, 8LL, (8LL * (long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) };
    auto cb_at = [&](unsigned cb_k, long long cb_x, long long cb_y, long long cb_z) -> long long {
      (void)cb_k; (void)cb_x; (void)cb_y; (void)cb_z;
      if (cb_k == 0) return (8LL * (long long)(n) * cb_x);
      if (cb_k == 1) return 0LL;
      if (cb_k == 2) return (8LL * cb_x);
      return 0;
    };
    cb_d.loop(cb_r, cb_s, 3, (0LL > (long long)(n) ? 0LL : (long long)(n)), cb_at);
  }
  {  // the loop at line 26
    static const gpuopt_rt::plugin_cache_bypass::l1_load cb_r[2] = {
      { 0, 8, true, false, 4 },  // A[i * n + j]
      { 1, 8, true, true, 4 },  // value
    };
    const long long cb_s[2] = { 8LL, (8LL * (long long)gpuopt_l.block.x * (long long)gpuopt_l.grid.x) };
    auto cb_at = [&](unsigned cb_k, long long cb_x, long long cb_y, long long cb_z) -> long long {
      (void)cb_k; (void)cb_x; (void)cb_y; (void)cb_z;
      if (cb_k == 0) return (8LL * (long long)(n) * cb_x);
      if (cb_k == 1) return (8LL * cb_x);
      return 0;
    };
    cb_d.loop(cb_r, cb_s, 2, (0LL > (long long)(n) ? 0LL : (long long)(n)), cb_at);
  }
  gpuopt_c.gives_way = cb_d.tight;
  return cb_d.gains();
} };
}
template <class T> static bool twice__gpuopt_cache_bypass_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y) { return twice__gpuopt_cache_bypass_guard_of<twice__gpuopt_cache_bypass_guard_tag<T> >::pick(gpuopt_l, gpuopt_c, n, A, u, v, x, y); }
namespace {
template <class GpuoptTag> struct twice__gpuopt_cache_bypass_offers_of;
template <class T> struct twice__gpuopt_cache_bypass_offers_tag {};
template <class GpuoptTag> struct twice__gpuopt_cache_bypass_offers_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct twice__gpuopt_cache_bypass_offers_of<twice__gpuopt_cache_bypass_offers_tag<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &u, const gpuopt_rt::unread &v, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)u; (void)v; (void)x; (void)y; 
  if (gpuopt_l.capability != 90) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.5, "loads past L1");
  return true;
} };
template <> struct twice__gpuopt_cache_bypass_offers_of<twice__gpuopt_cache_bypass_offers_tag<double> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const gpuopt_rt::unread &A, const gpuopt_rt::unread &u, const gpuopt_rt::unread &v, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)A; (void)u; (void)v; (void)x; (void)y; 
  if (gpuopt_l.capability != 90) return false;
  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.5, "loads past L1");
  return true;
} };
}
template <class T> static bool twice__gpuopt_cache_bypass_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y) { return twice__gpuopt_cache_bypass_offers_of<twice__gpuopt_cache_bypass_offers_tag<T> >::pick(gpuopt_l, gpuopt_o, n, A, u, v, x, y); }
template <class T> static void twice__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y) {
// The launch of a version or of the original is here.
}
#endif
