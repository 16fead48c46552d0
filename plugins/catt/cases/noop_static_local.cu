// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// A static local variable would exist twice.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    static __device__ int count;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
    count = n;
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
