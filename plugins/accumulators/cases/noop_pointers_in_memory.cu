// The rows' addresses are in memory.
__global__ void k(int n, const float *const *rows, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += rows[i][j];
}
void all(int n, const float *const *rows, float *y) { k<<<1, 64>>>(n, rows, y); }
