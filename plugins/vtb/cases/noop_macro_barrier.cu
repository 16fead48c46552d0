// gpu: h200; policy: factor=2
#define SYNC __syncthreads()
__global__ void kernel(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    SYNC;
    x[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *x) { kernel<<<9, 64>>>(x); }
