// Kernels of the cache-insensitive group: their footprints fit, or no iteration finds a line of the one before.
#define N 1024
#define HALF 512

__global__ void gram_kernel(float *a, float *r, float *q, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < 2048) {
        r[k * 2048 + j] = 0.0f;
        for (int i = 0; i < 2048; i++) {
            r[k * 2048 + j] += q[i * 2048 + k] * a[i * 2048 + j];
        }
        for (int i = 0; i < 2048; i++) {
            a[i * 2048 + j] -= q[i * 2048 + k] * r[k * 2048 + j];
        }
    }
}

__global__ void syrk_kernel(float alpha, float *A, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < N && j < N) {
        for (int k = 0; k < N; k++) {
            C[i * N + j] += alpha * A[i * N + k] * A[j * N + k];
        }
    }
}

__global__ void gemm_kernel(float alpha, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < HALF && j < HALF) {
        for (int k = 0; k < HALF; k++) {
            C[i * HALF + j] += alpha * A[i * HALF + k] * B[k * HALF + j];
        }
    }
}

__global__ void mm2_kernel(float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < N && j < N) {
        for (int k = 0; k < N; k++) {
            C[i * N + j] += A[i * N + k] * B[k * N + j];
        }
    }
}

__global__ void hotspot3d_kernel(float *in, float *out, float *power)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < HALF - 1 && y > 0 && y < HALF - 1) {
        int c = x + y * HALF;
        for (int z = 1; z < 7; z++) {
            int at = c + z * HALF * HALF;
            out[at] = 0.4f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - HALF] + in[at + HALF])
                      + 0.1f * (in[at - HALF * HALF] + in[at + HALF * HALF]) + power[at];
        }
    }
}

__global__ void backprop_kernel(float *input, float *weights, float *partial)
{
    __shared__ float node[16];
    __shared__ float matrix[16][16];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    if (tx == 0) {
        node[ty] = input[16 * blockIdx.y + ty + 1];
    }
    __syncthreads();
    matrix[ty][tx] = weights[(16 * blockIdx.y + ty + 1) * 17 + tx + 1];
    __syncthreads();
    for (int i = 1; i <= 4; i++) {
        int two = 1 << i;
        if (ty % two == 0) {
            matrix[ty][tx] += matrix[ty + two / 2][tx];
        }
        __syncthreads();
    }
    if (tx == 0) {
        partial[blockIdx.y * 16 + ty] = matrix[tx][ty] * node[ty];
    }
}

__global__ void lud_kernel(float *m, int offset)
{
    __shared__ float row[16][16];
    __shared__ float column[16][16];
    int at = offset + (blockIdx.y + 1) * 16;
    row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * 256 + at + threadIdx.x];
    column[threadIdx.y][threadIdx.x] = m[(at + threadIdx.y) * 256 + offset + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 16; i++) {
        sum += column[threadIdx.y][i] * row[i][threadIdx.x];
    }
    m[(at + threadIdx.y) * 256 + at + threadIdx.x] -= sum;
}

void run(float *a, float *b, float *c)
{
    gram_kernel<<<8, 256>>>(a, b, c, 0);
    syrk_kernel<<<dim3(N / 8, N / 32), dim3(8, 32)>>>(1.5f, a, c);
    gemm_kernel<<<dim3(HALF / 32, HALF / 8), dim3(32, 8)>>>(1.5f, a, b, c);
    mm2_kernel<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(a, b, c);
    hotspot3d_kernel<<<dim3(HALF / 64, HALF / 4), dim3(64, 4)>>>(a, b, c);
    backprop_kernel<<<dim3(1, 4096), dim3(16, 16)>>>(a, b, c);
    lud_kernel<<<dim3(15, 15), dim3(16, 16)>>>(a, 0);
}
