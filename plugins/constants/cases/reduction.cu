// gpu: h200; learn: on
// run: grid=3 block=128 x=384 sums=3
// run: grid=2 block=64 x=384 sums=3
// The loop over halves of a block ends with the block's size.
__global__ void total(const float *x, float *sums)
{
    __shared__ float part[128];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

void all(const float *x, float *sums)
{
    total<<<3, 128>>>(x, sums);
}
