// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// A barrier in the loop: warps of another group would not reach it.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[256];
    for (int j = 0; j < n; j++) {
        tile[threadIdx.x] = A[i * n + j];
        __syncthreads();
        y[i] += tile[255 - threadIdx.x] * x[j];
        __syncthreads();
    }
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
