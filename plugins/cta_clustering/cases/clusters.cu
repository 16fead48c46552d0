// gpu: h200; policy: form="clusters", order="direction"
// run: grid=dim3(7,9) block=dim3(8,8) n=70 A=n*n B=n*n C=n*n
// Balanced clusters along the direction of reuse, bound to SMs as if blocks were dealt out in turn.
__global__ void kernel(int n, const float *A, const float *B, float *C)
{
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < n; i += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += A[i * n + k] * B[k * n + j];
            C[i * n + j] = s;
        }
}

void run(int n, float *A, float *B, float *C)
{
    kernel<<<dim3(7, 9), dim3(8, 8)>>>(n, A, B, C);
}
