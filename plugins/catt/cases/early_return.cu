// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=(n+255)/256 block=256 n=300 A=n*n x=n y=n
// Threads that have returned are not waited for (compute capability 7.0 and later).
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<(n + 255) / 256, 256>>>(n, A, x, y);
}
