// gpu: h200; policy: margin=1.0, share=0.0, l2_bytes=16384
// run: grid=dim3(24,24) block=dim3(32,32) n=768 m=8 A=n*m B=n*m C=n*n
// The launch decides with its true numbers; functions that name blockIdx are redirected with the kernel.
__device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }
template <class T> __global__ void product(int n, int m, const T *A, const T *B, T *C)
{
    int i = row(), j = blockIdx.x * blockDim.x + threadIdx.x;
    T s = 0;
    for (int k = 0; k < m; k++)
        s += A[i * m + k] * B[k * n + j];
    C[i * n + j] = s;
}

void run(int n, int m, float *A, float *B, float *C)
{
    product<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)>>>(n, m, A, B, C);
}
