// gpu: h200; policy: factor=2
__global__ void kernel(int n, float *x)
{
    __shared__ float s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = s[63 - threadIdx.x];
}
void run(int n, float *x) { kernel<<<9, 64>>>(n, x); }
