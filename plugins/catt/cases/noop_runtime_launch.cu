// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// Launched by address: the original runs.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    void *arguments[] = {&n, &A, &x, &y};
    cudaLaunchKernel((const void *)kernel, dim3(8), dim3(256), arguments, 0, 0);
}
