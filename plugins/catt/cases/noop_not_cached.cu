// gpu: gtx680
// Kepler does not keep global loads in L1.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<64, 256>>>(n, A, x, y);
}
