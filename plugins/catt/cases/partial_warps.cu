// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1, fixed_tlp=[1, 0]
// run: grid=3 block=100 n=64 A=300*n x=n y=300
// A block of 100 threads has four warps, the last of four threads.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<3, 100>>>(n, A, x, y);
}
