// gpu: h200; policy: form="agents"
// Agents go on where threads have returned: not with barriers behind, and not with functions that name blockIdx.
__device__ int row() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void returns(int n, const float *a, float *b)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = a[i];
    __syncthreads();
    b[i] = tile[0];
}
__global__ void calls(const float *a, float *b) { b[row()] = a[threadIdx.x]; }

void run(int n, float *a, float *b)
{
    returns<<<n / 64, 64>>>(n, a, b);
    calls<<<n / 64, 64>>>(a, b);
}
