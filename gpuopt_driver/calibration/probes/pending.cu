// Loads of lines that are on their way already: run under a profiler that counts L1 hits, one launch for each number
// of warps that ask for the same line at the same time.
#include "probe.h"

__global__ void same_line(const float *data, float *out, int rounds)
{
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
        sum += data[round * 32 + threadIdx.x % 32];
    }
    if (sum == 1.25f)
        out[0] = sum;
}

int main()
{
    Memory<float> data(1 << 20);
    Memory<float> out(1);
    CHECK(cudaMemset(data, 0, (1 << 20) * sizeof(float)));
    for (int warps = 1; warps <= 32; warps *= 2) {
        same_line<<<1, 32 * warps>>>(data, out, 256);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    return 0;
}
