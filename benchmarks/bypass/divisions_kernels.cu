// The kernels of divisions.cu, which the carve-outs' regression was fitted to, and of unseen.cu: rows walked by threads of
// blocks that also use shared memory. Each is a case of its own.

#define END tile[threadIdx.x] = y[i]; __syncthreads(); y[i] += 0.5f * tile[(threadIdx.x + 1) % blockDim.x];
extern __shared__ float tile[];
__global__ void memory(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j] * x[j];
    END
}
__global__ void registers(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m; ++j)
        sum += A[(size_t)i * m + j] * x[j];
    y[i] = sum;
    END
}
__global__ void two(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m; ++j)
        sum += A[(size_t)i * m + j] * x[j] + B[(size_t)i * m + j];
    y[i] = sum;
    END
}
__global__ void heavy(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m; ++j) {
        float v = A[(size_t)i * m + j];
        for (int k = 0; k < 12; ++k) v = v * x[k] + x[j];
        sum += v;
    }
    y[i] = sum;
    END
}
__global__ void strided(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m; ++j)
        sum += A[(size_t)(i / 4) * m + j] * x[j] + B[(size_t)j * n + i];
    y[i] = sum;
    END
}
