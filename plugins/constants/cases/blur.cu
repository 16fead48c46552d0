// gpu: h200; learn: on
// run: grid=5 block=64 x=300 y=300 width=20 height=15 radius=2
// run: grid=5 block=64 x=300 y=300 width=15 height=20 radius=2
// Two loops of five iterations and two divisions, by numbers that the launch gives.
__device__ int thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void blur(const float *x, float *y, int width, int height, int radius)
{
    const int i = thread();
    if (i >= width * height) return;
    const int row = i / width, column = i % width;
    float sum = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
            sum += x[min(max(row + dy, 0), height - 1) * width + min(max(column + dx, 0), width - 1)];
    y[i] = sum;
}

void all(const float *x, float *y)
{
    const int width = 20, height = 15;
    blur<<<(width * height + 63) / 64, 64>>>(x, y, width, height, 2);
}
