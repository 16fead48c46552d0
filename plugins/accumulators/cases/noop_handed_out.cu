// A function writes the element where a pointer says: no text names it.
__global__ void parts(float *x, const float *y, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        sincosf(y[i + j], x + i, x + i + 1024);
}

void all(float *x, const float *y, int m)
{
    parts<<<4, 64>>>(x, y, m);
}
