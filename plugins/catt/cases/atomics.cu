// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=100 A=512*n bins=16
// Atomics in a loop of known length wait for nobody.
__global__ void kernel(int n, const float *A, int *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        atomicAdd(&bins[(int)(A[i * n + j] * 15.0f) & 15], 1);
    }
}

void run(int n, float *A, int *bins)
{
    kernel<<<2, 256>>>(n, A, bins);
}
