// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=1 block=256 n=64 A=256*n y=256
// Shuffles and votes inside meet the same lanes as before: a warp is never split.
__global__ void kernel(int n, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        float v = A[i * n + j];
        v += __shfl_down_sync(0xffffffffu, v, 1);
        if (__any_sync(0xffffffffu, v > 1.5f))
            y[i] += v;
        __syncwarp();
    }
}

void run(int n, float *A, float *y)
{
    kernel<<<1, 256>>>(n, A, y);
}
