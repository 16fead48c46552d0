// gpu: h200; learn: on; policy: known=["blockDim = 32, width = 12, radius = 2", "width = 9"]
// run: grid=2 block=32 in=64 out=64 width=12 radius=2
// run: grid=4 block=16 in=64 out=64 width=9 radius=5
// run: grid=4 block=16 in=64 out=64 width=8 radius=1
// Numbers that a run was seen with: a version for each set, and every other launch the original.
__global__ void blur(const float *in, float *out, int width, int radius)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        if (x + k >= 0 && x + k < width) sum += in[i + k];
    out[i] = sum;
}

void all(const float *in, float *out, int width, int radius, int threads)
{
    blur<<<64 / threads, threads>>>(in, out, width, radius);
}
