// The elements that are read may be the one that is written.
__global__ void k(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += y[j] * x[j];
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
