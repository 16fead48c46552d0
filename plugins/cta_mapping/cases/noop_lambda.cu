// gpu: h200; policy: form="agents", direction="x"
// A lambda without a default capture cannot capture the block that an agent tells it.
__global__ void names_blocks(const unsigned *a, unsigned *b, int n)
{
    auto row = [](int i) { return blockIdx.y + i; };
    unsigned sum = row(0);
    for (int j = 0; j < n; j++) sum = sum * 3u + a[blockIdx.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void generic(const unsigned *a, unsigned *b, int n)
{
    auto row = [](auto i) { return gridDim.y + i; };
    unsigned sum = row(0);
    for (int j = 0; j < n; j++) sum = sum * 3u + a[blockIdx.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
void run(const unsigned *a, unsigned *b, int n)
{
    names_blocks<<<dim3(4, 4), 64>>>(a, b, n);
    generic<<<dim3(4, 4), 64>>>(a, b, n);
}
