// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// A kernel with goto is left alone as a whole.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 1000000)
        goto done;
    for (int j = 0; j < n; j++) {
        y[i] += A[i * n + j] * x[j];
    }
done:
    x[i] = y[i];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
