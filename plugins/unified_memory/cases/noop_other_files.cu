// gpu: h200
// Only other files can launch the kernel: a version would be compiled beside it, used or not.
__global__ void kernel(const float *x, float *y, int n)
{
    extern __shared__ float s[];
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[(blockIdx.x * blockDim.x + threadIdx.x) * n + i];
    s[threadIdx.x] = sum;
    y[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
