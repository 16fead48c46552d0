// gpu: h200; learn: on
// run: grid=(n+127)/128 block=128 n=40000 x=n y=n a=1.5f
// Blocks in a row: halves, quarters and eighths of four warps, and pairs and fours of blocks; the last block is not full.
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
