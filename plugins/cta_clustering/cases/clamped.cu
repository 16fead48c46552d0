// gpu: h200; policy: margin=1.0, share=0.0, l2_bytes=16384
// run: grid=dim3(24,24) block=dim3(32,32) n=768 m=8 A=n*m B=n*m C=n*n
// A product that stays inside of its matrices: nearly everywhere, its rows and columns are those without the clamps.
__global__ void product(int n, int m, const float *A, const float *B, float *C)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < m; k++)
        s += A[min(i, n - 1) * m + k] * B[k * n + (j < n ? j : n - 1)];
    if (i < n && j < n) C[i * n + j] = s;
}

void run(int n, int m, const float *A, const float *B, float *C)
{
    product<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)>>>(n, m, A, B, C);
}
