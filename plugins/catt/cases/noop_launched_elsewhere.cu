// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// No launch of it in this file.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}
