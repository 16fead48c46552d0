// gpu: h200; policy: factor=2
__global__ void kernel(float *x)
{
    __shared__ float s[1024];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[1023 - threadIdx.x];
}
void run(float *x) { kernel<<<9, 1024>>>(x); }
