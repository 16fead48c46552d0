// gpu: h200
// A GPU has no register for the mapping: directions are reported only.
__device__ int done;
__global__ void product(int n, const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
    C[i * n + j] = s;
}
__global__ void stream(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
}
__global__ void gather(const int *at, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[at[i]];
}
void run(int n, const int *at, const float *a, const float *b, float *c)
{
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a, b, c);
    stream<<<n / 256, 256>>>(a, c);
    gather<<<n / 256, 256>>>(at, a, c);
}
