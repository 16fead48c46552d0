// run: grid=2 block=64 n=100 m=12 x=n y=n
// The loop keeps its pragma; the loop is the only statement of an `if`, and another one follows at once.
__global__ void twice(int n, int m, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
#pragma unroll 4
        for (int j = 0; j < m; ++j) y[i] += x[i] * j;
    if (i < n - 1) for (int j = m; j > 0; j--) { y[i] = y[i] * 0.5f + x[i + 1]; } else y[i] = 0;
}

void all(int n, int m, const float *x, float *y)
{
    twice<<<2, 64>>>(n, m, x, y);
}
