// gpu: h200; policy: factor=2
// run: grid=12 block=64 in=12*64 out=12*64 n=3
// A whole warp exchanges data where rows of threads are whole warps, which the launch shows.
__global__ void kernel(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += tile[(threadIdx.x + j) & 63] * in[j];
    if (threadIdx.x / 32 == 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        out[i] = sum;
    }
}
void run(const float *in, float *out, int n)
{
    kernel<<<12, 64>>>(in, out, n);
}
