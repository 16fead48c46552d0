// gpu: h200; learn: on
// run: kernel=walk grid=601 block=32 x=601*32 y=601*32 n=5 step=3
// run: kernel=address grid=700 block=32 y=700*32 n=7
// What the body changes of its parameters, by name or through their address, the next block finds as it was.
struct Counter { int at[4], n; };
__device__ void more(int *n) { *n += 3; }
__global__ void walk(const int *x, int *y, int n, int step)
{
    x += blockIdx.x * blockDim.x + threadIdx.x;
    y += blockIdx.x * blockDim.x + threadIdx.x;
    for (; n > 0; --n)
        *y += *x * step++;
}
__global__ void address(int *y, int n)
{
    int &other = n;
    auto twice = [&] { n *= 2; };
    more(&n);
    twice();
    ++other;
    y[blockIdx.x * blockDim.x + threadIdx.x] = n + gridDim.x;
}

void all(const int *x, int *y, int n, int step)
{
    walk<<<601, 32>>>(x, y, n, step);
    address<<<700, 32>>>(y, n);
}
