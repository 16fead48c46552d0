// The runtime API: answers, errors, and what a launch may ask for. Built for titan-v.
#include "check.h"
#include <cstring>

__global__ void small(int *p) { *p = 1; }
__global__ void __launch_bounds__(128) bounded(int *p) { *p = 2; }
__global__ void uses_shared(float *p)
{
    __shared__ float s[3000];
    s[threadIdx.x] = 1;
    *p = s[0];
}

__device__ float first_of_shared(float x)
{
    __shared__ float s[1000];
    s[threadIdx.x] = x;
    return s[0];
}
__device__ float indirectly(float x) { return first_of_shared(x); }
__global__ void calls_a_function_with_shared(float *p)
{
    __shared__ float s[10];
    s[threadIdx.x] = indirectly(1);
    *p = s[0];
}

static void launch_errors(int *p)
{
    small<<<1, 2048>>>(p);
    EXPECT_STATUS(cudaPeekAtLastError(), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaGetLastError(), cudaSuccess);
    small<<<0, 1>>>(p);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    bounded<<<1, 256>>>(p);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    small<<<dim3(1, 70000), 1>>>(p);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    small<<<1, 1, 60000>>>(p);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000), cudaSuccess);
    small<<<1, 1, 60000>>>(p);
    finish();
    EXPECT(*p, 1);
    EXPECT_STATUS(cudaLaunchKernel((const void *)nullptr, 1, 1, nullptr, 0, 0), cudaErrorInvalidDeviceFunction);
    cudaGetLastError();
}

static void attributes()
{
    cudaFuncAttributes a;
    EXPECT_STATUS(cudaFuncGetAttributes(&a, small), cudaSuccess);
    EXPECT(a.maxDynamicSharedSizeBytes, 60000);
    EXPECT(a.numRegs, 32);
    EXPECT(a.preferredShmemCarveout, -1);
    EXPECT_STATUS(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaFuncSetAttribute(small, cudaFuncAttributePreferredSharedMemoryCarveout, 50), cudaSuccess);
    EXPECT_STATUS(cudaFuncGetAttributes(&a, (const void *)small), cudaSuccess);
    EXPECT(a.preferredShmemCarveout, 50);
    EXPECT_STATUS(cudaFuncGetAttributes(&a, uses_shared), cudaSuccess);
    EXPECT(a.sharedSizeBytes, 12000u);
    EXPECT(a.maxDynamicSharedSizeBytes, 49152 - 12000);
    EXPECT_STATUS(cudaFuncGetAttributes(&a, calls_a_function_with_shared), cudaSuccess);
    EXPECT(a.sharedSizeBytes >= 4040 && a.sharedSizeBytes <= 4064, true);
    int blocks = 0, size = 0;
    EXPECT_STATUS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 256, 0), cudaSuccess);
    EXPECT(blocks, 8);
    EXPECT_STATUS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 2000, 0), cudaSuccess);
    EXPECT(blocks, 0);
    EXPECT_STATUS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_shared, 128, 0), cudaSuccess);
    EXPECT(blocks, 8);
    EXPECT_STATUS(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, bounded), cudaSuccess);
    EXPECT(size, 128);
    cudaDeviceProp device;
    EXPECT_STATUS(cudaGetDeviceProperties(&device, 0), cudaSuccess);
    EXPECT(device.multiProcessorCount, 80);
    EXPECT(device.major, 7);
    int value = 0;
    EXPECT_STATUS(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0), cudaSuccess);
    EXPECT(value, 98304);
    EXPECT(device.computeMode, 0);
    EXPECT_STATUS(cudaDeviceGetAttribute(&value, cudaDevAttrComputeMode, 0), cudaSuccess);
    EXPECT(value, 0);
    EXPECT_STATUS(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DHeight, 0), cudaSuccess);
    EXPECT(value, device.maxTexture2D[1]);
    EXPECT_STATUS(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)136, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    EXPECT_STATUS(cudaSetDevice(1), cudaErrorInvalidDevice);
    cudaGetLastError();
}

static void memory()
{
    int *p = nullptr, host[12], back[12] = {};
    EXPECT_STATUS(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    EXPECT(p == nullptr, true);
    EXPECT_STATUS(cudaFree(host), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaFree(nullptr), cudaSuccess);
    int *few = device_array<int>(4);
    EXPECT_STATUS(cudaMemset(few, 0, 17), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemcpy(few + 2, host, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemcpy(few, few, (size_t)-1, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemcpy2D(few, 16, few, 16, 16, (size_t)1 << 60, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemset(few, 0, (size_t)-1), cudaErrorInvalidValue);
    cudaGetLastError();
    for (int i = 0; i < 12; ++i) host[i] = i;
    EXPECT_STATUS(cudaMalloc(&p, 64), cudaSuccess);
    EXPECT_STATUS(cudaMemcpy(p, host, 48, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemcpy(host, p, 48, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_STATUS(cudaMemcpy(host, p, 48, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
    EXPECT_STATUS(cudaFree(p), cudaSuccess);
    size_t pitch = 0;
    EXPECT_STATUS(cudaMallocPitch(&p, &pitch, 16, 3), cudaSuccess);
    EXPECT(pitch % 32, 0u);
    EXPECT_STATUS(cudaMemcpy2D(p, pitch, host, 16, 16, 3, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_STATUS(cudaMemcpy2D(back, 16, p, pitch, 16, 3, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT(memcmp(host, back, sizeof host), 0);
    EXPECT_STATUS(cudaMemset2D(p, pitch, 1, 4, 2), cudaSuccess);
    EXPECT(p[0], 0x01010101);
    EXPECT(p[1], 1);
    cudaPointerAttributes about;
    EXPECT_STATUS(cudaPointerGetAttributes(&about, p + 2), cudaSuccess);
    EXPECT((int)about.type, (int)cudaMemoryTypeDevice);
    EXPECT_STATUS(cudaPointerGetAttributes(&about, host), cudaSuccess);
    EXPECT((int)about.type, (int)cudaMemoryTypeUnregistered);
    EXPECT_STATUS(cudaFree(p), cudaSuccess);
    cudaStream_t stream;
    EXPECT_STATUS(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_STATUS(cudaMallocAsync(&p, 64, stream), cudaSuccess);
    EXPECT_STATUS(cudaMemsetAsync(p, 0, 64, stream), cudaSuccess);
    cudaEvent_t begin, end;
    EXPECT_STATUS(cudaEventCreate(&begin), cudaSuccess);
    EXPECT_STATUS(cudaEventCreate(&end), cudaSuccess);
    EXPECT_STATUS(cudaEventRecord(begin, stream), cudaSuccess);
    small<<<1, 1, 0, stream>>>(p);
    EXPECT_STATUS(cudaEventRecord(end, stream), cudaSuccess);
    EXPECT_STATUS(cudaStreamSynchronize(stream), cudaSuccess);
    float milliseconds = -1;
    EXPECT_STATUS(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
    EXPECT(milliseconds >= 0, true);
    EXPECT_STATUS(cudaFreeAsync(p, stream), cudaSuccess);
    EXPECT_STATUS(cudaStreamDestroy(stream), cudaSuccess);
}

int main()
{
    launch_errors(device_array<int>(1));
    attributes();
    memory();
    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"), 0);
    EXPECT(strcmp(cudaGetErrorString(cudaSuccess), "no error"), 0);
    return verdict();
}
