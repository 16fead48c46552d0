// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// Warps may wait for one that holds the lock, and that one may be in a later group.
__global__ void kernel(int n, int *lock, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        y[i] += A[i * n + j] * x[j];
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        x[0] += 1.0f;
        atomicExch(lock, 0);
    }
}

void run(int n, int *lock, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, lock, A, x, y);
}
