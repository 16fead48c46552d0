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
__global__ void axpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
}
__global__ void widen(const short *in, double *out, int *sums, unsigned n)
{
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        const short value = in[i];
        out[i] = value;
        out[i] *= 0.5;
        sums[i + 8] = value + gridDim.x;
    }
}
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
}
__global__ void below(const double *in, double *out, int w, int h)  // rows of any length: each thread looks
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        const double sum = in[y * w + x] + in[(y + 1) * w + x] + in[(y + 2) * w + x + 1];
        out[(y + 1) * w + x] = sum + gridDim.y;
    }
}
__global__ void blocks(const int *x, int *y, int w)  // whatever block they are in
{
    if (threadIdx.x < w && blockIdx.x > 2)
        y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * w + threadIdx.x] + x[threadIdx.x];
}
struct Pair { int value; __host__ __device__ Pair &operator=(int v) { value = v; return *this; } };
template <class A, class B> __global__ void convert(const A *x, B *y, int n)  // the last instance has no vectors of y
{
    if (AT < n)
        y[AT] = (int)x[AT];
}
template <class T> __global__ void twice(T *__restrict__ x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] = x[i] + x[i];
}

void all(const float *x, float *y, float a, int n, const short *s, double *d, int *i)
{
    axpy<<<(n + 63) / 64, 64>>>(x, y, a, n);
    widen<<<700, 96>>>(s, d, i, n);
    planes<<<dim3(300, 3), dim3(32, 4)>>>(i, x, y, n, 11);
    below<<<dim3(16, 60), dim3(32, 4)>>>(d, d, n, n);
    blocks<<<600, 64>>>(i, (int *)y, 64);
    twice<<<600, 64>>>(y, n);
    twice<<<600, 64>>>(d, n);
    convert<<<600, 64>>>(x, d, n);
    convert<<<600, 64>>>((const long *)d, y, n);
    convert<<<600, 64>>>(x, (Pair *)y, n);
}
