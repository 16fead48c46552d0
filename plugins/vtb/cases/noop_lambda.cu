// policy: factor=2, form="turns"
// A lambda without a default capture cannot capture what a version says of the virtual block.
__device__ int shifted(int i) { return i + threadIdx.x; }
__global__ void names_threads(int *y)
{
    __shared__ int s[64];
    auto at = [](int i) { return i ^ threadIdx.x; };
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[at(1)];
}
__global__ void captures_another(int *y)
{
    __shared__ int s[64];
    int one = 1;
    auto at = [&one] { return one ^ threadIdx.x; };
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[at()];
}
__global__ void generic(int *y)
{
    __shared__ int s[64];
    auto at = [](auto i) { return i ^ threadIdx.x; };
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[at(1)];
}
__global__ void nested(int *y)
{
    __shared__ int s[64];
    auto at = [&](int i) { auto other = [](int j) { return j ^ threadIdx.x; }; return other(i); };
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[at(1)];
}
__global__ void waits(int *y)
{
    __shared__ int s[64];
    auto wait = [] { __syncthreads(); };
    s[threadIdx.x] = blockIdx.x;
    wait();
    y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void calls(int *y)
{
    __shared__ int s[64];
    auto at = [](int i) { return shifted(i) % 64; };
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = s[at(1)];
}
void run(int *y)
{
    names_threads<<<4, 64>>>(y);
    captures_another<<<4, 64>>>(y);
    generic<<<4, 64>>>(y);
    nested<<<4, 64>>>(y);
    waits<<<4, 64>>>(y);
    calls<<<4, 64>>>(y);
}
