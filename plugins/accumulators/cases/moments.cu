// run: grid=2 block=64 n=100 m=9 x=n a=n b=n
// The elements are used where variables are initialised, too; a loop over steps in a loop over elements.
__global__ void moments(int n, int m, const float *x, float *a, float *b)
{
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x)
        for (int t = 1; t <= m; t++) {
            a[j] = 0.75f * a[j] + 0.25f * x[j];
            b[j] = 0.5f * b[j] + 0.5f * x[j] * x[j];
            const float mean = a[j] / t, spread = b[j] - mean;
            a[j] -= spread > 0 ? spread : mean * 0.125f;
        }
}

void all(int n, int m, const float *x, float *a, float *b)
{
    moments<<<2, 64>>>(n, m, x, a, b);
}
