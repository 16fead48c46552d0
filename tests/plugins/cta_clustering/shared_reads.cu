// Kernels whose blocks share data and a streaming one; test_launches.py looks at their L2 reads on emulated GPUs.
#include <cstdio>
#include <cstring>

__global__ void demosaic(int n, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int at = y * n + x;
    out[at] = (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) * 0.25f;
}
__global__ void stream(const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
__global__ void sliding(const float *in, float *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 8; k++) s += in[i + k * 64] * 0.1f;
    out[i] = s;
}
// A product in blocks of one row: L2 holds all that it reads, so only L1 tells orders of blocks apart.
__global__ void product(int n, int depth, const float *A, const float *B, float *C)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float s = 0;
    for (int k = 0; k < depth; k++) s += A[y * depth + k] * B[k * n + x];
    C[y * n + x] = s;
}
static void say(const float *out, int count)
{
    unsigned long long sum = 0;
    cudaDeviceSynchronize();
    for (int i = 0; i < count; i++) {
        unsigned bits;
        memcpy(&bits, out + i, 4);
        sum += bits * (2ull * i + 1);
    }
    printf("%016llx\n", sum);
}
static void multiply()
{
    const int n = 2304, rows = 72, depth = 24;
    float *a, *b, *c;
    cudaMallocManaged(&a, rows * depth * 4), cudaMallocManaged(&b, n * depth * 4), cudaMallocManaged(&c, n * rows * 4);
    for (int i = 0; i < rows * depth; i++) a[i] = i % 7;
    for (int i = 0; i < n * depth; i++) b[i] = i % 5;
    product<<<dim3(n / 256, rows), 256>>>(n, depth, a, b, c);
    say(c, n * rows);
}
int main(int count, char **)
{
    if (count > 1) {
        multiply();
        return 0;
    }
    const int n = 384;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * 4), cudaMallocManaged(&b, n * n * 4), cudaMallocManaged(&c, n * n * 4);
    for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
    demosaic<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, a, c);
    say(c, n * n);
    stream<<<n * n / 1024, 256>>>(a, b, c);
    say(c, n * n);
    sliding<<<120, 64>>>(a, c);
    say(c, n * n);
}
