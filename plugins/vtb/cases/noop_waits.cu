// gpu: h200; policy: factor=2
__global__ void kernel(volatile int *flag, float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    while (blockIdx.x && flag[blockIdx.x - 1] == 0);
    __syncthreads();
    x[threadIdx.x] += s[63 - threadIdx.x];
    flag[blockIdx.x] = 1;
}
void run(int *flag, float *x) { kernel<<<9, 64>>>(flag, x); }
