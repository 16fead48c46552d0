// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// Rows of a sparse matrix: length and columns depend on data.
__global__ void kernel(int n, const int *row, const int *column, const float *value, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int e = row[i]; e < row[i + 1]; e++)
            y[i] += value[e] * x[column[e]];
}

void run(int n, int *row, int *column, float *value, float *x, float *y)
{
    kernel<<<n / 256, 256>>>(n, row, column, value, x, y);
}
