// gpu: h200; learn: on
// run: grid=40 block=32 n=16 A=1280*16 y=1280
// Blocks of a warp: half of the threads that an SM can hold are resident, and the model expects nothing of blocks in turns.
__global__ void kernel(const float *A, float *y, int n)
{
    __shared__ float tile[32];
    const int i = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += A[i * n + j];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[(threadIdx.x + 1) % 32];
}

void all(const float *A, float *y, int n)
{
    kernel<<<40, 32>>>(A, y, n);
}
