// gpu: h200; learn: on; policy: watch=true
// run: kernel=rows grid=2 block=32 x=64 y=64 width=12 taps=2
// The launches of the first kernel are written down, those of the second could not spare anything.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = nullptr) : grid(g), block(b), shared(s), stream(t) {} }; } } namespace ns {
template <class T> __global__ void rows(const T *x, T *y, int width, unsigned char taps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < taps; ++k) y[i] += x[i / width + k];
} template <class T> __attribute__((noinline)) static void rows__gpuopt_launch(const ::gpuopt_rt::config &, const T *x, T *y, int width, unsigned char taps);
}

__global__ void scale(float *y, int n, float factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] *= factor;
}

void all(const float *x, float *y, int width, int taps, int threads)
{
    ns::rows__gpuopt_launch(::gpuopt_rt::config(64 / threads, threads), x, y, width, taps);
    scale<<<64 / threads, threads>>>(y, width, 2);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
namespace ns { 
template <class T> static void rows__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, const T *x, T *y, int width, unsigned char taps) {
// The launch of a version or of the original is here.
}
} 
#endif
