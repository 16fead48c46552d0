// run: kernel=fold<char> grid=2 block=96 n=150 m=9 x=m*n y=2*n
// run: kernel=fold<float> grid=2 block=96 n=150 m=9 x=m*n y=2*n
// A template; small integers wrap in a register as they do in memory. Two elements of one array that cannot be the same.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } template <class T> __global__ void fold(unsigned n, unsigned m, const T *x, T *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned j = 0;
        do {
            y[2 * i] += x[j * n + i];
            y[2 * i + 1] = y[2 * i + 1] * x[j * n + i] - y[2 * i];
            j = j + 1;
        } while (j < m);
        for (unsigned k = 1; k < m; k += 2)
            y[2 * i]++;
    }
} template <class T> __attribute__((noinline)) static void fold__gpuopt_launch(const ::gpuopt_rt::config &, unsigned n, unsigned m, const T *x, T *y);

void all(unsigned n, unsigned m, const char *c, char *d, const float *f, float *g)
{
    fold__gpuopt_launch<char>(::gpuopt_rt::config(2, 96), n, m, c, d);
    fold__gpuopt_launch<float>(::gpuopt_rt::config(2, 96), n, m, f, g);
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
#line 4
template <class T> static __global__ void fold__gpuopt_accumulators(::gpuopt_rt::plan gpuopt_plan, unsigned n, unsigned m, const T *x, T *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned j = 0; { decltype(::gpuopt_rt::plugin_accumulators::held(y[2 * i])) gpuopt_s0 = 0; gpuopt_s0 = y[2 * i]; decltype(::gpuopt_rt::plugin_accumulators::held(y[2 * i + 1])) gpuopt_s1 = 0; gpuopt_s1 = y[2 * i + 1];
        do {
            gpuopt_s0 += x[j * n + i];
            gpuopt_s1 = gpuopt_s1 * x[j * n + i] - gpuopt_s0;
            j = j + 1;
        } while (j < m); y[2 * i] = gpuopt_s0; y[2 * i + 1] = gpuopt_s1; }
        for (unsigned k = 1; k < m; k += 2)
            y[2 * i]++;
    }
}
namespace {
template <class GpuoptTag> struct fold__gpuopt_accumulators_holds_of;
template <class T> struct fold__gpuopt_accumulators_holds_tag {};
template <class GpuoptTag> struct fold__gpuopt_accumulators_holds_of { template <class... GpuoptArgs> static bool pick(const ::gpuopt_rt::config &, const GpuoptArgs &...) { return false; } };
template <> struct fold__gpuopt_accumulators_holds_of<fold__gpuopt_accumulators_holds_tag<char> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, unsigned int n, unsigned int m, const char *x, char *y) { (void)gpuopt_l; (void)n; (void)m; (void)x; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(2LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 1);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed((gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + (gpuopt_rt::only(0) + gpuopt_rt::only(1LL) * gpuopt_rt::turns((gpuopt_rt::only(1LL) + gpuopt_rt::most(gpuopt_rt::only(0), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m)))))) * gpuopt_rt::counted(n)), 1);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed((gpuopt_rt::only(2LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(1LL)), 1);
  return gpuopt_rt::apart(y, gpuopt_e0, 1, x, gpuopt_e1, 1) &&
         gpuopt_rt::apart(y, gpuopt_e2, 1, x, gpuopt_e1, 1);
} };
template <> struct fold__gpuopt_accumulators_holds_of<fold__gpuopt_accumulators_holds_tag<float> > { static bool pick(const ::gpuopt_rt::config &gpuopt_l, unsigned int n, unsigned int m, const float *x, float *y) { (void)gpuopt_l; (void)n; (void)m; (void)x; (void)y; 
  const gpuopt_rt::reach gpuopt_e0 = gpuopt_rt::placed(gpuopt_rt::only(8LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))), 4);
  const gpuopt_rt::reach gpuopt_e1 = gpuopt_rt::placed((gpuopt_rt::only(4LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL) * (gpuopt_rt::only(0) + gpuopt_rt::only(1LL) * gpuopt_rt::turns((gpuopt_rt::only(1LL) + gpuopt_rt::most(gpuopt_rt::only(0), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(m)))))) * gpuopt_rt::counted(n)), 4);
  const gpuopt_rt::reach gpuopt_e2 = gpuopt_rt::placed((gpuopt_rt::only(8LL) * gpuopt_rt::at_most((gpuopt_rt::only(gpuopt_l.block.x) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x)), (gpuopt_rt::only(-1LL) + gpuopt_rt::counted(n))) + gpuopt_rt::only(4LL)), 4);
  return gpuopt_rt::apart(y, gpuopt_e0, 4, x, gpuopt_e1, 4) &&
         gpuopt_rt::apart(y, gpuopt_e2, 4, x, gpuopt_e1, 4);
} };
}
template <class T> static bool fold__gpuopt_accumulators_holds(const ::gpuopt_rt::config &gpuopt_l, unsigned n, unsigned m, const T *x, T *y) { return fold__gpuopt_accumulators_holds_of<fold__gpuopt_accumulators_holds_tag<T> >::pick(gpuopt_l, n, m, x, y); }
namespace {
template <class GpuoptTag> struct fold__gpuopt_accumulators_guard_of;
template <class T> struct fold__gpuopt_accumulators_guard_tag {};
template <class GpuoptTag> struct fold__gpuopt_accumulators_guard_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::choice &, const GpuoptArgs &...) { return false; } };
template <> struct fold__gpuopt_accumulators_guard_of<fold__gpuopt_accumulators_guard_tag<char> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, unsigned int n, unsigned int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_c.fewer_blocks = true;
  return true;
} };
template <> struct fold__gpuopt_accumulators_guard_of<fold__gpuopt_accumulators_guard_tag<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, unsigned int n, unsigned int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_c.fewer_blocks = true;
  return true;
} };
}
template <class T> static bool fold__gpuopt_accumulators_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, unsigned n, unsigned m, const T *x, T *y) { return fold__gpuopt_accumulators_guard_of<fold__gpuopt_accumulators_guard_tag<T> >::pick(gpuopt_l, gpuopt_c, n, m, x, y); }
namespace {
template <class GpuoptTag> struct fold__gpuopt_accumulators_offers_of;
template <class T> struct fold__gpuopt_accumulators_offers_tag {};
template <class GpuoptTag> struct fold__gpuopt_accumulators_offers_of { template <class... GpuoptArgs> static bool pick(const gpuopt_rt::launch &, gpuopt_rt::offers &, const GpuoptArgs &...) { return false; } };
template <> struct fold__gpuopt_accumulators_offers_of<fold__gpuopt_accumulators_offers_tag<char> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, unsigned int n, unsigned int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
} };
template <> struct fold__gpuopt_accumulators_offers_of<fold__gpuopt_accumulators_offers_tag<float> > { static bool pick(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, unsigned int n, unsigned int m, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y) { (void)gpuopt_l; (void)gpuopt_o; (void)n; (void)m; (void)x; (void)y; 

  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();
  gpuopt_x.fewer_blocks = true;
  gpuopt_o.add(gpuopt_x, 1, 1.5, 1.5, "registers");
  return true;
} };
}
template <class T> static bool fold__gpuopt_accumulators_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, unsigned n, unsigned m, const T *x, T *y) { return fold__gpuopt_accumulators_offers_of<fold__gpuopt_accumulators_offers_tag<T> >::pick(gpuopt_l, gpuopt_o, n, m, x, y); }
template <class T> static void fold__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, unsigned n, unsigned m, const T *x, T *y) {
// The launch of a version or of the original is here.
}
#endif
