// gpu: h200
// Another file launches it.
__global__ void kernel(int n, const float *A, const float *u, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] + u[j * n + i];
}

