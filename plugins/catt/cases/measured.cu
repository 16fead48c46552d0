// gpu: h200; learn: on
// run: grid=(n+255)/256 block=256 n=2000 A=n*64 x=64 y=n
// The footprint is a little more than L1: the model leaves the loop alone, and a measurement may find otherwise.
__global__ void kernel(const float *A, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < 64; ++j)
        sum += A[i * 64 + j] * x[j];
    y[i] = sum;
}

void all(const float *A, const float *x, float *y, int n)
{
    kernel<<<(n + 255) / 256, 256>>>(A, x, y, n);
}
