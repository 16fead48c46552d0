#include <cuda_runtime.h>
#include <cuda_runtime_api.h>

#include <cstring>

int main() {
    int devices = 0, version = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1) return 1;
    if (cudaRuntimeGetVersion(&version) != cudaSuccess || version != CUDART_VERSION) return 2;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.multiProcessorCount < 1) return 3;
    int *memory = nullptr;
    float4 four = make_float4(1, 2, 3, 4);
    if (cudaMalloc((void **)&memory, 100) != cudaSuccess || cudaMemset(memory, 1, 100) != cudaSuccess) return 4;
    int value = 0;
    if (cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost) != cudaSuccess || value != 0x01010101) return 5;
    return cudaFree(memory) == cudaSuccess && four.w == 4 && std::strlen(cudaGetErrorString(cudaSuccess)) ? 0 : 6;
}
