// gpu: h200; policy: method="bypass-all", operator="no_allocate_l2_first"
// run: kernel=types grid=2 block=64 n=40 a=128*n b=128*n o=128*n i=128*n h=128 res=128
// run: kernel=nested grid=1 block=64 n=33 p=64 q=4096 r=4096 res=64
// Every type; what is updated in place, shared or called stays as it is.
struct Odd { float x; int y; char z; };
struct __align__(16) Even { double d[2]; };

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void types(int n, const float4 *a, const double2 *__restrict__ b, const Odd *o, const short *i, Even *h,
                      float *res)
{
    __shared__ float tile[64];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, m = gridDim.x * blockDim.x;
    tile[threadIdx.x] = h[t].d[0];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < n; ++j) {
        const float4 v = a[j * m + t];
        const Odd whole = o[j * m + t];
        sum += (int)v.x + (int)b[j * m + t].y + whole.y + o[j * m + t].z + i[j * m + t] + (int)tile[(t + j) % 64];
        res[t] += 1;
    }
    res[t] += sum;
} static void types__gpuopt_launch(const ::gpuopt_rt::config &, int n, const float4 *a, const double2 *__restrict__ b, const Odd *o, const short *i, Even *h, float *res);

__global__ void nested(int n, const int *p, const int *q, int *r, int *res)
{
    for (int j = 0; j < n; ++j) {
        const int &entry = p[threadIdx.x];
        res[threadIdx.x] += q[(entry & 63) * 32 + (p[j % 64] & 31)] - *(q + j) + r[j]++;
    }
} static void nested__gpuopt_launch(const ::gpuopt_rt::config &, int n, const int *p, const int *q, int *r, int *res);

void run(int n, float4 *a, double2 *b, Odd *o, short *i, Even *h, float *out, int *p)
{
    types__gpuopt_launch(::gpuopt_rt::config(2, 64), n, a, b, o, i, h, out);
    nested__gpuopt_launch(::gpuopt_rt::config(1, 64), n, p, p, p, p);
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
static __global__ void types__gpuopt_cache_bypass(::gpuopt_rt::plan gpuopt_plan, int n, const float4 *a, const double2 *__restrict__ b, const Odd *o, const short *i, Even *h,
                      float *res)
{
    __shared__ float tile[64];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, m = gridDim.x * blockDim.x;
    tile[threadIdx.x] = h[t].d[0];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < n; ++j) {
        const float4 v = ::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(a[j * m + t]));
        const Odd whole = ::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(o[j * m + t]));
        sum += (int)v.x + (int)::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first(&(b[j * m + t].y)) + whole.y + ::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(o[j * m + t].z)) + ::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(i[j * m + t])) + (int)tile[(t + j) % 64];
        res[t] += 1;
    }
    res[t] += sum;
}
static bool types__gpuopt_cache_bypass_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &a, const gpuopt_rt::unread &b, const gpuopt_rt::unread &o, const gpuopt_rt::unread &i, const gpuopt_rt::unread &h, const gpuopt_rt::unread &res) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)a; (void)b; (void)o; (void)i; (void)h; (void)res; 
  return gpuopt_l.capability == 90;
}
static void types__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const float4 *a, const double2 *__restrict__ b, const Odd *o, const short *i, Even *h, float *res) {
// The launch of a version or of the original is here.
}
#line 25
static __global__ void nested__gpuopt_cache_bypass(::gpuopt_rt::plan gpuopt_plan, int n, const int *p, const int *q, int *r, int *res)
{
    for (int j = 0; j < n; ++j) {
        const int &entry = p[threadIdx.x];
        res[threadIdx.x] += ::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(q[(::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(entry)) & 63) * 32 + (::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(p[j % 64])) & 31)])) - ::gpuopt_rt::plugin_cache_bypass::no_allocate_l2_first_ordered(&(*(q + j))) + r[j]++;
    }
}
static bool nested__gpuopt_cache_bypass_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, const gpuopt_rt::unread &p, const gpuopt_rt::unread &q, const gpuopt_rt::unread &r, const gpuopt_rt::unread &res) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)p; (void)q; (void)r; (void)res; 
  return gpuopt_l.capability == 90;
}
static void nested__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, const int *p, const int *q, int *r, int *res) {
// The launch of a version or of the original is here.
}
#endif
