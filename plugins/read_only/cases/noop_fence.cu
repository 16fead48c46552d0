// learn: on
// What is read may have been written by somebody else, before the fence.
__global__ void k(int n, const float *x, float *y)
{
    const int i = threadIdx.x;
    for (int j = 0; j < n; ++j) { y[j] = x[j]; __threadfence(); }
}

void all(int n, const float *x, float *y)
{
    k<<<1, 64>>>(n, x, y);
}
