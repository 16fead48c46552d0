// learn: on
// The store goes to where a loaded pointer points to.
__global__ void k(int n, const float *x, float **y)
{
    const int i = threadIdx.x;
    for (int j = 0; j < n; ++j) y[i][j] = x[j];
}

void all(int n, const float *x, float **y)
{
    k<<<1, 64>>>(n, x, y);
}
