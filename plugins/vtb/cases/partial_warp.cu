// gpu: h200; policy: factor=2, form="pipe"
// run: main
// Blocks that are no multiple of a warp: threads stand in a row, the last warp is filled up with some that leave.
#include <cstdio>

__global__ void odd(int n, const int *table, int *y)
{
    __shared__ int s[3][5][7];
    int at = blockIdx.x, x = threadIdx.x, yy = threadIdx.y, z = threadIdx.z, votes = 0;
    for (int r = 0; r < n; ++r) {
        at = table[(at + x * 7 + yy * 3 + z) % 512];
        at = table[(at + r) % 512];
        s[z][yy][x] = at;
        __syncthreads();
        at += s[2 - z][4 - yy][6 - x];
        votes += __syncthreads_count(at & 1) + __syncthreads_and(at >= 0) + __syncthreads_or(at == 7);
    }
    y[blockIdx.x * 105 + (z * 5 + yy) * 7 + x] = at + votes + (int)(blockDim.x * 100 + blockDim.y * 10 + blockDim.z);
}
__global__ void small(const int *table, int *y)
{
    __shared__ int s[20];
    int at = table[threadIdx.x + blockIdx.x];
    for (int k = 0; k < 4; ++k) at = table[at];
    s[threadIdx.x] = at;
    __syncthreads();
    y[blockIdx.x * 20 + threadIdx.x] = s[19 - threadIdx.x];
}

int main()
{
    int *table, *y;
    cudaMallocManaged(&table, 512 * sizeof(int));
    cudaMallocManaged(&y, 1000 * sizeof(int));
    for (int i = 0; i < 512; ++i) table[i] = i * 37 % 512;
    odd<<<7, dim3(7, 5, 3)>>>(3, table, y);
    small<<<5, 20>>>(table, y + 800);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    int sum = 0;
    for (int i = 0; i < 900; ++i) sum = sum * 31 + y[i];
    printf("%d\n", sum);
}
