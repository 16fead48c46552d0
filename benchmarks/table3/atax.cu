// y = A^T (A x), NX = 40K: a row per thread, then a column per thread (CATT figure 1).
#define NX 40960
#define NY 40960

__global__ void atax_kernel1(float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NX) {
        for (int j = 0; j < NY; j++) {
            tmp[i] += A[i * NY + j] * x[j];
        }
    }
}

__global__ void atax_kernel2(float *A, float *y, float *tmp)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < NY) {
        for (int i = 0; i < NX; i++) {
            y[j] += A[i * NY + j] * tmp[i];
        }
    }
}

void run(float *A, float *x, float *y, float *tmp)
{
    atax_kernel1<<<80 * 4, 256>>>(A, x, tmp);
    atax_kernel2<<<80 * 4, 256>>>(A, y, tmp);
}
