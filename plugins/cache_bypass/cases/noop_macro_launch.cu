// gpu: h200
// A launch out of a macro cannot be changed.
#define GO(n, A, u, y) kernel<<<n / 256, 256>>>(n, A, u, y)
__global__ void kernel(int n, const float *A, const float *u, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] + u[j * n + i];
}

void run(int n, float *A, float *u, float *y) { GO(n, A, u, y); }
