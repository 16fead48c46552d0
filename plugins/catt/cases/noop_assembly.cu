// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// Inline assembly may hold a barrier.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        y[i] += A[i * n + j] * x[j];
        asm volatile("bar.warp.sync 0xffffffff;");
    }
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
