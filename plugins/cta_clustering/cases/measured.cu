// gpu: h200; learn: on
// run: grid=8,8 block=32,8 n=64 A=256*64 B=64*256 map=64 y=256*256
// Rows of B come out of a table: what blocks share is not known, and an order of blocks may help.
__global__ void kernel(const float *A, const float *B, const int *map, float *y, int n)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[(map[k] & 63) * 256 + column];
    y[row * 256 + column] = sum;
}

void all(const float *A, const float *B, const int *map, float *y, int n)
{
    kernel<<<dim3(8, 8), dim3(32, 8)>>>(A, B, map, y, n);
}
