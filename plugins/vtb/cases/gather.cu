// gpu: h200; policy: factor=2
// run: grid=7 block=64 n=1000 table=1024 y=448
// Two blocks become one; seven are no multiple of two.
__global__ void gather(int n, const int *table, int *y)
{
    __shared__ int tile[64 * 100];
    int at = (blockIdx.x * 64 + threadIdx.x) % n;
    for (int k = 0; k < 8; ++k) at = (unsigned)table[at] % n;
    tile[threadIdx.x] = at;
    __syncthreads();
    int other = tile[63 - threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = other + at + gridDim.x;
}

void run(int n, const int *table, int *y)
{
    gather<<<7, 64>>>(n, table, y);
}
