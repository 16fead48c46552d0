// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// A volatile flag: one warp may wait for another.
__global__ void kernel(int n, volatile int *flag, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        while (threadIdx.x >= 32 && flag[0] < j)
            ;
        y[i] += A[i * n + j] * x[j];
        if (threadIdx.x == 0)
            flag[0] = j;
    }
}

void run(int n, volatile int *flag, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, flag, A, x, y);
}
