// gpu: h200
// Coalesced: a few lines per warp, whatever the launch.
__global__ void kernel(int n, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}

void run(int n, float *A, float *B, float *C)
{
    kernel<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, A, B, C);
}
