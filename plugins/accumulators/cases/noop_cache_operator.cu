// A function stores the element, past a cache.
__global__ void k(int n, float c, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j) {
        y[i] += x[j];
        __stcg(&y[i], y[i] * c);
    }
}
void all(int n, float c, const float *x, float *y) { k<<<1, 64>>>(n, c, x, y); }
