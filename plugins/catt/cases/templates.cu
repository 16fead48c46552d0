// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: kernel=kernel<float,1> grid=2 block=256 n=100 A=512*n x=n y=512
// run: kernel=kernel<double,2> grid=2 block=256 n=100 A=512*n x=n y=512
// One rewrite for all instantiations, a guard for each.
template <class T, int STEP>
__global__ void kernel(int n, const T *A, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j += STEP)
        y[i] += A[i * n + j] * x[j];
}

void run(int n, float *A, float *x, float *y, double *B, double *u, double *v)
{
    kernel<float, 1><<<2, 256>>>(n, A, x, y);
    kernel<double, 2><<<2, 256>>>(n, B, u, v);
}
