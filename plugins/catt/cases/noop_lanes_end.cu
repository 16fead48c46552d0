// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// Behind the loop, the threads that have returned are waited for no more by those that exchange data.
__global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    for (int j = 0; j < n; j++)
        v += A[i * n + j];
    if (v < 0)
        return;
    y[i] = v + __popc(__ballot_sync(0xffffffffu, v > 1.5f));
}

void run(int n, float *A, float *y)
{
    kernel<<<2112, 256>>>(n, A, y);
}
