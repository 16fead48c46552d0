// The kernel of carveout.cu, which includes it; with -DKERNEL_ELSEWHERE that only declares it, and both are compiled.

__global__ void walk_and_share(int n, int m, const float *A, const float *x, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j] * x[j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += 0.5f * tile[(threadIdx.x + 1) % blockDim.x];
}
