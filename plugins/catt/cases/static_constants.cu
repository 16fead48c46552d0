// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=2 block=256 n=64 a=131072 b=131072 x=n y=512
// Static constants keep nothing between calls, and are numbers in the index.
__global__ void kernel(int n, const float *a, const float *b, const float *x, float *y)
{
    static const int WIDTH = 4;
    static constexpr float SCALE[2] = {2.0f, 3.0f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        y[i] += a[i * n * WIDTH + j] * x[j] * SCALE[0] + b[i * n * WIDTH + j] * x[j];
}

void run(int n, const float *a, const float *b, const float *x, float *y)
{
    kernel<<<1024, 256>>>(n, a, b, x, y);
}
