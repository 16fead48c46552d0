// gpu: h200; learn: on
// run: kernel=backwards grid=601 block=64 n=600 x=n*64 y=n*64
// run: kernel=sums grid=(n+255)/256,3 block=256 shared=1024 n=70000 x=n out=274*3
// run: kernel=steps grid=530 block=96 rounds=4 x=530*96 most=530
// run: kernel=leave grid=(n+95)/96 block=96 n=60000 m=90 x=n+96 y=n+96
// Blocks that share memory and meet at barriers: one after the other, with a barrier in between.
__global__ void backwards(const float *x, float *y, int n)
{
    __shared__ float tile[64];
    if (blockIdx.x >= n)
        return;
    tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = tile[63 - threadIdx.x];
}
__device__ void meet() { __syncthreads(); }
__global__ void sums(const int *x, int *out, int n)
{
    extern __shared__ int part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] * (int)(blockIdx.y + 1) : 0;
    meet();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x)
        return;
    out[blockIdx.y * gridDim.x + blockIdx.x] = part[0];
}
__global__ void steps(int *x, unsigned *most, int rounds)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (; rounds > 0; --rounds) {
        const int next = x[blockIdx.x * blockDim.x + (threadIdx.x + rounds) % blockDim.x];
        __syncthreads();
        x[at] += next;
        const int large = __syncthreads_count(x[at] > 100);
        if (threadIdx.x == 0)
            most[blockIdx.x] += large;
    }
}
__global__ void leave(const int *x, int *y, int n, int m)  // whoever leaves would leave the blocks behind, too
{
    __shared__ int tile[96];
    const int i = blockIdx.x * 96 + threadIdx.x, next = x[i] % 96;
    if (i >= n || threadIdx.x >= m) {
        return;
    }
    tile[threadIdx.x] = next;
    __syncthreads();
    y[i] = tile[m - 1 - threadIdx.x] + __syncthreads_or(next > 94);
    if (y[i] & 1)
        return;
    y[i] += 1;
}

void all(const float *x, float *y, const int *i, int *o, unsigned *u, int n)
{
    backwards<<<n + 1, 64>>>(x, y, n);
    sums<<<dim3((n + 255) / 256, 3), 256, 1024>>>(i, o, n);
    steps<<<530, 96>>>(o, u, 4);
    leave<<<(n + 95) / 96, 96>>>(i, o, n, 90);
}
