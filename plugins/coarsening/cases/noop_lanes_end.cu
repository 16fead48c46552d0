// gpu: h200; learn: on
// The threads whose test fails would go on to the next block, and those that exchange data would wait for them.
__global__ void kernel(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 3)
        out[i] = __popc(__ballot_sync(0xffffffffu, in[i] & 1));
}

void run(const int *in, int *out)
{
    kernel<<<301, 64>>>(in, out);
}
