// learn: on
// Where the stores go depends on data.
__global__ void k(int n, const int *x, float *y)
{
    const int i = threadIdx.x;
    for (int j = 0; j < n; ++j) y[x[j]] = i;
}

void all(int n, const int *x, float *y)
{
    k<<<1, 64>>>(n, x, y);
}
