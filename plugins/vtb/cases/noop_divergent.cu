// gpu: h200; policy: factor=2
__global__ void kernel(int n, float *x)
{
    __shared__ float s[64];
    if (threadIdx.x < n) {
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[63 - threadIdx.x];
    }
}
void run(int n, float *x) { kernel<<<9, 64>>>(n, x); }
