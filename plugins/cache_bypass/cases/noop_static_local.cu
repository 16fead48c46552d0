// gpu: h200
// A copy would have a variable of its own.
__global__ void kernel(int n, const float *A, const float *u, float *y)
{
    __shared__ static int s; static __device__ int count; count = s;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] + u[j * n + i];
}

void run(int n, float *A, float *u, float *y) { kernel<<<n / 256, 256>>>(n, A, u, y); }
