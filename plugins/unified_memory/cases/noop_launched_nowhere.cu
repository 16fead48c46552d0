// gpu: h200
// No other file can launch a static kernel.
static __global__ void kernel(int n, int m, const float *A, const float *x, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += A[i * n + j] * x[j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}
