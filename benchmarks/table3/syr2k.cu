// C += alpha (A B^T + B A^T), N = 2K: an element per thread. The block is 8 x 32 threads (the paper gives 8 warps only).
#define N 2048

__global__ void syr2k_kernel(float alpha, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < N && j < N) {
        for (int k = 0; k < N; k++) {
            C[i * N + j] += alpha * A[i * N + k] * B[j * N + k] + alpha * B[i * N + k] * A[j * N + k];
        }
    }
}

void run(float *A, float *B, float *C)
{
    dim3 block(8, 32);
    dim3 grid(N / 8, N / 32);
    syr2k_kernel<<<grid, block>>>(1.5f, A, B, C);
}
