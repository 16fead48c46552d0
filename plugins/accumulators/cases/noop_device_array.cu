// A variable of the device may be what y points to.
__device__ float table[256];
__global__ void k(int n, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += table[j];
}
void all(int n, float *y) { k<<<1, 64>>>(n, y); }
