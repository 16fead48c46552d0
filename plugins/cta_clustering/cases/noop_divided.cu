// gpu: h200; learn: on
// Flat numbers that are taken apart: blocks of one row run together anyway; strides of others are not known; a clamped
// index may meet what another block writes.
__global__ void bias(int n, int channels, int size, const float *b, float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i / size % channels];
}
__global__ void plane(int n, int channels, int size, const float *b, float *a)
{
    int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i % channels * size + i / size % 3 * 1024];
}
__global__ void last(int n, const float *b, const float *w, float *a)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < 64; k++) s += b[y * 64 + k] * w[k * n + x];
    a[min(y, n - 1) * n + x] = s;
}

void run(int n, int channels, int size, const float *b, float *a)
{
    bias<<<n / 256, 256>>>(n, channels, size, b, a);
    plane<<<dim3(n / 256, n / 256), 256>>>(n, channels, size, b, a);
    last<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, b, b, a);
}
