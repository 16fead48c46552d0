// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// continue leaves what would run in groups, and the loop around it holds a barrier.
__global__ void kernel(int n, int steps, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        if (x[s + i / 1024] > 0.5f) {
            for (int j = 0; j < n; j++)
                y[i] += A[i * n + j];
            continue;
        }
        __syncthreads();
        y[i] = x[s];
    }
}

void run(int n, int steps, float *A, float *x, float *y)
{
    kernel<<<64, 256>>>(n, steps, A, x, y);
}
