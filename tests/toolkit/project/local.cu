#include "kernels.h"

__global__ void local_kernel(float *data, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] -= 1;
}

void local(float *data, int count) { local_kernel<<<(count + 63) / 64, 64>>>(data, count); }
