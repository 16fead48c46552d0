// gpu: gtx480; policy: factor=2, form="co"
// run: main
// Loops over the rows of an array that is cut: what they do with own rows comes before the turn, in both.
#include <cstdio>
#include <cstdlib>
__global__ void exchange(const unsigned *x, unsigned *y, unsigned n)
{
    __shared__ unsigned chunk[128 * 31 + 108];
    int t = threadIdx.x;
    unsigned at = x[blockIdx.x * 128 + t];
    for (unsigned k = 0; k < n; ++k) at = x[at & 1023] + k;
    for (int w = 0; w < 31; ++w) chunk[w * 128 + t] = at + w * 0x9e3779b9u;
    __syncthreads();
    unsigned other = 0, fifth = at % 5;
    for (int w = 0; w < 31; ++w) {
        unsigned one = chunk[w * 128 + (t * 5 + w) % 128];
        if (one % 5 == fifth) other = (other << 5 | other >> 27) ^ one;
        else other += chunk[w * 128 + 127 - t];
    }
    __syncthreads();
    y[blockIdx.x * 128 + t] = at ^ other;
}
// Two arrays; rows of several words; the second loop counts in steps, and rows are read by their neighbours.
__global__ void rows(const int *x, int *y)
{
    __shared__ float v[30][64];
    __shared__ int last[64];
    int t = threadIdx.x;
    int at = x[blockIdx.x * 64 + t];
    for (int k = 0; k < 9; ++k) at = x[at & 1023];
    for (int r = 0; r < 30; r += 2) {
        v[r][t] = at * 0.5f + r;
        v[r + 1][t] = at * 0.25f - r;
    }
    __syncthreads();
    float sum = 1;
    for (int r = 0; r < 30; r += 2) sum = sum * 0.5f + v[r][63 - t] * v[r + 1][t];
    last[t] = (int)sum;
    __syncthreads();
    y[blockIdx.x * 64 + t] = last[63 - t] + (int)(sum * 16);
}
int main()
{
    unsigned *x, *y;
    cudaMallocManaged(&x, 4096 * 4); cudaMallocManaged(&y, 8192 * 4);
    for (int i = 0; i < 4096; ++i) x[i] = rand() % 1024;
    for (int i = 0; i < 8192; ++i) y[i] = 0;
    exchange<<<31, 128>>>(x, y, 6);
    rows<<<31, 64>>>((int *)x, (int *)y + 4096);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 8192; ++i) h = h * 31 + y[i];
    printf("%llx\n", h);
}
