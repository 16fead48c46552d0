// gpu: h200; policy: pick="always"
// run: kernel=fill<int> grid=2 block=32 x=64 n=3 by=2
// run: kernel=fill<float> grid=3 block=64 x=192 n=5 by=4
// Instantiations have numbers of their own.
template <class T>
__global__ void fill(T *x, T n, int by = 7)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = n / (T)by;
}

void run(int *x, float *y)
{
    fill<<<2, 32>>>(x, 3, 2);
    fill<float><<<3, 64>>>(y, 5.0f, 4);
}
