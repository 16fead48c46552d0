// gpu: h200
// A tiled product: every line is read once per block, whatever the size of L1.
__global__ void kernel(int n, const float *A, const float *B, float *C)
{
    __shared__ float a[16][16], b[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        a[y][x] = A[i * n + k + x];
        b[y][x] = B[(k + y) * n + j];
        __syncthreads();
        for (int t = 0; t < 16; ++t)
            sum += a[y][t] * b[t][x];
        __syncthreads();
    }
    C[i * n + j] = sum;
}

void run(int n, float *A, float *B, float *C) { kernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, A, B, C); }
