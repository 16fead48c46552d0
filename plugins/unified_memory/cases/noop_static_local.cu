// gpu: h200
// A copy would have a variable of its own.
__global__ void kernel(int n, const float *A, float *y)
{
    static __device__ int count;
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += A[i * n + j];
    tile[threadIdx.x] = y[i] + count++;
}

void run(int n, float *A, float *y) { kernel<<<528, 256, 24576>>>(n, A, y); }
