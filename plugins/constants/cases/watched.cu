// gpu: h200; learn: on; policy: watch=true
// run: kernel=rows grid=2 block=32 x=64 y=64 width=12 taps=2
// The launches of the first kernel are written down, those of the second could not spare anything.
namespace ns {
template <class T> __global__ void rows(const T *x, T *y, int width, unsigned char taps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < taps; ++k) y[i] += x[i / width + k];
}
}

__global__ void scale(float *y, int n, float factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] *= factor;
}

void all(const float *x, float *y, int width, int taps, int threads)
{
    ns::rows<<<64 / threads, threads>>>(x, y, width, taps);
    scale<<<64 / threads, threads>>>(y, width, 2);
}
