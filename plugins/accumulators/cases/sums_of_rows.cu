// run: grid=5 block=64 rows=300 columns=37 a=rows*columns b=rows*columns x=columns s=rows t=rows
// Two sums of one loop, in two arrays.
__global__ void sums(int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        s[i] = 0.0f;
        t[i] = 0.0f;
        for (int j = 0; j < columns; ++j) {
            s[i] += a[i * columns + j] * x[j];
            t[i] += b[i * columns + j] * x[j];
        }
        t[i] = 1.5f * s[i] - t[i];
    }
}

void all(int rows, int columns, const float *a, const float *b, const float *x, float *s, float *t)
{
    sums<<<(rows + 63) / 64, 64>>>(rows, columns, a, b, x, s, t);
}
