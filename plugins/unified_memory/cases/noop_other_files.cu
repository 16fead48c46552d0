// gpu: h200
// Only other files' launches can get a version, which would be compiled beside the kernel, used or not.
#define LAUNCH(grid, block) kernel<<<grid, block, block * sizeof(float)>>>
__global__ void kernel(const float *x, float *y, int n)
{
    extern __shared__ float s[];
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[(blockIdx.x * blockDim.x + threadIdx.x) * n + i];
    s[threadIdx.x] = sum;
    y[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
void run(const float *x, float *y) { LAUNCH(64, 128)(x, y, 32); }
