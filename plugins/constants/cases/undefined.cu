// gpu: h200; learn: on
// run: kernel=rotate grid=64 block=128 x=8192 y=8192 bits=0 n=4
// run: kernel=rotate grid=64 block=128 x=8192 y=8192 bits=5 n=4
// run: kernel=rotate_by_call grid=64 block=128 x=8192 y=8192 bits=5 n=4
// Numbers that are in range are constants, and beside one that is not the others are. What is `const` warns of nothing.
__device__ unsigned turned(unsigned x, int by) { return x << by | x >> (32 - by); }

__global__ void rotate(const unsigned *x, unsigned *y, int bits, const int n)
{
    for (int k = 0; k < n; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += x[k] << bits | x[k] >> (32 - bits);
}
__global__ void rotate_by_call(const unsigned *x, unsigned *y, int bits, int n)
{
    for (int k = 0; k < n; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += turned(x[k], bits);
}
void run(const unsigned *x, unsigned *y)
{
    rotate<<<64, 128>>>(x, y, 0, 4);
    rotate<<<64, 128>>>(x, y, 5, 4);
    rotate_by_call<<<64, 128>>>(x, y, 5, 4);
}
