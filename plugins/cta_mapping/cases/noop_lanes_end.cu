// gpu: h200; policy: form="agents"
// The first row of a warp exchanges data by a mask of all of it, and the second one ends.
__global__ void kernel(int n, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += A[i * n + k] * B[k * n + j];
    if (threadIdx.y % 2 == 0) {
        s += __shfl_down_sync(0xffffffffu, s, 8, 16);
        C[i * n + j] = s;
    }
}

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 8);
    kernel<<<dim3(n / 16, n / 8), block>>>(n, A, B, C);
}
