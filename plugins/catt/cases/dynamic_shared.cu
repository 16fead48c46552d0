// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 shared=1024 n=100 A=512*n x=n y=512
// The launch's own dynamic shared memory stays what it is.
extern __shared__ float tile[];

__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = y[i];
    __syncthreads();
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j] + tile[255 - threadIdx.x];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<2, 256, 256 * sizeof(float)>>>(n, A, x, y);
}
