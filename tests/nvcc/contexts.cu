// nvcc warns of this in functions, kernels and their instantiations.
template <class T> __device__ T half_of(T v)
{
    T left;
    if (sizeof(T) > 4) return v / 2;
    return left + v;
}
template <class T> __device__ T shifted(T v)
{
    const int k = 40;
    return v + (T)(1 << k) + half_of(v);
}
template <class T, int N> __global__ void sum(const T *a, const T *x, T *y, int n)
{
    int unused;
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    T s = 0;
    unsigned z = N;
    if (z < 0) s = 1;
    for (int c = 0; c < n; c++) s += a[row * n + c] * x[c];
    y[row] = s + shifted(s) + (T)(1 << (N + 40));
}
void run(const float *a, const float *x, float *y, int n)
{
    sum<float, 2><<<64, 256>>>(a, x, y, n);
}
template <class T> void all(const T *a, const T *x, T *y, int n)
{
    sum<T, 3><<<64, 256>>>(a, x, y, n);
}
void more(const double *a, const double *x, double *y, int n) { all(a, x, y, n); }
