// gpu: h200; policy: order="column"
// Blocks that hand on data, wait for each other, or ask where and when they run stay in the GPU's order.
#include <cooperative_groups.h>
#include <cstdio>

extern __device__ float next(float);
__device__ int done;

__global__ void last_block(const float *a, float *sums, float *total)
{
    sums[blockIdx.x] = a[blockIdx.x];
    __threadfence();
    if (atomicAdd(&done, 1) == gridDim.x - 1) total[0] = sums[0];
}
__global__ void queue(const float *a, int *count, float *out) { out[atomicAdd(count, 1)] = a[blockIdx.x * 32 + threadIdx.x]; }
__global__ void spin(volatile int *flag, const float *a, float *out)
{
    while (blockIdx.x && !flag[blockIdx.x - 1]) ;
    out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x];
}
__global__ void grid_barrier(const float *a, float *out)
{
    cooperative_groups::this_grid().sync();
    out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x];
}
__global__ void ranks(const float *a, float *out)
{
    out[cooperative_groups::this_thread_block().group_index().x * 32 + threadIdx.x] = a[blockIdx.x];
}
__global__ void timed(const float *a, long long *out) { out[blockIdx.x * 32 + threadIdx.x] = (long long)a[threadIdx.x] + clock64(); }
__global__ void where(const float *a, unsigned *out)
{
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    out[blockIdx.x] = sm + (unsigned)a[0];
}
__global__ void assembly(const float *a, unsigned *out)
{
    unsigned block;
    asm("mov.u32 %0, %%laneid;" : "=r"(block));
    out[blockIdx.x] = block + (unsigned)a[0];
}
__global__ void in_place(float *a) { a[blockIdx.x * 32 + threadIdx.x] += a[(blockIdx.x + 1) * 32 + threadIdx.x]; }
__global__ void scatter(const int *to, float *out) { out[to[blockIdx.x * 32 + threadIdx.x]] = blockIdx.x; }
__global__ void sum(const float *a, float *out) { atomicAdd(out, a[blockIdx.x * 32 + threadIdx.x]); }
__global__ void prints(const float *a) { printf("%u %f\n", blockIdx.x, a[threadIdx.x]); }
__global__ void unknown(const float *a, float *out) { out[blockIdx.x * 32 + threadIdx.x] = next(a[threadIdx.x]); }
__global__ void in_lambda(const float *a, float *out)
{
    auto block = [] { return blockIdx.x; };
    out[block() * 32 + threadIdx.x] = a[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) clusters(const float *a, float *out) { out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x]; }
__global__ void counted(const float *a, float *out)
{
    static int calls;
    out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x] + calls;
}
__global__ void same(const float *a, float *out) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void elsewhere(const float *a, float *out) { out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x]; }

void run(float *a, int *i, unsigned *u, long long *l)
{
    last_block<<<8, 32>>>(a, a + 64, a + 128);
    queue<<<8, 32>>>(a, i, a);
    spin<<<8, 32>>>(i, a, a);
    grid_barrier<<<8, 32>>>(a, a);
    ranks<<<8, 32>>>(a, a);
    timed<<<8, 32>>>(a, l);
    where<<<8, 32>>>(a, u);
    assembly<<<8, 32>>>(a, u);
    in_place<<<8, 32>>>(a);
    scatter<<<8, 32>>>(i, a);
    sum<<<8, 32>>>(a, a);
    prints<<<8, 32>>>(a);
    unknown<<<8, 32>>>(a, a);
    in_lambda<<<8, 32>>>(a, a);
    clusters<<<8, 32>>>(a, a);
    counted<<<8, 32>>>(a, a);
    same<<<8, 32>>>(a, a);
}
