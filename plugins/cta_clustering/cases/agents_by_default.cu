// gpu: k40c; args: -Xptxas -dlcm=ca
// run: grid=dim3(44,44) block=dim3(8,8) n=352 k=256 A=n*k B=n*k C=n*n
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
    dim3 block(8, 8);
    kernel<<<dim3(n / 8, n / 8), block>>>(n, k, A, B, C);
}
