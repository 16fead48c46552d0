// gpu: h200; policy: factor=2
__global__ void kernel(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    x[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *x) { kernel<<<9, 64>>>(x); }
