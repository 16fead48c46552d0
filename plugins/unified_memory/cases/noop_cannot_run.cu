// gpu: h200
// Launches that fail: no blocks, no threads, more threads or more shared memory than a block may have.
__global__ void kernel(int n, const float *A, const float *x, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += A[i * n + j] * x[j];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[threadIdx.x ^ 1];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<0, 256, 16384>>>(n, A, x, y);
    kernel<<<dim3(4, 0), 256, 16384>>>(n, A, x, y);
    kernel<<<4, 0, 16384>>>(n, A, x, y);
    kernel<<<4, 2048, 16384>>>(n, A, x, y);
    kernel<<<4, 256, 300000>>>(n, A, x, y);
}
