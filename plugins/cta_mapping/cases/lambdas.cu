// gpu: h200; policy: form="agents", direction="y"
// run: grid=dim3(4,5) block=dim3(16,16) n=64 a=80*n b=n*n c=80*n
// Lambdas with a default capture see the block whose work is done.
__global__ void kernel(const unsigned *a, const unsigned *b, unsigned *c, int n)
{
    auto row = [=] { return blockIdx.y * 16 + threadIdx.y; };
    auto column = [&](auto i) { return blockIdx.x * 16 + threadIdx.x + i; };
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += a[row() * n + k] * b[k * n + column(0)];
    c[row() * n + column(0)] = sum;
}
void run(const unsigned *a, const unsigned *b, unsigned *c, int n) { kernel<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, n); }
