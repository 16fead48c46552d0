// gpu: h200; learn: on
// run: kernel=neighbours grid=601 block=64 x=601*64
// run: kernel=votes grid=301 block=96 x=301*96 y=301*3
// Threads that exchange data with those of their warp, which stay together.
__global__ void neighbours(int *x)
{
    int value = x[blockIdx.x * 64 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    __syncwarp();
    x[blockIdx.x * 64 + threadIdx.x] += value;
}
__global__ void votes(const unsigned *x, unsigned *y)
{
    const unsigned set = __ballot_sync(~0u, x[blockIdx.x * blockDim.x + threadIdx.x] & 1);
    if (threadIdx.x % 32)
        return;
    y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = set;
}

void all(int *x, unsigned *u, unsigned *v)
{
    neighbours<<<601, 64>>>(x);
    votes<<<301, 96>>>(u, v);
}
