// gpu: gtx680; args: -Xptxas -dlcm=ca
// A sparse matrix beside shared memory: more L1 would cost resident blocks.
__global__ void kernel(const int *start, const int *column, const float *value, const float *x, float *y)
{
    __shared__ float tile[3072];
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
    kernel<<<528, 256>>>(start, column, value, x, y);
}
