// gpu: h200; learn: on
// Threads that have returned would be missed by those that are still in their block.
__global__ void early(const float *x, float *y, int n)  // has done something already
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    if (i >= n)
        return;
    __shared__ float tile[64];
    tile[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = tile[63 - threadIdx.x];
}
__global__ void first(int *x, int n)  // others have work in the blocks behind
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        return;
    __syncthreads();
    x[i] += 1;
}
__global__ void nested(int *x, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 5) {
        if (i >= n)
            return;
    }
    if (i == m || i >= n + m)
        return;
    __syncthreads();
    x[i] += 1;
}
__global__ void lanes(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x[i] += __shfl_down_sync(__activemask() | ~0u, x[i], 1);
}
__global__ void fewer(const int *x, int *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > 3)
        return;
    y[i] += __shfl_down_sync(~0u, x[i], 1);
}
__global__ void looped(int *x, int n)
{
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (x[blockIdx.x * blockDim.x + threadIdx.x] == k)
            return;
    }
}
__global__ void named(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    asm volatile("bar.sync 1, 64;");
    x[blockIdx.x * blockDim.x + (threadIdx.x ^ 1)] += 1;
}
__global__ void exits(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (x[0])
        asm volatile("exit;");
    x[blockIdx.x * blockDim.x + threadIdx.x] = 2;
}

void all(const float *x, float *y, int *i, int n)
{
    early<<<300, 64>>>(x, y, n);
    lanes<<<300, 64>>>(i, n);
    first<<<300, 64>>>(i, n);
    nested<<<300, 64>>>(i, n, n);
    fewer<<<300, 64>>>(i, i);
    looped<<<300, 64>>>(i, n);
    named<<<300, 64>>>(i);
    exits<<<300, 64>>>(i);
}
