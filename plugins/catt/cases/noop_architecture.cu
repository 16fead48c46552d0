// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// What the kernel does depends on the GPU that it is compiled for.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 800
    x[i] = 0.0f;
#endif
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
