// gpu: h200; policy: factor=2
__global__ void kernel(float *x)
{
    __shared__ float s[48];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[47 - threadIdx.x];
}
void run(float *x) { kernel<<<9, 48>>>(x); }
