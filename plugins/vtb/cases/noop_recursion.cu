// gpu: h200; policy: factor=2
__device__ void merge(int *s, int n)
{
    __syncthreads();
    if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
    if (n > 1) merge(s, n / 2);
}
__global__ void kernel(int *x)
{
    __shared__ int s[64];
    s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    merge(s, 32);
    x[blockIdx.x * 64 + threadIdx.x] = s[0];
}
void run(int *x) { kernel<<<100, 64>>>(x); }
