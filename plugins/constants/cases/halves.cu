// gpu: h200; learn: on
// run: grid=3 block=128 x=384 sums=3
// run: grid=3 block=64 x=384 sums=3
// The loop over halves is in a function, which is copied with the block's size.
__device__ float joined(float mine, float *part)
{
    part[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}

__global__ void total(const float *x, float *sums)
{
    __shared__ float part[128];
    const float all = joined(x[blockIdx.x * blockDim.x + threadIdx.x], part);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

void all(const float *x, float *sums)
{
    total<<<3, 128>>>(x, sums);
}
