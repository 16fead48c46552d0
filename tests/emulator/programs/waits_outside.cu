// Launches that wait for the host, and for a launch that comes later; "late" ones are not waited for at the end.
#include "check.h"
#include <cstring>

__global__ void wait_for(volatile int *flag, int *out)
{
    while (*flag == 0) {}
    atomicAdd(out, 10);
}
__global__ void set(volatile int *flag) { *flag = 1; }
// Each of its blocks is soon done, and all of them are what others may wait for.
__global__ void works(volatile int *flag, int *out)
{
    for (int i = 0; i < 4 && *flag == 0; ++i) atomicAdd(out, 1);
}

int main(int argc, char **)
{
    int *flag = device_array<int>(2), *out = device_array<int>(1);
    cudaStream_t stream, other;
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    works<<<64, 32, 0, stream>>>(flag, out);
    EXPECT_STATUS(cudaStreamQuery(stream), cudaSuccess);
    EXPECT(*out, 64 * 32 * 4);
    *out = 0;
    wait_for<<<1, 1, 0, stream>>>(flag, out);
    EXPECT_STATUS(cudaStreamQuery(stream), cudaErrorNotReady);
    *(volatile int *)flag = 1;
    EXPECT_STATUS(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT(*out, 10);
    wait_for<<<1, 1, 0, stream>>>(flag + 1, out);
    set<<<1, 1, 0, other>>>(flag + 1);
    if (argc > 1) return verdict();
    EXPECT_STATUS(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT(*out, 20);
    return verdict();
}
