// gpu: h200; learn: on
// Kernels that ask which thread, block, warp or multiprocessor really runs.
#include <cooperative_groups.h>
#define LANE "mov.u32 %0, %%laneid;"
extern __device__ float next(float);
__global__ void lane(unsigned *x) { unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); x[blockIdx.x] = l; }
__global__ void hidden(unsigned *x) { unsigned l; asm(LANE : "=r"(l)); x[blockIdx.x] = l; }
__global__ void memory(unsigned *x) { asm volatile("st.global.u32 [%0], %1;" :: "l"(x + blockIdx.x), "r"(1)); }
__global__ void sm(unsigned *x) { unsigned l; asm("mov.u32 %0, %%smid;" : "=r"(l)); x[blockIdx.x] = l; }
__global__ void when(long long *x) { x[blockIdx.x] = clock64(); }
__global__ void group(unsigned *x) { x[blockIdx.x] = cooperative_groups::this_thread_block().group_index().x; }
__global__ void now(unsigned *x) { x[blockIdx.x] = cooperative_groups::coalesced_threads().size(); }
__global__ void unknown(float *x) { x[blockIdx.x] = next(x[blockIdx.x]); }
__global__ void prints() { printf("%d\n", blockIdx.x); }
__global__ void __cluster_dims__(2, 1, 1) cluster(float *x) { x[blockIdx.x] += 1; }

void all(float *x, unsigned *u, long long *l)
{
    lane<<<300, 64>>>(u);
    hidden<<<300, 64>>>(u);
    memory<<<300, 64>>>(u);
    sm<<<300, 64>>>(u);
    when<<<300, 64>>>(l);
    group<<<300, 64>>>(u);
    now<<<300, 64>>>(u);
    unknown<<<300, 64>>>(x);
    prints<<<300, 64>>>();
    cluster<<<300, 64>>>(x);
}
