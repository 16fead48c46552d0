// What CUDA 12 and 13 removed, and older programs use: references to textures and surfaces, flat copies of arrays, launches
// in three steps, cudaThread... functions. And small headers that programs expect beside the runtime's.
#include "check.h"
#include <cuComplex.h>
#include <cuda.h>
#include <nvToolsExt.h>

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<float, 2> plane;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
texture<int4, 1, cudaReadModeElementType> fours;
static texture<unsigned, 3> box;
surface<void, cudaSurfaceType2D> target;

__global__ void fetch(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x) + tex2D(plane, threadIdx.x + 0.5f, 1.5f); }
__global__ void colour(float4 *out) { out[threadIdx.x] = tex2D(colours, threadIdx.x, 0); }
__global__ void four(int *out)
{
    const int4 v = tex1Dfetch(fours, threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void deep(unsigned *out) { out[threadIdx.x] = tex3D(box, 1, 0, threadIdx.x); }
__global__ void put()
{
    surf2Dwrite(threadIdx.x * 2.0f, target, threadIdx.x * 4, 1);
}
__global__ void sum(int *out, int a, double b) { *out = a + (int)b; }

static void references()
{
    float *data = device_array<float>(8), *out = device_array<float>(8), rows[2][4] = {{0, 1, 2, 3}, {10, 20, 30, 40}};
    for (int i = 0; i < 8; ++i) data[i] = i * 100.0f;
    cudaArray *array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    size_t offset = 9;
    EXPECT_STATUS(cudaBindTexture(&offset, line, data, desc, 16), cudaSuccess);
    EXPECT(offset, 0u);
    EXPECT_STATUS(cudaMallocArray(&array, &plane.channelDesc, 4, 2), cudaSuccess);
    EXPECT_STATUS(cudaMemcpyToArray(array, 0, 0, rows, sizeof rows, cudaMemcpyHostToDevice), cudaSuccess);
    plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
    plane.filterMode = cudaFilterModePoint;
    plane.normalized = false;
    EXPECT_STATUS(cudaBindTextureToArray(plane, array, desc), cudaSuccess);
    fetch<<<1, 6>>>(out);
    finish();
    EXPECT(out[2], 200.0f + 30);
    EXPECT(out[5], 0.0f + 40);
    plane.filterMode = cudaFilterModeLinear;
    EXPECT_STATUS(cudaBindTextureToArray(plane, array), cudaSuccess);
    EXPECT_STATUS(cudaUnbindTexture(line), cudaSuccess);
    EXPECT_STATUS(cudaBindTexture(0, line, data), cudaSuccess);
    fetch<<<1, 6>>>(out);
    finish();
    EXPECT(out[5], 500.0f + 40);
    EXPECT_STATUS(cudaBindTexture(0, line, data, desc, 64), cudaSuccess);  // more than the array has
    fetch<<<1, 6>>>(out);
    finish();
    EXPECT(out[4], 400.0f + 40);
    const textureReference *reference;
    EXPECT_STATUS(cudaGetTextureReference(&reference, &plane), cudaSuccess);
    EXPECT(reference->filterMode, cudaFilterModeLinear);
    float back[4];
    EXPECT_STATUS(cudaMemcpyFromArray(back, array, 4, 0, 16, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT(back[3], 10.0f);  // runs on into the next row
    EXPECT_STATUS(cudaFreeArray(array), cudaSuccess);
}

static void other_kinds()
{
    unsigned char *bytes = device_array<unsigned char>(512);
    for (int i = 0; i < 16; ++i) bytes[i] = i * 17;
    float4 *out = device_array<float4>(4);
    EXPECT_STATUS(cudaBindTexture2D(0, colours, bytes, 4, 1, 512), cudaSuccess);
    colour<<<1, 4>>>(out);
    finish();
    EXPECT(out[3].w, 1.0f);
    EXPECT(out[1].x, 68 / 255.0f);
    int *numbers = device_array<int>(16), *sums = device_array<int>(4);
    for (int i = 0; i < 16; ++i) numbers[i] = i;
    EXPECT_STATUS(cudaBindTexture(0, fours, numbers, 64), cudaSuccess);
    four<<<1, 4>>>(sums);
    finish();
    EXPECT(sums[2], 8 + 9 + 10 + 11);
    cudaArray *array;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned>();
    EXPECT_STATUS(cudaMalloc3DArray(&array, &desc, make_cudaExtent(2, 2, 3)), cudaSuccess);
    unsigned values[12], *found = device_array<unsigned>(4);
    for (unsigned i = 0; i < 12; ++i) values[i] = i;
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(values, 8, 2, 2);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(2, 2, 3);
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_STATUS(cudaMemcpy3D(&copy), cudaSuccess);
    EXPECT_STATUS(cudaBindTextureToArray(box, array), cudaSuccess);
    deep<<<1, 3>>>(found);
    finish();
    EXPECT(found[2], 9u);
    cudaArray *written;
    const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
    float row[4];
    EXPECT_STATUS(cudaMallocArray(&written, &real, 4, 2, cudaArraySurfaceLoadStore), cudaSuccess);
    EXPECT_STATUS(cudaBindSurfaceToArray(target, written), cudaSuccess);
    put<<<1, 4>>>();
    finish();
    EXPECT_STATUS(cudaMemcpy2DFromArray(row, 16, written, 0, 1, 16, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT(row[3], 6.0f);
}

static void old_calls()
{
    int *out = device_array<int>(1);
    EXPECT_STATUS(cudaConfigureCall(1, 1), cudaSuccess);
    EXPECT_STATUS(cudaSetupArgument(out, 0), cudaSuccess);
    EXPECT_STATUS(cudaSetupArgument(5, 8), cudaSuccess);
    EXPECT_STATUS(cudaSetupArgument(7.5, 16), cudaSuccess);
    EXPECT_STATUS(cudaLaunch(sum), cudaSuccess);
    EXPECT_STATUS(cudaThreadSynchronize(), cudaSuccess);
    EXPECT(*out, 12);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    EXPECT_STATUS(cudaLaunchKernelEx(&config, sum, out, 1, 2), cudaSuccess);
    finish();
    EXPECT(*out, 3);
    size_t limit;
    EXPECT_STATUS(cudaThreadSetLimit(cudaLimitMallocHeapSize, 1 << 24), cudaSuccess);
    EXPECT_STATUS(cudaThreadGetLimit(&limit, cudaLimitMallocHeapSize), cudaSuccess);
    EXPECT(limit, 1u << 24);
    cudaIpcMemHandle_t handle;
    int *shared;
    EXPECT_STATUS(cudaMalloc(&shared, 64), cudaSuccess);
    EXPECT_STATUS(cudaIpcGetMemHandle(&handle, shared), cudaErrorNotSupported);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorNotSupported);
    nvtxRangePushA("nothing to see");
    nvtxRangePop();
    const cuComplex a = cuCmulf(make_cuComplex(1, 2), make_cuComplex(3, 4));
    EXPECT(cuCrealf(a), -5.0f);
    EXPECT(cuCimagf(a), 10.0f);
    EXPECT(cuCabs(make_cuDoubleComplex(3, 4)), 5.0);
    EXPECT_STATUS(cudaThreadExit(), cudaSuccess);
}

// The driver API, as far as it needs no GPU code.
static void driver_api()
{
    CUdevice device;
    CUcontext context, current;
    CUdeviceptr memory;
    CUstream stream;
    CUfunction function;
    int number = 20, result = 0;
    double real = 22.5;
    EXPECT_STATUS(cuInit(0), CUDA_SUCCESS);
    EXPECT_STATUS(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    EXPECT_STATUS(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, device), CUDA_SUCCESS);
    EXPECT_STATUS(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT(current == context, true);
    EXPECT_STATUS(cuMemAlloc(&memory, 2 * sizeof(int)), CUDA_SUCCESS);
    EXPECT_STATUS(cuMemsetD32(memory, 7, 2), CUDA_SUCCESS);
    EXPECT_STATUS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_STATUS(cudaGetFuncBySymbol(&function, sum), cudaSuccess);
    void *arguments[] = {&memory, &number, &real};
    EXPECT_STATUS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), CUDA_SUCCESS);
    EXPECT_STATUS(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_STATUS(cuMemcpyDtoH(&result, memory, sizeof result), CUDA_SUCCESS);
    EXPECT(result, 42);
    EXPECT_STATUS(cuMemcpyDtoH(&result, memory + sizeof(int), sizeof result), CUDA_SUCCESS);
    EXPECT(result, 7);
    EXPECT_STATUS(cuMemFree(memory), CUDA_SUCCESS);
    EXPECT_STATUS(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 40), CUDA_SUCCESS);
    CUresult (*attribute)(int *, CUfunction_attribute, CUfunction);
    cudaDriverEntryPointQueryResult answer;
    EXPECT_STATUS(cudaGetDriverEntryPoint("cuFuncGetAttribute", (void **)&attribute, cudaEnableDefault, &answer), cudaSuccess);
    EXPECT(answer, cudaDriverEntryPointSuccess);
    EXPECT_STATUS(attribute(&result, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, function), CUDA_SUCCESS);
    EXPECT(result, 40);
    cudaFuncAttributes attributes;
    EXPECT_STATUS(cudaFuncGetAttributes(&attributes, sum), cudaSuccess);
    EXPECT(attributes.preferredShmemCarveout, 40);
    EXPECT_STATUS(attribute(&result, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function), CUDA_SUCCESS);
    EXPECT(result, attributes.maxDynamicSharedSizeBytes);
    EXPECT_STATUS(attribute(&result, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, (CUfunction)&result), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_STATUS(cudaGetDriverEntryPointByVersion("cuNothing", (void **)&attribute, 12000, 0, &answer), cudaSuccess);
    EXPECT(answer, cudaDriverEntryPointSymbolNotFound);
    EXPECT_STATUS(cudaGetDriverEntryPointByVersion("cuNothing", (void **)&attribute, 12000, 0), cudaErrorSymbolNotFound);
    unsigned long long before, after;
    EXPECT_STATUS(cuCtxGetId(context, &before), CUDA_SUCCESS);
    EXPECT_STATUS(cuCtxGetId(nullptr, &after), CUDA_SUCCESS);
    EXPECT(after, before);
    CUcontext primary;
    EXPECT_STATUS(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    EXPECT_STATUS(cuCtxGetId(primary, &before), CUDA_SUCCESS);
    EXPECT_STATUS(cudaDeviceReset(), cudaSuccess);
    EXPECT_STATUS(cuCtxGetId(primary, &after), CUDA_SUCCESS);
    EXPECT(after != before, true);
    EXPECT_STATUS(cuStreamDestroy(stream), CUDA_SUCCESS);
    EXPECT_STATUS(cuCtxDestroy(context), CUDA_SUCCESS);
}

int main()
{
    driver_api();
    references();
    other_kinds();
    old_calls();
    return verdict();
}
