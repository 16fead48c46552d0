// gpu: h200; learn: on
// run: grid=(n+63)/64 block=64 n=40000 x=n y=n a=1.5f
// Two or four blocks become one; the last of them does not have as many.
__global__ void axpy(const float *x, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] += a * x[i];
}

void all(const float *x, float *y, float a, int n)
{
    axpy<<<(n + 63) / 64, 64>>>(x, y, a, n);
}
