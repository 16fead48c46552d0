// gpu: h200; policy: margin=1.0, share=0.0, l2_bytes=16384
// run: grid=dim3(24,24) block=dim3(32,32) A=N*K B=N*K C=N*N
// Everything is known when the source is compiled.
#define N 768
#define K 8
__global__ void product(const float *A, const float *B, float *C)
{
    int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 32 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < K; k++)
        s += A[i * K + k] * B[k * N + j];
    C[i * N + j] = s;
}

void run(float *A, float *B, float *C)
{
    product<<<dim3(N / 32, N / 32), dim3(32, 32)>>>(A, B, C);
}
