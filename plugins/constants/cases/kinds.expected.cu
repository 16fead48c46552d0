// gpu: h200; policy: pick="always"
// run: grid=dim3(2,2) block=dim3(8,4,2) x=256 mode=Mode::mean way=DOWN flag=true small=-3 wide=18446744073709551615u n=4 last=99
// run: grid=dim3(2,2) block=dim3(8,4,2) x=256 mode=Mode::sum way=DOWN flag=true small=-3 wide=18446744073709551615u n=4 last=99
// Parameters of all kinds that are numbers; n is changed, and referred to.
enum class Mode : unsigned char { sum, mean };
enum Way { UP, DOWN = 7 };

__device__ void next(int &n) { n += gridDim.y; }

namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void mixed(long long *x, Mode mode, Way way, bool flag, short small, unsigned long long wide, int n, const char last)
{
    const int i = ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.z + threadIdx.z) * 32 + threadIdx.y * 8 + threadIdx.x;
    int *place = &n;
    long long s = mode == Mode::mean ? way : -way;
    while (n-- > 0) s += flag ? small : wide / 3;
    next(*place);
    auto more = [=] { return n + last; };
    x[i] = s * more() + (wide >> 63);
} static void mixed__gpuopt_launch(const ::gpuopt_rt::config &, long long *x, Mode mode, Way way, bool flag, short small, unsigned long long wide, int n, const char last);

void all(long long *x)
{
    mixed__gpuopt_launch(::gpuopt_rt::config(dim3(2, 2), dim3(8, 4, 2)), x, Mode::mean, DOWN, true, -3, 0xffffffffffffffffu, 2 * 2, 'c');
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
#line 8
static __device__ void next__gpuopt_constants_9d84b57859_92b806(::gpuopt_rt::plan gpuopt_plan, int &n) { { const ::dim3 gridDim(2u, 2u, 1u); (void)gridDim; { n += gridDim.y; }}}
#line 10
static __global__ void __launch_bounds__(64) mixed__gpuopt_constants_9d84b57859(::gpuopt_rt::plan gpuopt_plan, long long *x, Mode mode, Way way, bool flag, short small, unsigned long long wide, int n, const char last)
{ { const ::dim3 blockDim(8u, 4u, 2u); (void)blockDim; const ::dim3 gridDim(2u, 2u, 1u); (void)gridDim; decltype(mode) mode = static_cast<decltype(mode)>(1LL); (void)mode; decltype(way) way = static_cast<decltype(way)>(7LL); (void)way; decltype(flag) flag = static_cast<decltype(flag)>(1LL); (void)flag; decltype(small) small = static_cast<decltype(small)>(-3LL); (void)small; decltype(wide) wide = static_cast<decltype(wide)>(18446744073709551615ULL); (void)wide; decltype(n) n = static_cast<decltype(n)>(4LL); (void)n; decltype(last) last = static_cast<decltype(last)>(::gpuopt_rt::plugin_constants::number(99LL)); (void)last; {
    const int i = ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.z + threadIdx.z) * 32 + threadIdx.y * 8 + threadIdx.x;
    int *place = &n;
    long long s = mode == Mode::mean ? way : -way;
    while (n-- > 0) s += flag ? small : wide / 3;
    next__gpuopt_constants_9d84b57859_92b806(gpuopt_plan, *place);
    auto more = [=] { return n + last; };
    x[i] = s * more() + (wide >> 63);
}}}
static bool mixed__gpuopt_constants_9d84b57859_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &x, Mode mode, Way way, bool flag, short small, unsigned long long wide, int n, const char last) { (void)gpuopt_l; (void)gpuopt_c; (void)x; (void)mode; (void)way; (void)flag; (void)small; (void)wide; (void)n; (void)last; 
  if (!(gpuopt_l.block.x == 8u && gpuopt_l.block.y == 4u && gpuopt_l.block.z == 2u && gpuopt_l.grid.x == 2u && gpuopt_l.grid.y == 2u && gpuopt_l.grid.z == 1u && mode == static_cast<decltype(mode)>(1LL) && way == static_cast<decltype(way)>(7LL) && flag == static_cast<decltype(flag)>(1LL) && small == static_cast<decltype(small)>(-3LL) && wide == static_cast<decltype(wide)>(18446744073709551615ULL) && n == static_cast<decltype(n)>(4LL) && last == static_cast<decltype(last)>(99LL))) return false;
  return true;
}
static void mixed__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, long long *x, Mode mode, Way way, bool flag, short small, unsigned long long wide, int n, const char last) {
// The launch of a version or of the original is here.
}
#endif
