// gpu: h200; policy: l1_bytes=33792
// run: kernel=kernel grid=(n+255)/256 block=256 n=300 A=n*n u=n*n v=n*n x=n y=n
// run: kernel=twice<float> grid=2 block=256 n=64 A=512*n u=512*n v=512*n x=n y=512
// run: kernel=twice<double> grid=2 block=256 n=64 A=512*n u=512*n v=512*n x=n y=512
// A matrix that is walked row by row lives off L1; the other arrays are read once. Vectors, structures, templates.
struct Point { float x, y, z; };

__global__ void kernel(int n, const float *A, const float *__restrict__ u, const float *v, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            y[i] += A[i * n + j] * x[j] + u[j * n + i] + v[j * n + i];
        }
    }
}

template <class T>
__global__ void twice(int n, const T *__restrict__ A, const T *u, T *v, const T *x, T *__restrict__ y)
{
    const int m = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int j = 0; j < n; j++)
        sum += A[i * n + j] * x[j] + u[j * m + i];
    for (int j = 0; j < n; j++) {
        const T &value = v[j * m + i];
        sum += A[i * n + j] + value;
    }
    y[i] = sum;
}

void run(int n, float *A, float *u, float *v, float *x, float *y, double *B)
{
    kernel<<<(n + 255) / 256, 256>>>(n, A, u, v, x, y);
    twice<float><<<2, 256>>>(n, A, u, v, x, y);
    twice<double><<<2, 256>>>(n, B, B, B, B, B);
}
