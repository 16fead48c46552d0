#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "kernels.h"

int main() {
    const int count = 1000;
    std::vector<float> host(count, 3);
    float *device = nullptr;
    if (cudaMalloc(&device, count * sizeof(float)) != cudaSuccess) return 2;
    cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    scale(device, count, 5);
    add(device, count, 7);
    local(device, count);
    if (cudaDeviceSynchronize() != cudaSuccess) return 3;
    cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (float value : host)
        if (value != 36) return std::printf("%f\n", value), 1;
    return 0;
}
