// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=100 A=512*n y=512
// A walk that stays inside of its row: nearly everywhere, it is the walk without the clamp.
__global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + min(j + 1, n - 1)];
}

void run(int n, float *A, float *y)
{
    kernel<<<2, 256>>>(n, A, y);
}
