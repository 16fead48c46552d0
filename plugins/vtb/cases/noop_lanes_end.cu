// gpu: h200; policy: factor=2
// Half of each warp exchanges data by a mask of all of it: it goes on once the others have exited.
__global__ void kernel(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += tile[(threadIdx.x + j) & 63] * in[j];
    if (threadIdx.x % 32 < 16) {
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        out[i] = sum;
    }
}
void run(const float *in, float *out, int n)
{
    kernel<<<12, 64>>>(in, out, n);
}
