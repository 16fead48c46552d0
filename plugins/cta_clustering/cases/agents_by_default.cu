// gpu: p100
// run: grid=dim3(30,30) block=dim3(16,16) n=480 k=64 A=n*k B=n*k C=n*n
// A GPU on which agents pay, long blocks, and many of them.
__global__ void kernel(int n, int k, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int l = 0; l < k; l++)
        s += A[i * k + l] * B[l * n + j];
    C[i * n + j] = s;
}

void run(int n, int k, float *A, float *B, float *C)
{
    dim3 block(16, 16);
    kernel<<<dim3(n / 16, n / 16), block>>>(n, k, A, B, C);
}
