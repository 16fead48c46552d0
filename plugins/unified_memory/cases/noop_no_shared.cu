// gpu: h200
// No shared memory: the driver leaves L1 as large as it can be.
__global__ void kernel(int n, const float *A, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += A[i * n + j];
}

void run(int n, float *A, float *y) { kernel<<<528, 256>>>(n, A, y); }
