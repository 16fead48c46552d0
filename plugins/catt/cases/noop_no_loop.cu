// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
__global__ void kernel(int n, float *A, float *y)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n)
        y[j] = A[j * n];
}

void run(int n, float *A, float *y)
{
    kernel<<<n / 256, 256>>>(n, A, y);
}
