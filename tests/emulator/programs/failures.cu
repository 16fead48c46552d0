// Kernels that go wrong; the argument chooses one. Prints the statuses of what follows, before and after a reset.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void deadlock()
{
    if (threadIdx.x < 7) asm volatile("bar.sync 1, 64;");
    __syncthreads();
}
__global__ void waits_for_lanes_at_a_barrier()
{
    if (threadIdx.x < 16) __shfl_sync(0xffffffff, 1, 0);
    else __syncthreads();
}
__global__ void lane_not_in_mask() { __ballot_sync(0xfu, 1); }
__global__ void asserts(int n)
{
    __syncthreads();
    assert(n > (int)threadIdx.x + 100);
    __syncthreads();
}
__global__ void traps()
{
    if (threadIdx.x == 3) __trap();
    __syncthreads();
}
__global__ void writes_null(int *p)
{
    if (threadIdx.x == 5 && blockIdx.x == 2) *p = 1;
    __syncthreads();
}
__device__ __noinline__ int descend(int n)
{
    volatile int frame[1000];
    frame[n % 1000] = n;
    return n ? descend(n - 1) + frame[n % 1000] : 0;
}
__global__ void overflows_stack(int *p) { *p = descend(100000); }
__global__ void fine(int *p) { *p = 4; }

int main(int, char **argv)
{
    int *p;
    cudaMalloc(&p, 64);
    switch (atoi(argv[1])) {
    case 0: deadlock<<<2, 64>>>(); break;
    case 1: waits_for_lanes_at_a_barrier<<<1, 32>>>(); break;
    case 2: lane_not_in_mask<<<1, 32>>>(); break;
    case 3: asserts<<<1, 64>>>(160); break;
    case 4: traps<<<4, 32>>>(); break;
    case 5: writes_null<<<4, 32>>>(0); break;
    case 6: overflows_stack<<<1, 1>>>(p); break;
    }
    const int last = cudaGetLastError(), wait = cudaDeviceSynchronize(), after = cudaMalloc(&p, 4);
    cudaDeviceReset();
    cudaMalloc(&p, 64);
    fine<<<1, 1>>>(p);
    printf("%d %d %d, then %d and %d\n", last, wait, after, (int)cudaDeviceSynchronize(), *p);
}
