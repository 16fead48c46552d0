// gpu: h200; learn: on
// run: grid=40 block=128 n=16 A=5120*16 y=5120
// All threads that an SM can hold are resident: blocks in turns are not measured.
__global__ void kernel(const float *A, float *y, int n)
{
    __shared__ float tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += A[i * n + j];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[(threadIdx.x + 1) % 128];
}

void all(const float *A, float *y, int n)
{
    kernel<<<40, 128>>>(A, y, n);
}
