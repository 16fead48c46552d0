// gpu: h200; policy: l1_bytes=4096, margin=1.0, minimum_warps=1
// run: grid=dim3(2,3) block=dim3(16,16) n=48 A=n*n B=n*n C=n*n
// Warps of 16 x 2 threads: warp numbers follow x, then y.
__global__ void kernel(int n, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        for (int k = 0; k < n; k++)
            C[i * n + j] += A[i * n + k] * B[j * n + k];
}

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 16);
    kernel<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(n, A, B, C);
}
