// gpu: h200; learn: on
// run: grid=700 block=4 n=2799 x=2800 y=2800
// Blocks of four threads fill an eighth of a warp: eight of them, or more, become one.
__global__ void twice(const int *x, int *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + blockDim.x;
}

void all(const int *x, int *y, int n)
{
    twice<<<700, 4>>>(x, y, n);
}
