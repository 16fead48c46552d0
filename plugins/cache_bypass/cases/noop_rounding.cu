// gpu: h200
// Two products in one sum: nvcc might fuse the other one.
__global__ void kernel(int n, const float *A, const float *x, const float *u, const float *v, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[(size_t)i * n + j] * x[j] + u[(size_t)j * n + i] * v[j * n + i];
}

void run(int n, float *A, float *x, float *u, float *v, float *y) { kernel<<<n / 256, 256>>>(n, A, x, u, v, y); }
