// Which element is meant is a variable of the loop's own.
__global__ void k(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j) {
        const int at = 2 * i;
        y[at] += x[j];
    }
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
