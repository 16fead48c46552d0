// gpu: h200; policy: factor=2, form="co"
// An inner subscript leaves its row, so rows must not lie apart; and nothing else could be a virtual block's own.
__global__ void kernel(const int *x, int *y)
{
    __shared__ int s[8][32];
    for (int e = 0; e < 8; ++e) s[e][threadIdx.x] = x[blockIdx.x * 256 + e * 32 + threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int e = 0; e < 7; ++e) sum += s[0][32 * e + threadIdx.x];
    y[blockIdx.x * 32 + threadIdx.x] = sum;
}
void run(const int *x, int *y) { kernel<<<9, 32>>>(x, y); }
