// gpu: gtx680; args: -Xptxas -dlcm=ca
// run: grid=64 block=256 start=16640 column=200000 value=200000 x=20000 y=16384
// A sparse matrix before Volta: nobody uses the shared memory that the driver takes from L1.
__global__ void kernel(const int *start, const int *column, const float *value, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int e = 0; e < (start[i] & 7); ++e)
        sum += value[i + e * 1024] * x[column[i + e * 1024] & 16383];
    y[i] = sum;
}

void run(int *start, int *column, float *value, float *x, float *y)
{
    kernel<<<64, 256>>>(start, column, value, x, y);
}
