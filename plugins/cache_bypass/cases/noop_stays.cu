// gpu: h200
// Loads that L1 may serve later, or that cannot be written in another way: each stays.
#define LOAD(p, i) p[i]

__device__ float at(const float *p, int i) { return p[i]; }

__global__ void gemm(int n, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}

__global__ void stencil(int n, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        b[i] += a[j * n + i] + a[j * n + i + 1];
}

__global__ void again(int n, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            b[i] += a[j * n + i];
}

__global__ void written(int n, const volatile float *a, float *b, float **c, int *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        b[j * n + i] += a[j * n + i] + LOAD(d, j * n + i) + at(b, i) + __ldg(&d[j * n + i]);
        atomicAdd(&d[i], 1);
    }
}

void run(int n, float *A, float *B, float *C, float **c, int *d)
{
    gemm<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, A, B, C);
    stencil<<<n / 256, 256>>>(n, A, B);
    again<<<n / 256, 256>>>(n, A, B);
    written<<<n / 256, 256>>>(n, A, B, c, d);
}
