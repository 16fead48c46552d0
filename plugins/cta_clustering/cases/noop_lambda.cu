// gpu: h200; policy: order="column"
// A lambda without a default capture cannot capture another blockIdx; nor can a constexpr one.
__device__ unsigned row() { return blockIdx.y; }
__global__ void captures_another(const float *a, float *out)
{
    unsigned base = threadIdx.x;
    auto at = [base] { return blockIdx.x * 32 + base; };
    out[at()] = a[threadIdx.x];
}
__global__ void generic(const float *a, float *out)
{
    auto at = [](auto i) { return blockIdx.x * 32 + i; };
    out[at(threadIdx.x)] = a[threadIdx.x];
}
__global__ void constant(const float *a, float *out)
{
    constexpr auto at = [=](unsigned i) { return blockIdx.x * 32 + i; };
    out[at(threadIdx.x)] = a[threadIdx.x];
}
__global__ void calls(const float *a, float *out)
{
    auto at = [](unsigned i) { return row() * 256 + i; };
    out[at(blockIdx.x * 32 + threadIdx.x)] = a[threadIdx.x];
}
void run(float *a)
{
    captures_another<<<8, 32>>>(a, a);
    generic<<<8, 32>>>(a, a);
    constant<<<8, 32>>>(a, a);
    calls<<<dim3(8, 8), 32>>>(a, a);
}
