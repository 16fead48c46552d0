// policy: factor=2, form="turns"
// What nobody calls by name sees the launched block: a version cannot tell it the virtual one.
struct Where { int x; __device__ Where() : x(blockIdx.x * 64 + threadIdx.x) {} };
struct Thread { int t = threadIdx.x; };
struct Wait { __device__ ~Wait() { __syncthreads(); } };
__device__ int other(int t = threadIdx.x) { return t ^ 1; }
__global__ void constructor(int *y)
{
    __shared__ int s[64];
    Where me;
    s[threadIdx.x] = me.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void initialiser(int *y)
{
    __shared__ int s[64];
    Thread me;
    s[threadIdx.x] = me.t;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void default_argument(int *y)
{
    __shared__ int s[64];
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[other()];
}
__global__ void destructor(int *y)
{
    __shared__ int s[64];
    Wait wait;
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void qualified(int *y)
{
    __shared__ int s[64];
    s[::threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}
void run(int *y)
{
    constructor<<<4, 64>>>(y);
    initialiser<<<4, 64>>>(y);
    default_argument<<<4, 64>>>(y);
    destructor<<<4, 64>>>(y);
    qualified<<<4, 64>>>(y);
}
