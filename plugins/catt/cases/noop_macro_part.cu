// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// The macro holds the head of the loop and a statement in front of it: no range of bytes is the loop alone.
#define WALK(j) i = i < n ? i : n - 1; for (int j = 0; j < n; j++)

__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    WALK(j) y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<64, 256>>>(n, A, x, y);
}
