// gpu: h200; learn: on
// run: kernel=backwards grid=601 block=64 n=600 x=n*64 y=n*64
// run: kernel=sums grid=(n+255)/256,3 block=256 shared=1024 n=70000 x=n out=274*3
// run: kernel=steps grid=530 block=96 rounds=4 x=530*96 most=530
// run: kernel=leave grid=(n+95)/96 block=96 n=60000 m=90 x=n+96 y=n+96
// Blocks that share memory and meet at barriers: one after the other, with a barrier in between.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void backwards(const float *x, float *y, int n)
{
    __shared__ float tile[64];
    if (blockIdx.x >= n)
        return;
    tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = tile[63 - threadIdx.x];
} static void backwards__gpuopt_launch(const ::gpuopt_rt::config &, const float *x, float *y, int n);
__device__ void meet() { __syncthreads(); }
__global__ void sums(const int *x, int *out, int n)
{
    extern __shared__ int part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] * (int)(blockIdx.y + 1) : 0;
    meet();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x)
        return;
    out[blockIdx.y * gridDim.x + blockIdx.x] = part[0];
} static void sums__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *out, int n);
__global__ void steps(int *x, unsigned *most, int rounds)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (; rounds > 0; --rounds) {
        const int next = x[blockIdx.x * blockDim.x + (threadIdx.x + rounds) % blockDim.x];
        __syncthreads();
        x[at] += next;
        const int large = __syncthreads_count(x[at] > 100);
        if (threadIdx.x == 0)
            most[blockIdx.x] += large;
    }
} static void steps__gpuopt_launch(const ::gpuopt_rt::config &, int *x, unsigned *most, int rounds);
__global__ void leave(const int *x, int *y, int n, int m)  // whoever leaves would leave the blocks behind, too
{
    __shared__ int tile[96];
    const int i = blockIdx.x * 96 + threadIdx.x, next = x[i] % 96;
    if (i >= n || threadIdx.x >= m) {
        return;
    }
    tile[threadIdx.x] = next;
    __syncthreads();
    y[i] = tile[m - 1 - threadIdx.x] + __syncthreads_or(next > 94);
    if (y[i] & 1)
        return;
    y[i] += 1;
} static void leave__gpuopt_launch(const ::gpuopt_rt::config &, const int *x, int *y, int n, int m);

void all(const float *x, float *y, const int *i, int *o, unsigned *u, int n)
{
    backwards__gpuopt_launch(::gpuopt_rt::config(n + 1, 64), x, y, n);
    sums__gpuopt_launch(::gpuopt_rt::config(dim3((n + 255) / 256, 3), 256, 1024), i, o, n);
    steps__gpuopt_launch(::gpuopt_rt::config(530, 96), o, u, 4);
    leave__gpuopt_launch(::gpuopt_rt::config((n + 95) / 96, 96), i, o, n, 90);
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
#line 7
static __global__ void backwards__gpuopt_coarsening_turns(::gpuopt_rt::plan gpuopt_plan, const float *x, float *y, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::turn gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ float tile[64];
    if (blockIdx.x >= n)
        return;
    tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = tile[63 - threadIdx.x];
}}; _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < gpuopt_plan.n[5]; ++gpuopt_k) { if (gpuopt_k) { __syncthreads(); } gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
static bool backwards__gpuopt_coarsening_turns_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void backwards__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *x, float *y, int n) {
// The launch of a version or of the original is here.
}
#line 17
static __global__ void sums__gpuopt_coarsening_turns(::gpuopt_rt::plan gpuopt_plan, const int *x, int *out, int n)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::turn gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 gridDim = ::gpuopt_rt::as_launched(gpuopt_at.grid); (void)gridDim; {
    extern __shared__ int part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] * (int)(blockIdx.y + 1) : 0;
    meet();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x)
        return;
    out[blockIdx.y * gridDim.x + blockIdx.x] = part[0];
}}; _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < gpuopt_plan.n[5]; ++gpuopt_k) { if (gpuopt_k) { __syncthreads(); } gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); } }
static bool sums__gpuopt_coarsening_turns_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &out, int n) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)out; (void)n; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void sums__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *out, int n) {
// The launch of a version or of the original is here.
}
#line 32
static __global__ void steps__gpuopt_coarsening_turns(::gpuopt_rt::plan gpuopt_plan, int *x, unsigned *most, int rounds)
{ auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan, int rounds) -> void { const ::gpuopt_rt::plugin_coarsening::turn gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (; rounds > 0; --rounds) {
        const int next = x[blockIdx.x * blockDim.x + (threadIdx.x + rounds) % blockDim.x];
        __syncthreads();
        x[at] += next;
        const int large = __syncthreads_count(x[at] > 100);
        if (threadIdx.x == 0)
            most[blockIdx.x] += large;
    }
}}; _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < gpuopt_plan.n[5]; ++gpuopt_k) { if (gpuopt_k) { __syncthreads(); } gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan, rounds); } }
static bool steps__gpuopt_coarsening_turns_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &most, int rounds) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)most; (void)rounds; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void steps__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int *x, unsigned *most, int rounds) {
// The launch of a version or of the original is here.
}
#line 44
static __global__ void leave__gpuopt_coarsening_turns(::gpuopt_rt::plan gpuopt_plan, const int *x, int *y, int n, int m)  // whoever leaves would leave the blocks behind, too
{ bool gpuopt_gone = false; auto gpuopt_body = [&](const ::gpuopt_rt::plan gpuopt_plan) -> void { const ::gpuopt_rt::plugin_coarsening::turn gpuopt_at(gpuopt_plan); (void)gpuopt_at; if (!gpuopt_at.exists) return; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; {
    __shared__ int tile[96];
    const int i = blockIdx.x * 96 + threadIdx.x, next = x[i] % 96;
    if (i >= n || threadIdx.x >= m) {
        { gpuopt_gone = true; return; }
    }
    tile[threadIdx.x] = next;
    __syncthreads();
    y[i] = tile[m - 1 - threadIdx.x] + __syncthreads_or(next > 94);
    if (y[i] & 1)
        return;
    y[i] += 1;
}}; _Pragma("unroll 1") for (unsigned gpuopt_k = 0; gpuopt_k < gpuopt_plan.n[5]; ++gpuopt_k) { if (gpuopt_k) { __syncthreads(); } gpuopt_plan.n[0] = (unsigned short)gpuopt_k; gpuopt_body(gpuopt_plan); if (gpuopt_gone) return; } }
static bool leave__gpuopt_coarsening_turns_holds(const ::gpuopt_rt::config &gpuopt_l, const int *x, int *y, int n, int m) { (void)gpuopt_l; (void)x; (void)y; (void)n; (void)m; 
  return gpuopt_rt::is_index((gpuopt_rt::only(96LL) * gpuopt_rt::below(gpuopt_l.grid.x) + gpuopt_rt::below(gpuopt_l.block.x))) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(n)) &&
         gpuopt_rt::is_index(gpuopt_rt::below(gpuopt_l.block.x)) &&
         gpuopt_rt::is_index(gpuopt_rt::counted(m));
}
static bool leave__gpuopt_coarsening_turns_offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, const gpuopt_rt::unread &x, const gpuopt_rt::unread &y, int n, int m) { (void)gpuopt_l; (void)gpuopt_o; (void)x; (void)y; (void)n; (void)m; 
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 2);
  gpuopt_rt::plugin_coarsening::offer(gpuopt_l, gpuopt_o, 4);
  return true;
}
static void leave__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const int *x, int *y, int n, int m) {
// The launch of a version or of the original is here.
}
#endif
