// The driver API's memory: allocation, address ranges, flat copies and fills, copies of rectangles and boxes with every kind of side.
// flags: -std=c++17 -lcuda
#include "api_print.h"
#include <cuda.h>

#define RESULT(call)                                \
    do {                                            \
        const char *name_ = nullptr;                \
        cuGetErrorName(call, &name_);               \
        printf("%s: %s\n", #call, name_ ? name_ : "?"); \
    } while (0)

enum { BYTES = 96, W = 8, H = 4, D = 3 };
static CUdeviceptr device, other;
static unsigned char host[BYTES], back[BYTES], *pinned;
static CUstream stream;

static void show(const char *what, CUdeviceptr from, int count)
{
    unsigned char values[BYTES];
    cuMemcpyDtoH(values, from, count);
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}
static void print(const char *what, const unsigned char *values, int count)
{
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}

static void allocations()
{
    printf("-- allocations\n");
    CUdeviceptr p = 0, base = 0;
    size_t bytes = 0, pitch = 0, available = 0, total = 0;
    void *h = nullptr;
    RESULT(cuMemAlloc(&p, 1000));
    RESULT(cuMemGetAddressRange(&base, &bytes, p + 10));
    printf("%d %zu\n", base == p, bytes);
    RESULT(cuMemGetAddressRange(nullptr, &bytes, p));
    RESULT(cuMemGetAddressRange(&base, nullptr, p));
    RESULT(cuMemGetAddressRange(&base, &bytes, 16));
    RESULT(cuMemFree(p + 1));
    RESULT(cuMemFree(p));
    RESULT(cuMemFree(p));
    RESULT(cuMemFree(0));
    RESULT(cuMemGetAddressRange(&base, &bytes, p));
    RESULT(cuMemAlloc(&p, 0));
    RESULT(cuMemAlloc(nullptr, 16));
    RESULT(cuMemAlloc(&p, (size_t)1 << 50));
    RESULT(cuMemAllocManaged(&p, 100, CU_MEM_ATTACH_GLOBAL));
    *(int *)p = 5;
    RESULT(cuMemGetAddressRange(&base, &bytes, p + 1));
    printf("%d %zu\n", base == p, bytes);
    RESULT(cuMemFree(p));
    RESULT(cuMemAllocManaged(&p, 100, 0));
    RESULT(cuMemAllocManaged(&p, 100, 3));
    RESULT(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
    for (unsigned element : {4u, 8u, 16u, 2u, 0u}) {
        const CUresult status = cuMemAllocPitch(&p, &pitch, 100, 3, element);
        printf("pitch for elements of %u: %d, %zu\n", element, (int)status, status == CUDA_SUCCESS ? pitch : 0);
        if (status == CUDA_SUCCESS) RESULT(cuMemFree(p));
    }
    RESULT(cuMemAllocPitch(&p, &pitch, 0, 3, 4));
    RESULT(cuMemAllocPitch(&p, &pitch, 3, 0, 4));
    RESULT(cuMemAllocPitch(nullptr, &pitch, 3, 3, 4));
    RESULT(cuMemAllocHost(&h, 100));
    RESULT(cuMemFreeHost((char *)h + 1));
    RESULT(cuMemFree((CUdeviceptr)h));
    RESULT(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)h));
    printf("%d %zu\n", base == (CUdeviceptr)h, bytes);
    RESULT(cuMemFreeHost(h));
    RESULT(cuMemFreeHost(h));
    RESULT(cuMemFreeHost(nullptr));
    RESULT(cuMemAllocHost(&h, 0));
    RESULT(cuMemAllocHost(nullptr, 16));
    RESULT(cuMemGetInfo(&available, &total));
    printf("%d\n", available <= total && available);
    RESULT(cuMemGetInfo(nullptr, &total));
}

static void flat()
{
    printf("-- flat\n");
    RESULT(cuMemcpyHtoD(device, host, 20));
    RESULT(cuMemcpyDtoD(other + 1, device, 10));
    RESULT(cuMemcpy(other + 12, device + 5, 4));
    RESULT(cuMemcpyDtoH(back, other, 18));
    print("back", back, 18);
    RESULT(cuMemcpy((CUdeviceptr)pinned, other, 8));
    RESULT(cuMemcpy((CUdeviceptr)back, (CUdeviceptr)pinned, 8));
    print("back", back, 8);
    RESULT(cuMemcpyHtoDAsync(device, pinned, 8, stream));
    RESULT(cuMemcpyDtoDAsync(other, device, 8, stream));
    RESULT(cuMemcpyDtoHAsync(pinned + 8, other, 8, stream));
    RESULT(cuMemcpyAsync(other + 30, other, 4, stream));
    RESULT(cuStreamSynchronize(stream));
    print("pinned", pinned, 16);
    RESULT(cuMemsetD8(device, 7, 5));
    RESULT(cuMemsetD32(other, 0x01020304, 3));
    show("fills", device, 8);
    show("fills", other, 14);
    RESULT(cuMemsetD8(0, 7, 5));
    RESULT(cuMemsetD8(device, 7, 0));
    RESULT(cuMemsetD32(other + 2, 1, 1));
    RESULT(cuMemcpyHtoD(device, host, 0));
    RESULT(cuMemcpyHtoD(0, host, 0));
    RESULT(cuMemcpyHtoD(0, host, 4));
    RESULT(cuMemcpyHtoD(device, nullptr, 4));
    RESULT(cuMemcpyDtoH(nullptr, device, 4));
    RESULT(cuMemcpyDtoH(back, 0, 4));
    RESULT(cuMemcpyDtoD(0, device, 4));
    RESULT(cuMemcpy(0, device, 4));
    RESULT(cuMemcpyHtoD((CUdeviceptr)pinned, host, 4));
    RESULT(cuMemcpyDtoH(back, (CUdeviceptr)pinned, 4));
    RESULT(cuMemcpyHtoD(device, (void *)other, 4));
    RESULT(cuMemcpyDtoH((void *)other, device, 4));
}

static void lines()
{
    printf("-- lines\n");
    CUDA_ARRAY_DESCRIPTOR wanted = {};
    wanted.Width = 16, wanted.Format = CU_AD_FORMAT_UNSIGNED_INT16, wanted.NumChannels = 1;
    CUarray line;
    RESULT(cuArrayCreate(&line, &wanted));
    RESULT(cuMemcpyHtoA(line, 0, host, 32));
    RESULT(cuMemcpyHtoD(device, host + 50, 32));
    RESULT(cuMemcpyDtoA(line, 4, device, 6));
    RESULT(cuMemcpyAtoD(other, line, 2, 12));
    show("array", other, 12);
    RESULT(cuMemcpyAtoH(back, line, 26, 6));
    print("end", back, 6);
    RESULT(cuMemcpyDtoA(line, 30, device, 4));
    RESULT(cuMemcpyDtoA(line, 1, device, 4));
    RESULT(cuMemcpyDtoA(line, 0, device, 3));
    RESULT(cuMemcpyAtoD(0, line, 0, 4));
    RESULT(cuMemcpyAtoD(other, nullptr, 0, 4));
    RESULT(cuMemcpyAtoD(other, line, 0, 0));
    RESULT(cuArrayDestroy(line));
    RESULT(cuArrayDestroy(nullptr));
}

static CUDA_MEMCPY2D rows(CUdeviceptr to, const void *from)
{
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = from, c.srcPitch = W;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = to, c.dstPitch = W;
    c.WidthInBytes = 3, c.Height = 2;
    return c;
}
static void rectangles()
{
    printf("-- rectangles\n");
    RESULT(cuMemsetD8(device, 0, BYTES));
    RESULT(cuMemsetD8(other, 0, BYTES));
    CUDA_MEMCPY2D c = rows(device, host);
    c.srcXInBytes = 2, c.srcY = 1, c.dstXInBytes = 4, c.dstY = 2;
    RESULT(cuMemcpy2D(&c));
    show("to device", device, 32);
    c = rows(other, nullptr);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = device + 20, c.dstPitch = 5;
    RESULT(cuMemcpy2DUnaligned(&c));
    c.dstDevice = other + 20;
    RESULT(cuMemcpy2DAsync(&c, stream));
    RESULT(cuStreamSynchronize(stream));
    show("on device", other, 32);
    c = rows(0, nullptr);
    c.srcMemoryType = CU_MEMORYTYPE_UNIFIED, c.srcDevice = other;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = back;
    RESULT(cuMemcpy2D(&c));
    print("unified to host", back, 12);
    c = rows(device, host);
    c.srcPitch = 0, c.dstPitch = 0;
    RESULT(cuMemcpy2D(&c));
    show("packed", device, 12);
    c = rows(device, host), c.srcPitch = 2;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.dstPitch = 2;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.dstPitch = 2, c.Height = 1;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.srcXInBytes = 6;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.WidthInBytes = 0;
    RESULT(cuMemcpy2D(&c));
    c = rows(0, host);
    RESULT(cuMemcpy2D(&c));
    c = rows(0, nullptr), c.Height = 0;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, nullptr);
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.srcMemoryType = (CUmemorytype)0;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.srcMemoryType = (CUmemorytype)9;
    RESULT(cuMemcpy2D(&c));
    c = rows(device, host), c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    RESULT(cuMemcpy2D(&c));
    RESULT(cuMemcpy2D(nullptr));
}

static void boxes()
{
    printf("-- boxes\n");
    RESULT(cuMemsetD8(device, 0, BYTES));
    CUDA_ARRAY3D_DESCRIPTOR wanted = {};
    wanted.Width = W, wanted.Height = H, wanted.Depth = D, wanted.Format = CU_AD_FORMAT_UNSIGNED_INT8, wanted.NumChannels = 1;
    CUarray box;
    RESULT(cuArray3DCreate(&box, &wanted));
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host, c.srcPitch = W, c.srcHeight = H;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = box;
    c.WidthInBytes = W, c.Height = H, c.Depth = D;
    RESULT(cuMemcpy3D(&c));
    c = {};
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = box, c.srcXInBytes = 1, c.srcY = 2, c.srcZ = 1;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = device, c.dstPitch = 6, c.dstHeight = 3, c.dstXInBytes = 2, c.dstY = 1;
    c.WidthInBytes = 3, c.Height = 2, c.Depth = 2;
    RESULT(cuMemcpy3DAsync(&c, stream));
    RESULT(cuStreamSynchronize(stream));
    show("from the array", device, 40);
    c.srcZ = 2;
    RESULT(cuMemcpy3D(&c));
    c.srcZ = 1, c.srcXInBytes = 6;
    RESULT(cuMemcpy3D(&c));
    c.srcXInBytes = 1, c.dstHeight = 1;
    RESULT(cuMemcpy3D(&c));
    c.dstHeight = 0, c.dstPitch = 0, c.dstXInBytes = 0, c.dstY = 0;
    RESULT(cuMemcpy3D(&c));
    show("packed", device, 14);
    c.srcLOD = 1;
    RESULT(cuMemcpy3D(&c));
    c.srcLOD = 0, c.Depth = 0;
    RESULT(cuMemcpy3D(&c));
    c.Depth = 2, c.srcArray = nullptr;
    RESULT(cuMemcpy3D(&c));
    RESULT(cuMemcpy3DAsync(nullptr, stream));
    RESULT(cuArrayDestroy(box));
    wanted.Depth = 7, wanted.Flags = CUDA_ARRAY3D_CUBEMAP;
    RESULT(cuArray3DCreate(&box, &wanted));
    wanted.Depth = 3, wanted.Flags = CUDA_ARRAY3D_TEXTURE_GATHER;
    RESULT(cuArray3DCreate(&box, &wanted));
    wanted.Flags = 0, wanted.Format = (CUarray_format)0x77;
    RESULT(cuArray3DCreate(&box, &wanted));
    wanted.Format = CU_AD_FORMAT_HALF, wanted.NumChannels = 3;
    RESULT(cuArray3DCreate(&box, &wanted));
    wanted.NumChannels = 1, wanted.Width = 0;
    RESULT(cuArray3DCreate(&box, &wanted));
    CUDA_ARRAY_DESCRIPTOR flat;
    RESULT(cuArrayGetDescriptor(&flat, nullptr));
    RESULT(cuArray3DCreate(nullptr, &wanted));
}

int main()
{
    MUST(cudaFree(0));
    for (int i = 0; i < BYTES; ++i) host[i] = (unsigned char)(i + 1);
    RESULT(cuMemAlloc(&device, BYTES));
    RESULT(cuMemAlloc(&other, BYTES));
    MUST(cudaMallocHost(&pinned, BYTES));
    memset(pinned, 0, BYTES);
    RESULT(cuMemsetD8(device, 0, BYTES));
    RESULT(cuMemsetD8(other, 0, BYTES));
    RESULT(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    allocations();
    flat();
    lines();
    rectangles();
    boxes();
    RESULT(cuStreamDestroy(stream));
}
