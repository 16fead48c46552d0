// The header cannot be evaluated twice.
__global__ void k(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (n-- > 0)
        y[i] += x[0];
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
