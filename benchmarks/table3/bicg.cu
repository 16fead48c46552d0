// s = A^T r and q = A p, NX = 40K: a column per thread, then a row per thread.
#define NX 40960
#define NY 40960

__global__ void bicg_kernel1(float *A, float *r, float *s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < NY) {
        s[j] = 0.0f;
        for (int i = 0; i < NX; i++) {
            s[j] += r[i] * A[i * NY + j];
        }
    }
}

__global__ void bicg_kernel2(float *A, float *p, float *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NX) {
        q[i] = 0.0f;
        for (int j = 0; j < NY; j++) {
            q[i] += A[i * NY + j] * p[j];
        }
    }
}

void run(float *A, float *r, float *s, float *p, float *q)
{
    bicg_kernel1<<<80 * 4, 256>>>(A, r, s);
    bicg_kernel2<<<80 * 4, 256>>>(A, p, q);
}
