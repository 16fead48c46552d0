// gpu: h200; learn: off
// No model knows which block size is faster.
__global__ void axpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

void all(const float *x, float *y, float a, int n)
{
    axpy<<<(n + 127) / 128, 128>>>(x, y, a, n);
}
