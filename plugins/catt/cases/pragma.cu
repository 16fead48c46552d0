// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=(n+255)/256 block=256 n=300 A=n*n x=n y=n
// The pragma stays in front of its loop, comments stay where they are.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // a row per thread
    i = i < n ? i : n - 1;
    float sum = 0.0f; /* of the row */
#pragma unroll 1
    // the walk
    for (int j = 0; j < n; j++) // along the row
        sum += A[i * n + j] * x[j]; // no store in here, but no unrolling either
    // done
    y[i] = sum;
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<(n + 255) / 256, 256>>>(n, A, x, y);
}
