// learn: on
// run: kernel=sums<float> grid=2 block=64 n=120 x=2*n y=n z=n
// run: kernel=sums<int> grid=2 block=64 n=120 x=2*n y=n z=n
// The loads behind the first store; a function reads through the pointer, too.
template <class T> __device__ T at(const T *x, int i)
{
    return x[i] * T(3);
}

template <class T> __global__ void sums(int n, T const* x, T *y, T *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = x[i] + x[i + n];
    z[i] = x[i] * x[i + n] - at(x, i);
}

void all(int n, const float *x, float *y, float *z, const int *a, int *b, int *c)
{
    sums<float><<<2, 64>>>(n, x, y, z);
    sums<int><<<2, 64>>>(n, a, b, c);
}
