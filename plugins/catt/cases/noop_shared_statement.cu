// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// What would run in groups holds a longer loop that fits.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < 32; j++)
            y[i] += A[i * 64 + j];
        for (int j = 0; j < n; j++)
            y[i] += x[j * n + i];
    }
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
