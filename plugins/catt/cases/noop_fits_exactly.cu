// gpu: titan-v; policy: model="paper", margin=1.0
// 8 warps of 34 lines each on an SM: 34 KB.
__global__ void kernel(float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4096; j++)
        tmp[i] += A[i * 4096 + j] * x[j];
}

void run(float *A, float *x, float *tmp)
{
    kernel<<<80, 256>>>(A, x, tmp);
}
