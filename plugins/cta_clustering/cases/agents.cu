// gpu: h200; policy: form="agents", bypass=true, prefetch=true, active_agents=1
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n S=n*n
// Persistent blocks run the clusters of their SMs; shared memory is used again, threads return early. What blocks do not
// share goes past L1, what the next block reads first is prefetched, one agent per SM works.
__global__ void kernel(int n, const float *A, const float *B, float *C, const float *S)
{
    __shared__ float row[8][16];
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        row[threadIdx.y][threadIdx.x] = i < n && k + threadIdx.x < n ? A[i * n + k + threadIdx.x] : 0;
        __syncthreads();
        for (int l = 0; l < 16; l++)
            if (k + l < n && j < n) s += row[threadIdx.y][l] * B[(k + l) * n + j];
        __syncthreads();
    }
    int at = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.y * 16 + threadIdx.x;
    if (at < n * n) s += S[at];
    if (i >= n || j >= n) return;
    C[i * n + j] = s + gridDim.x;
}

void run(int n, float *A, float *B, float *C, float *S)
{
    dim3 block(16, 8);
    kernel<<<dim3((n + 15) / 16, (n + 7) / 8), block>>>(n, A, B, C, S);
}
