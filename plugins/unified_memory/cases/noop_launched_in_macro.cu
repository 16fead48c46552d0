// gpu: h200
// No other file can launch a static kernel, and the launch here is written in a macro.
#define LAUNCH(grid, block) kernel<<<grid, block, block * sizeof(float)>>>
static __global__ void kernel(int n, int m, const float *A, const float *x, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += A[i * n + j] * x[j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}
void run(const float *A, const float *x, float *y) { LAUNCH(64, 128)(32, 32, A, x, y); }
