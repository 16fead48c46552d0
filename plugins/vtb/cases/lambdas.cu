// policy: factor=2, form="turns"
// run: grid=4 block=64 x=256 y=256
// Lambdas with a default capture see the virtual block.
__global__ void kernel(const int *x, int *y)
{
    __shared__ int s[64];
    auto at = [=](int i) { return (i ^ threadIdx.x) % 64; };
    auto mine = [&](auto i) { auto inner = [&, i] { return blockIdx.x * 64 + threadIdx.x + i; }; return inner(); };
    auto own = [t = threadIdx.x](int i) { return (int)t + i; };
    s[threadIdx.x] = x[mine(0)] + own(1);
    __syncthreads();
    y[mine(0)] = s[at(1)];
}
void run(const int *x, int *y) { kernel<<<4, 64>>>(x, y); }
