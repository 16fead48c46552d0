// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=300 A=512*n y=512
// Some threads leave a do ... while (0) early: it runs in groups as a whole.
__global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    do {
        if (i >= n)
            break;
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j];
    } while (0);
}

void run(int n, float *A, float *y)
{
    kernel<<<2, 256>>>(n, A, y);
}
