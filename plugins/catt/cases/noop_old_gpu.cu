// gpu: gtx480; policy: model="paper", margin=1.0
// Before Volta a barrier after an early return is not defined.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<120, 256>>>(n, A, x, y);
}
