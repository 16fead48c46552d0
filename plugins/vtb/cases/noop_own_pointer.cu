// gpu: h200; policy: factor=2, form="co"
// A pointer walks over all rows: they must not lie apart.
__global__ void kernel(const int *x, int *y)
{
    __shared__ int s[256];
    for (int e = 0; e < 8; ++e) s[e * 32 + threadIdx.x] = x[blockIdx.x * 256 + e * 32 + threadIdx.x];
    __syncthreads();
    const int *p = s + 100;
    y[blockIdx.x * 32 + threadIdx.x] = p[threadIdx.x] + s[threadIdx.x];
}
void run(const int *x, int *y) { kernel<<<9, 32>>>(x, y); }
