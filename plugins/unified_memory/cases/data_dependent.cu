// gpu: h200
// run: grid=528 block=256 start=135169 column=200000 value=200000 x=20000 y=135168
// A sparse matrix: what L1 has to hold is not known, but the driver makes room for eight blocks of the four.
__global__ void kernel(const int *start, const int *column, const float *value, const float *x, float *y)
{
    __shared__ float tile[4096];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int e = 0; e < (start[i] & 7); ++e)
        sum += value[i + e * 1024] * x[column[i + e * 1024] & 16383];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[threadIdx.x ^ 1];
}

void run(int *start, int *column, float *value, float *x, float *y)
{
    kernel<<<528, 256>>>(start, column, value, x, y);
}
