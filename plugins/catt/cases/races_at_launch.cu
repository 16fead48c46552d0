// gpu: h200; policy: fixed_tlp=[1, 0]
// run: grid=(n+63)/64 block=64 n=200 A=n*n x=n y=n
// Blocks of one row of threads are run in groups; launched with several rows, whose threads race, the original runs.
__global__ void rows(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
}

void run(int n, dim3 block, const float *A, const float *x, float *y)
{
    rows<<<(n + block.x - 1) / block.x, block>>>(n, A, x, y);
}
