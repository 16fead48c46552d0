// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// A column per thread: every iteration reads new lines.
__global__ void kernel(int n, float *A, float *y)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += A[i * n + j];
    y[j] = sum;
}

void run(int n, float *A, float *y)
{
    kernel<<<n / 256, 256>>>(n, A, y);
}
