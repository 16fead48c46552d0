// gpu: titan-v; policy: blocks=2
// run: grid=4 block=256 n=1000 a=2.0f x=n y=n
// run: grid=1 block=256 n=256 a=0.5f x=n y=n
__global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

void axpy_all(int n, float a, const float *x, float *y)
{
    axpy<<<(n + 255) / 256, 256>>>(n, a, x, y);
}
