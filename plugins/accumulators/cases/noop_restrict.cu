// The compiler knows already that nothing else is y.
__global__ void k(int n, const float *x, float *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += x[j];
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
