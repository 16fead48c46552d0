// gpu: h200; policy: fixed_tlp=[1, 0]
// Eight warps of a block update the same elements: run one after the other they would add eight times.
__global__ void rows(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
}

void run(int n, const float *A, const float *x, float *y)
{
    rows<<<(n + 31) / 32, dim3(32, 8)>>>(n, A, x, y);
}
