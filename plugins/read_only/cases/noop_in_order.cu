// learn: on
// Every load comes before the store.
__global__ void k(int n, const float *x, float *y)
{
    const int i = threadIdx.x;
    y[i] = x[i] + x[i + n];
}

void all(int n, const float *x, float *y)
{
    k<<<1, 64>>>(n, x, y);
}
