// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=1 block=256 n=32 A=256*n y=256
// A plan has eight slots: the ninth loop stays as it is.
__global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 1.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 2.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 3.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 4.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 5.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 6.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 7.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 8.0f;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * 9.0f;
}

void run(int n, float *A, float *y)
{
    kernel<<<1, 256>>>(n, A, y);
}
