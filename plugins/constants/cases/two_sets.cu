// gpu: h200; learn: on
// run: grid=2 block=32 x=256 y=64 taps=4 step=2
// run: grid=2 block=32 x=256 y=64 taps=8 step=2
// run: grid=2 block=32 x=256 y=64 taps=5 step=2
// Three launches with different numbers: two sets get versions, and every other launch the original.
__global__ void filter(const int *x, int *y, int taps, int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < taps; ++k)
        sum += x[i + k * step];
    y[i] = sum / step;
}

void all(const int *x, int *y, int n)
{
    filter<<<2, 32>>>(x, y, 4, 2);
    filter<<<2, 32>>>(x, y, 8, 2);
    filter<<<2, 32>>>(x, y, 5, 2);
    filter<<<2, 32>>>(x, y, 4, 2);
    filter<<<2, 32>>>(x, y, 8, 2);
    for (int k = 1; k < n; ++k) filter<<<2, 32>>>(x, y, k, 2);
}
