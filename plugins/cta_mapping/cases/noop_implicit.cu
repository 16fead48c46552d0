// gpu: h200; policy: form="agents", direction="x"
// What nobody calls by name sees the block that really runs: an agent cannot tell it another one.
struct Position {
    unsigned x, y;
    __device__ Position() : x(blockIdx.x * blockDim.x + threadIdx.x), y(blockIdx.y) {}
};
struct Row { unsigned y = blockIdx.y; };
struct Last { unsigned y; __device__ ~Last() { y = blockIdx.y; } };
__device__ unsigned row(unsigned y = blockIdx.y) { return y; }
__global__ void constructor(const unsigned *a, unsigned *b, int n)
{
    Position p;
    unsigned sum = 0;
    for (int j = 0; j < n; j++) sum = sum * 3u + a[p.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum + p.x;
}
__global__ void initialiser(const unsigned *a, unsigned *b, int n)
{
    Row r;
    unsigned sum = r.y;
    for (int j = 0; j < n; j++) sum = sum * 3u + a[blockIdx.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void default_argument(const unsigned *a, unsigned *b, int n)
{
    unsigned sum = row();
    for (int j = 0; j < n; j++) sum = sum * 3u + a[blockIdx.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void destructor(const unsigned *a, unsigned *b, int n)
{
    Last last = {0};
    unsigned sum = last.y;
    for (int j = 0; j < n; j++) sum = sum * 3u + a[blockIdx.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#define ROW ::blockIdx.y
__global__ void qualified(const unsigned *a, unsigned *b, int n)
{
    unsigned sum = ROW;
    for (int j = 0; j < n; j++) sum = sum * 3u + a[blockIdx.y * n + j] * a[blockIdx.x * n + j];
    b[blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
void run(const unsigned *a, unsigned *b, int n)
{
    constructor<<<dim3(4, 4), 64>>>(a, b, n);
    initialiser<<<dim3(4, 4), 64>>>(a, b, n);
    default_argument<<<dim3(4, 4), 64>>>(a, b, n);
    destructor<<<dim3(4, 4), 64>>>(a, b, n);
    qualified<<<dim3(4, 4), 64>>>(a, b, n);
}
