// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=128 n=100 steps=3 A=256*n x=n y=256
// A barrier in an outer loop that all threads make together: the groups go inside it.
__global__ void kernel(int n, int steps, float *A, float *x, float *y)
{
    __shared__ float tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; step++) {
        tile[threadIdx.x] = y[i] * 0.5f;
        __syncthreads();
        if (threadIdx.x > 2) {
            for (int j = 0; j < n; j++) {
                y[i] += A[i * n + j] * x[j] + tile[threadIdx.x - 3];
            }
        }
        __syncthreads();
    }
}

void run(int n, int steps, float *A, float *x, float *y)
{
    kernel<<<2, 128>>>(n, steps, A, x, y);
}
