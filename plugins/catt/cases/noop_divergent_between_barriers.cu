// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// The loop sits in a loop that threads leave at different times, and no statement around both is safe.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[256];
    for (int k = threadIdx.x; k < n; k += 7) {
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
        if (n > 3)
            __syncthreads();
        tile[threadIdx.x] = y[i];
    }
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
