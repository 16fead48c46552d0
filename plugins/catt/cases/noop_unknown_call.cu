// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// The function is defined elsewhere; it may synchronise.
extern __device__ float next(float);

__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * next(x[j]);
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
