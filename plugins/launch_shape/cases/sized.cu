// policy: form="split"
// run: grid=4 block=64 y=256
// The size of a number says nothing of a closure.
static __global__ void numbers(int *y)
{
    auto at = [=](int i) { return i + (int)threadIdx.x; };
    y[blockIdx.x * blockDim.x + threadIdx.x] = at(sizeof(unsigned long long) + sizeof(float4));
}

void run(int *y)
{
    numbers<<<4, 64>>>(y);
}
