// x1 += A y1 and x2 += A^T y2, N = 40K: a row per thread, then a column per thread.
#define N 40960

__global__ void mvt_kernel1(float *a, float *x1, float *y1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        for (int j = 0; j < N; j++) {
            x1[i] += a[i * N + j] * y1[j];
        }
    }
}

__global__ void mvt_kernel2(float *a, float *x2, float *y2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        for (int j = 0; j < N; j++) {
            x2[i] += a[j * N + i] * y2[j];
        }
    }
}

void run(float *a, float *x1, float *x2, float *y1, float *y2)
{
    mvt_kernel1<<<80 * 4, 256>>>(a, x1, y1);
    mvt_kernel2<<<80 * 4, 256>>>(a, x2, y2);
}
