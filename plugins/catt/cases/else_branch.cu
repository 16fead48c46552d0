// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1, fixed_tlp=[2, 0]
// run: grid=2 block=256 n=300 mode=0 A=512*n x=n y=512
// run: grid=2 block=256 n=300 mode=1 A=512*n x=n y=512
// Loops as the bodies of an if and its else, without braces.
__global__ void kernel(int n, int mode, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mode)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    else
        for (int j = n - 1; j >= 0; j--)
            if (x[j] > 0.0f)
                y[i] -= A[i * n + j];
            else
                y[i] += x[j];
}

void run(int n, int mode, float *A, float *x, float *y)
{
    kernel<<<2, 256>>>(n, mode, A, x, y);
}
