// gpu: h200; policy: factor=2, form="turns"
// run: grid=4 block=64 n=256 a=n x=n
// Brackets and braces as digraphs, in the kernel and in the function that a version has a copy of.
__device__ float scaled(const float *a, int j)
<%
    __syncthreads();
    return a<:j + threadIdx.x:> * 2;
%>
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(const float *a, float *x, int n)
<%
    __shared__ float tile<:64:>;
    float s = 0;
    for (int j = 0; j < n; j += 64)
    <%
        tile<:threadIdx.x:> = scaled(a, j);
        __syncthreads();
        for (int q = 0; q < 64; q++) <% s += tile<:q:>; %>
        __syncthreads();
    %>
    x<:blockIdx.x * blockDim.x + threadIdx.x:> = s;
%> static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, const float *a, float *x, int n);

void run(const float *a, float *x, int n) { kernel__gpuopt_launch(::gpuopt_rt::config(n / 64, 64), a, x, n); }
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
static __device__ float scaled__gpuopt_vtb_81fe66(::gpuopt_rt::plan gpuopt_plan, const float *a, int j)
<% const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan); (void)gpuopt_at; const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; {
    gpuopt_at.sync();
    return a<:j + threadIdx.x:> * 2;
}%>
#line 9
static __global__ void kernel__gpuopt_vtb(::gpuopt_rt::plan gpuopt_plan, const float *a, float *x, int n)
<% __shared__ unsigned gpuopt_gone; const ::gpuopt_rt::plugin_vtb::place<8, true> gpuopt_at(gpuopt_plan, &gpuopt_gone); if (!gpuopt_at.exists) return; gpuopt_at.begin(); const ::uint3 threadIdx = ::gpuopt_rt::as_launched(gpuopt_at.thread); (void)threadIdx; const ::uint3 blockIdx = ::gpuopt_rt::as_launched(gpuopt_at.block); (void)blockIdx; const ::dim3 blockDim = ::gpuopt_rt::as_launched(gpuopt_at.size); (void)blockDim; {
    __shared__ float tile<:64:>;
    float s = 0; gpuopt_at.enter();
    for (int j = 0; j < n; j += 64)
    <%
        tile<:threadIdx.x:> = scaled__gpuopt_vtb_81fe66(gpuopt_plan, a, j);
        gpuopt_at.sync();
        for (int q = 0; q < 64; q++) <% s += tile<:q:>; %>
        gpuopt_at.sync();
    %> gpuopt_at.leave();
    x<:blockIdx.x * blockDim.x + threadIdx.x:> = s;
}%>
static bool kernel__gpuopt_vtb_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, const gpuopt_rt::unread &a, const gpuopt_rt::unread &x, int n) { (void)gpuopt_l; (void)gpuopt_c; (void)a; (void)x; (void)n; 
  if (!((gpuopt_l.block.x == 64 && gpuopt_l.block.y == 1 && gpuopt_l.block.z == 1))) return false;
  const gpuopt_rt::plugin_vtb::phases vtb_p = { (double)(240LL) / 10, (double)(((20608LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 30LL)) / 10, (double)(((938LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 28LL)), (double)(0LL), (double)(0LL), (double)((0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))), 693.0, (double)(1LL), (double)(0LL), (double)(240LL) / 10 - (double)(0LL) * 406 / 4, (double)(((20608LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL))) + 30LL)) / 10 - (double)((4LL * (0LL > (((long long)(n) + 63LL) / 64LL) ? 0LL : (((long long)(n) + 63LL) / 64LL)))) * 406 / 4, 287.0 };
  const gpuopt_rt::plugin_vtb::rules vtb_r = { 1u, 2u, 8u, 4u, 1.25 };
  return gpuopt_rt::plugin_vtb::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const float *a, float *x, int n) {
// The launch of a version or of the original is here.
}
#endif
