// gpu: h200
// A sparse matrix in many waves of blocks: more L1 would cost some.
__global__ void kernel(const int *start, const int *column, const float *value, const float *x, float *y)
{
    __shared__ float tile[7168];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int e = start[i]; e < start[i + 1]; ++e)
        sum += value[e] * x[column[e]];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[threadIdx.x ^ 1];
}

void run(int *start, int *column, float *value, float *x, float *y)
{
    kernel<<<132 * 64, 256>>>(start, column, value, x, y);
}
