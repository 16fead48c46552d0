// gpu: h200; policy: form="agents"
// Agents cannot run blocks that communicate, return before barriers, or name blockIdx in functions.
__device__ int done;
__device__ int row() { return blockIdx.x; }
__global__ void communicates(int n, const float *x, float *y)
{
    for (int k = 0; k < n; k++) y[blockIdx.x * 64 + threadIdx.x] = x[k];
    if (atomicAdd(&done, 1) == 3) y[0] = 0;
}
__global__ void returns(int n, const float *x, float *y)
{
    __shared__ float all[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < n; k++) all[threadIdx.x] = x[k];
    __syncthreads();
    y[i] = all[0];
}
__global__ void calls(int n, const float *x, float *y)
{
    float s = 0;
    for (int k = 0; k < n; k++) s += x[k];
    y[row() * 64 + threadIdx.x] = s;
}
__global__ void elsewhere(int n, const float *x, float *y)
{
    float s = 0;
    for (int k = 0; k < n; k++) s += x[k];
    y[blockIdx.x * 256 + threadIdx.x] = s;
}
void run(int n, const float *x, float *y)
{
    communicates<<<4, 64>>>(n, x, y);
    returns<<<4, 64>>>(n, x, y);
    calls<<<4, 64>>>(n, x, y);
}
