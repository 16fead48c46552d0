// learn: on
// The compiler knows already.
__global__ void k(int n, const float *__restrict__ x, float *y)
{
    const int i = threadIdx.x;
    for (int j = 0; j < n; ++j) y[j] = x[j] * i;
}

void all(int n, const float *__restrict__ x, float *y)
{
    k<<<1, 64>>>(n, x, y);
}
