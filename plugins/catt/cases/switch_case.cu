// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=1 block=256 n=100 mode=1 A=256*n x=n y=256
// run: grid=1 block=256 n=100 mode=2 A=256*n x=n y=256
// A loop behind a case label.
__global__ void kernel(int n, int mode, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (mode) {
    case 1:
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
        break;
    default:
        y[i] = 1.0f;
    }
}

void run(int n, int mode, float *A, float *x, float *y)
{
    kernel<<<1, 256>>>(n, mode, A, x, y);
}
