// Launches that wait for the host, and for a launch that comes later; "late" ones are not waited for at the end.
// "clusters": one in clusters of blocks waits for the host.
#include "check.h"
#include <cooperative_groups.h>
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
__global__ void __cluster_dims__(2) wait_together(volatile int *flag, int *out)
{
    while (*flag == 0) {}
    cooperative_groups::this_cluster().sync();
    atomicAdd(out, 1);
}

static int test_clusters()
{
    int *flag = device_array<int>(1), *out = device_array<int>(1);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    wait_together<<<4, 32, 0, stream>>>(flag, out);
    EXPECT_STATUS(cudaStreamQuery(stream), cudaErrorNotReady);
    *(volatile int *)flag = 1;
    EXPECT_STATUS(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT(*out, 128);
    return verdict();
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "clusters")) return test_clusters();
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
