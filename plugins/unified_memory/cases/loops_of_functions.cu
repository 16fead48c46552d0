// gpu: h200
// run: grid=528 block=256 table=16384 column=200000 y=135168
// The loop is a function's: what L1 has to hold is not known, but the driver makes room for eight blocks of the four.
__device__ float looked_up(const float *table, const int *column, int i)
{
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += table[column[i + k * 1024] & 16383];
    return sum;
}

__global__ void kernel(const float *table, const int *column, float *y)
{
    __shared__ float tile[4096];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = looked_up(table, column, i);
    __syncthreads();
    y[i] = tile[threadIdx.x ^ 1];
}

void run(float *table, int *column, float *y)
{
    kernel<<<528, 256>>>(table, column, y);
}
