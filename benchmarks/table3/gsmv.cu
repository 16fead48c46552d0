// y = alpha A x + beta B x, N = 20K: a row of both matrices per thread, two blocks per SM.
#define N 20480

__global__ void gesummv_kernel(float alpha, float beta, float *A, float *B, float *x, float *y, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        for (int j = 0; j < N; j++) {
            tmp[i] += A[i * N + j] * x[j];
            y[i] += B[i * N + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

void run(float *A, float *B, float *x, float *y, float *tmp)
{
    gesummv_kernel<<<80 * 2, 256>>>(1.5f, 2.5f, A, B, x, y, tmp);
}
