// learn: on
// Where the loads go depends on data that the kernel writes.
__global__ void k(int n, const float *x, int *y)
{
    const int i = threadIdx.x;
    for (int j = 0; j < n; ++j) y[j] = (int)x[y[j]];
}

void all(int n, const float *x, int *y)
{
    k<<<1, 64>>>(n, x, y);
}
