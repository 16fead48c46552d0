// gpu: h200
// No order gains anything: streams, data-dependent reads, shared lines, written lines, small grids, open-ended loops.
__global__ void stream(int n, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i];
}
__global__ void gather(int n, const int *at, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[at[i]];
}
__global__ void transpose(int n, const float *a, float *b)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) b[i * n + j] = a[j * n + i];
}
__global__ void shifted(int n, float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) a[i] = a[i + 1];
}
__global__ void small(const float *a, const float *b, float *c)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < 64; k++) s += a[i * 64 + k] * b[k * 64 + j];
    c[i * 64 + j] = s;
}
__global__ void rows(const int *start, int n, const float *a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int e = start[i]; e < start[i + 1]; e++) s += a[e];
    for (int k = 0; k < n; k++) s += x[k];
    y[i] = s;
}
__global__ void halving(const float *x, float *y, int n)
{
    float s = 0;
    for (int k = n; k > 0; k /= 2) s += x[k] + x[0];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

void run(int n, int *at, float *a, float *b, float *c)
{
    stream<<<n / 256, 256>>>(n, a, b);
    gather<<<n / 256, 256>>>(n, at, a, b);
    transpose<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a, b);
    shifted<<<n / 256, 256>>>(n, a);
    small<<<dim3(4, 4), dim3(16, 16)>>>(a, b, c);
    rows<<<n / 256, 256>>>(at, n, a, b, c);
    halving<<<n / 256, 256>>>(a, b, n);
}
