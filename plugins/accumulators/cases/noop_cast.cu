// A cast names the element.
__global__ void k(int n, const int *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        ((int *)y)[i] += x[j];
}
void all(int n, const int *x, float *y) { k<<<1, 64>>>(n, x, y); }
