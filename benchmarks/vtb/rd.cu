// RD: reduction, 128 threads per block, a long private sum and a short tree.
#include "bench.h"

__global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int s[128 + 7];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) sum += in[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(4224), n = blocks * 128 * 64;
    int *in = filled<int>(n, [](unsigned i) { return (int)(mixed(i) & 255); }), *out = filled<int>(blocks, [](unsigned) { return 0; });
    std::vector<int> got = measured("rd", out, blocks, [=] { reduce<<<blocks, 128>>>(in, out, n); });
    long long sum = 0, wanted = 0;
    for (int g : got) sum += g;
    for (int i = 0; i < n; ++i) wanted += mixed(i) & 255;
    must(sum == wanted, "the sum");
}
