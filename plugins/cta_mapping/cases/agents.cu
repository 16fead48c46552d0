// gpu: h200; policy: form="agents"
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n
// Agents have whole rows of blocks; every block starts with the parameters as they were given.
__global__ void kernel(int n, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += A[i * n + k] * B[k * n + j];
    C += i * n;
    C[j] = s;
}

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 8);
    kernel<<<dim3((n + 15) / 16, (n + 7) / 8), block>>>(n, A, B, C);
}
