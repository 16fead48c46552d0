// gpu: h200; policy: form="split", factor=4
// run: grid=5 block=192 x=5*192
// As the policy asks: 192 threads in four would not be whole warps, so this launch stays, and the next one is split.
// run: kernel=ramp grid=5 block=256 x=5*256
__global__ void ramp(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += threadIdx.x + 1000 * blockDim.x + gridDim.x;
}

void all(int *x, int threads)
{
    ramp<<<5, threads>>>(x);
}
