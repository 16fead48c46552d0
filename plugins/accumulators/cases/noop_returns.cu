// The sum must be in memory where the thread leaves.
__global__ void k(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j) {
        y[i] += x[j];
        if (x[j] < 0) return;
    }
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
