#include "kernels.h"

#ifdef SEPARATE
__device__ float twice(float value);
#else
static __device__ float twice(float value) { return 2 * value; }
#endif

static_assert(sizeof(TEXT) == 4, "a definition with a blank in it");

__global__ void scale_kernel(float *data, int count, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] = twice(data[i]) * factor;
}

void scale(float *data, int count, float factor) {
    scale_kernel<<<(count + 63) / 64, 64>>>(data, count, factor);
}
