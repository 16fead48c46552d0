// The same bytes as a number and as an integer.
__global__ void k(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j) {
        *reinterpret_cast<int *>(&y[i]) += 1;
        y[i] += x[j];
    }
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
