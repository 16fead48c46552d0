// gpu: h200; policy: l1_bytes=4096, margin=1.0, minimum_warps=1
__global__ void kernel(float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 8; j++)
        y[i] += A[i * 64 + j];
}

void run(float *A, float *y)
{
    kernel<<<256, 256>>>(A, y);
}
