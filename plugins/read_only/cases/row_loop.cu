// learn: on
// run: grid=2 block=64 n=120 m=10 x=m*n w=m y=m*n
// A store in each iteration stands in the way of the next iteration's loads.
__global__ void scale(int n, int m, const float *x, float *w, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[j * n + i] = x[j * n + i] * w[j] + 1.0f;
}

void all(int n, int m, const float *x, float *w, float *y)
{
    scale<<<2, 64>>>(n, m, x, w, y);
}
