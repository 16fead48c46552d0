// gpu: h200; policy: form="join", factor=4
// run: grid=5,2 block=64 x=10*64
// As the policy asks: five blocks become two, of which the second one is a quarter full.
__global__ void ramp(int *x)
{
    x[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += threadIdx.x + 1000 * blockDim.x + gridDim.x;
}

void all(int *x)
{
    ramp<<<dim3(5, 2), 64>>>(x);
}
