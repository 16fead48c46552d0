// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=8 block=256 n=100 A=2048*n x=n y=2048
// Only the head of the loop comes out of a macro.
#define ALONG(j) for (int j = 0; j < n; j++)

__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ALONG(j) y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<8, 256>>>(n, A, x, y);
}
