// gpu: h200
// 64 KB of L1 and all threads that an SM can hold: nothing is short.
__global__ void kernel(float *x)
{
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = s[255 - threadIdx.x];
}
void run(float *x) { kernel<<<100000, 256>>>(x); }
