// gpu: h200; learn: on
// Constants add and multiply as fast as other numbers, and a long loop is as long.
__global__ void scale(float *x, int n, int trips, float by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < trips; ++k)
        if (i < n) x[i] = x[i] * 2 + by;
}

void all(float *x)
{
    scale<<<4096, 256>>>(x, 1 << 20, 1000, 3.0f);
}
