// gpu: h200; policy: factor=2, form="co"
// run: main
// What every virtual block has of its own: a whole array that lives long, and the first rows of one that is cut.
#include <cstdio>
#include <cstdlib>
__global__ void table(int n, const int *x, int *y)
{
    __shared__ int near[64], scratch[64 * 40];   // `near` lives long, `scratch` briefly
    int t = threadIdx.x, at = x[blockIdx.x * 64 + t];
    near[t] = x[(at + t) & 1023];
    __syncthreads();
    for (int k = 0; k < n; ++k) at = (x[at & 1023] + near[(at + k) & 63]) & 1023;
    for (int k = 0; k < 8; ++k) scratch[k * 64 + t] = at + k;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += scratch[k * 64 + (t * 7 + k) % 64];
    __syncthreads();
    y[blockIdx.x * 64 + t] = sum + near[63 - t];
}
__global__ void rows(const int *x, const unsigned char *which, int *y)
{
    __shared__ int v[24][32][2];
    int t = threadIdx.x, at = x[blockIdx.x * 32 + t];
    for (int k = 0; k < 9; ++k) at = x[at & 1023];
#pragma unroll 2
    for (int e = 0; e < 24; ++e) {
        int a = at * e + 3, b = a ^ at;
        v[e][t][0] = a;
        v[e][t][1] = b + e;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 6; ++k) {
        int e = which[(at + k) & 255] % 24;
        sum += v[e][t][0] * 3 + v[e][31 - t][1];
    }
    y[blockIdx.x * 32 + t] = sum;
}
// Threads use `mine` where they do not come together, so nobody could take turns on it; each virtual block has its own.
__global__ void alone(int n, const int *x, int *y)
{
    __shared__ int mine[64], all[64 * 40];
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    mine[t] = at;
    __syncthreads();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    const int *p = x;
    for (int k = 0; k < 2; ++k, p += 64) all[k * 64 + t] = at + p[t] % 7;   // a header that must not run twice
    __syncthreads();
    at += all[127 - t] + all[63 - t];
    __syncthreads();
    if (t % 5 == 2) at += mine[(t * 7) & 63];
    y[blockIdx.x * 64 + t] = at;
}
int main()
{
    int *x, *y; unsigned char *w;
    cudaMallocManaged(&x, 4096 * 4); cudaMallocManaged(&y, 4096 * 4); cudaMallocManaged(&w, 256);
    for (int i = 0; i < 4096; ++i) { x[i] = rand() % 1024; y[i] = 0; }
    for (int i = 0; i < 256; ++i) w[i] = rand() % 251;
    table<<<7, 64>>>(20, x, y);
    rows<<<9, 32>>>(x, w, y + 1000);
    alone<<<5, 64>>>(1000, x, y + 2000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 4096; ++i) h = h * 31 + y[i];
    printf("%llx\n", h);
}
