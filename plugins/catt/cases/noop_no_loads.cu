// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// The loop works in shared memory only.
__global__ void kernel(float *A, float *y)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = A[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            tile[threadIdx.x] += tile[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = tile[0];
}

void run(float *A, float *y)
{
    kernel<<<64, 256>>>(A, y);
}
