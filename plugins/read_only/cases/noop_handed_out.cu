// learn: on; args: -std=c++17
// Functions that write where an argument points or refers to, and atomics that let others' stores be seen.
#include <cooperative_groups.h>

static __global__ void matched(int *y, int *x, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        y[i] += x[i];
        y[i] += __match_all_sync(0xffffffffu, y[i] & 1, x + i);
    }
}

static __global__ void matched_in_tile(int *y, int *x, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    for (int j = 0; j < m; ++j) {
        y[i] += x[i];
        y[i] += tile.match_all(y[i] & 1, x[i]);
    }
}

static __global__ void from_surface(int *y, int *x, cudaSurfaceObject_t surface, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        y[i] += x[i];
        surf2Dread(x + i, surface, j * 4, 0);
    }
}

static __global__ void one_of_two(float *y, int *x, int *z, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        y[i] += x[i] + z[i];
        int *p = j & 1 ? x + i : z + i;
        y[i] = frexpf(y[i], p);
    }
}

static __global__ void acquired(int *y, const int *x, int *flag, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        y[i] += x[i];
        y[i] += __nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    }
}

void all(int *y, int *x, float *f, cudaSurfaceObject_t surface, int m)
{
    matched<<<4, 64>>>(y, x, m);
    matched_in_tile<<<4, 64>>>(y, x, m);
    from_surface<<<4, 64>>>(y, x, surface, m);
    one_of_two<<<4, 64>>>(f, x, y, m);
    acquired<<<4, 64>>>(y, x, x + 1000, m);
}
