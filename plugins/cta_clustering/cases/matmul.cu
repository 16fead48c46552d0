// gpu: h200; policy: order="tile", tile=[1, 2, 1]
// run: grid=dim3(3,5) block=dim3(16,4) n=37 A=n*n B=n*n C=n*n
// Both matrices are read by whole rows and columns of blocks; blocks run in bands of two rows.
#define ROW (blockIdx.y * blockDim.y + threadIdx.y)
__global__ void kernel(int n, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (ROW >= n || j >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += A[ROW * n + k] * B[k * n + j];
    C[ROW * n + j] = s;
}

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 4);
    kernel<<<dim3((n + 15) / 16, (n + 3) / 4), block>>>(n, A, B, C);
}
