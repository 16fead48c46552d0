// gpu: h200; policy: minimum_gain=3.0
// Losing a little of the reuse is not worth a version here.
__global__ void kernel(int n, const float *A, const float *u, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] + u[j * n + i];
}

void run(int n, float *A, float *u, float *y) { kernel<<<n / 256, 256>>>(n, A, u, y); }
