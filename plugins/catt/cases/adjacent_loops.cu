// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=100 A=512*n B=512*n y=512
// One loop right behind the other: the end of the first is the beginning of the second.
__global__ void kernel(int n, float *A, float *B, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j];
    for (int j = 0; j < n; j++)
        y[i] += B[i * n + j];
}

void run(int n, float *A, float *B, float *y)
{
    kernel<<<2, 256>>>(n, A, B, y);
}
