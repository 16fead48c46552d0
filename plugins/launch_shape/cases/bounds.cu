// gpu: h200; learn: on
// run: grid=600 block=256 x=600*256
// No block has more threads than the launch bound allows: these are not joined.
__global__ void __launch_bounds__(256, 4) halve(float *x)
{
    x[blockIdx.x * 256 + threadIdx.x] *= 0.5f;
}

void all(float *x)
{
    halve<<<600, 256>>>(x);
}
