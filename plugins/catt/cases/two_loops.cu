// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=300 A=512*n B=512*n x=n y=512
// Two loops with a barrier between them: a slot of the plan for each.
__global__ void kernel(int n, float *A, float *B, float *x, float *y)
{
    __shared__ float last[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        y[i] += A[i * n + j] * x[j];
    }
    last[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += last[255 - threadIdx.x];
    for (int j = 0; j < n; j++) {
        y[i] += B[i * n + j];
    }
}

void run(int n, float *A, float *B, float *x, float *y)
{
    kernel<<<2, 256>>>(n, A, B, x, y);
}
