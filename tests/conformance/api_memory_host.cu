// flags: -std=c++17
// Host memory and what the runtime knows of pointers: flags, registration, attributes of every kind of address, wrong frees.
#include "api_print.h"

enum { PAGE = 4096 };
__device__ int variable[4] = {1, 2, 3, 4};
__constant__ float table[8];
__device__ __managed__ int shared[3] = {5, 6, 7};
template <class T> __device__ T numbers[6];
struct Pair { double a; char b; };
__device__ Pair pairs[2][3];
__global__ void uses(int *out)
{
    out[threadIdx.x] = variable[threadIdx.x & 3] + numbers<short>[0] + (int)table[0] + shared[0] + pairs[1][2].b;
    numbers<double>[1] = 2;
}
__global__ void add(int *p) { p[threadIdx.x] += 100; }

static const char *place(const void *found, const void *asked)
{
    return !found ? "null" : found == asked ? "the same" : "another";
}
static void kind(const char *what, const void *p)
{
    cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    const cudaError_t status = cudaPointerGetAttributes(&a, p);
    printf("%s: %s type %d device %d, device pointer %s, host pointer %s\n", what, cudaGetErrorName(status), (int)a.type,
           a.device, place(a.devicePointer, p), place(a.hostPointer, p));
    if (status != cudaSuccess) cudaGetLastError();
}
static void flags_of(const char *what, void *p)
{
    unsigned flags = 77;
    const cudaError_t status = cudaHostGetFlags(&flags, p);
    printf("flags of %s: %s %u\n", what, cudaGetErrorName(status), flags);
    if (status != cudaSuccess) cudaGetLastError();
}

static void pinned()
{
    printf("-- pinned\n");
    void *p = nullptr, *mapped = nullptr;
    for (unsigned flags = 0; flags < 9; ++flags) {
        const cudaError_t status = cudaHostAlloc(&p, 100, flags);
        printf("cudaHostAlloc with %u: %s\n", flags, cudaGetErrorName(status));
        if (status != cudaSuccess) {
            cudaGetLastError();
            continue;
        }
        flags_of("it", p);
        kind("it", p);
        SHOW(cudaFreeHost(p));
    }
    SHOW(cudaHostAlloc((void **)nullptr, 16, 0));
    SHOW(cudaHostAlloc(&p, 0, 0));
    printf("null %d\n", p == nullptr);
    SHOW(cudaMallocHost((void **)nullptr, 16));
    SHOW(cudaMallocHost(&p, 0));
    printf("null %d\n", p == nullptr);
    char *block;
    MUST(cudaMallocHost(&block, 3 * PAGE));
    kind("start", block);
    kind("inside", block + PAGE + 1);
    kind("last byte", block + 3 * PAGE - 1);
    SHOW(cudaHostGetDevicePointer(&mapped, block + 5, 0));
    printf("mapped %s\n", place(mapped, block + 5));
    SHOW(cudaHostGetDevicePointer(&mapped, block, 1));
    SHOW(cudaHostGetDevicePointer((void **)nullptr, block, 0));
    SHOW(cudaHostGetDevicePointer(&mapped, nullptr, 0));
    flags_of("inside", block + 1);
    SHOW(cudaHostGetFlags(nullptr, block));
    SHOW(cudaHostUnregister(block));
    SHOW(cudaFreeHost(block + 8));
    SHOW(cudaFreeHost(block));
    SHOW(cudaFreeHost(block));
    kind("freed", block);
    flags_of("freed", block);
    SHOW(cudaHostGetDevicePointer(&mapped, block, 0));
}

static void registered()
{
    printf("-- registered\n");
    char *raw = nullptr, *const none = nullptr;
    void *mapped = nullptr;
    if (posix_memalign((void **)&raw, PAGE, 4 * PAGE)) return;
    memset(raw, 0, 4 * PAGE);
    SHOW(cudaHostRegister(none, PAGE, 0));
    SHOW(cudaHostRegister(raw, 0, 0));
    SHOW(cudaHostRegister(raw, PAGE, 16));
    SHOW(cudaHostRegister(raw, PAGE, 1 << 20));
    SHOW(cudaHostUnregister(raw));
    SHOW(cudaHostUnregister(none));
    for (unsigned flags : {0u, 1u, 2u, 3u, 8u}) {
        const cudaError_t status = cudaHostRegister(raw, PAGE, flags);
        printf("cudaHostRegister with %u: %s\n", flags, cudaGetErrorName(status));
        if (status != cudaSuccess) {
            cudaGetLastError();
            continue;
        }
        flags_of("it", raw);
        kind("it", raw);
        SHOW(cudaHostUnregister(raw));
    }
    SHOW(cudaHostRegister(raw + 100, 200, cudaHostRegisterMapped));
    kind("first byte", raw + 100);
    kind("last byte", raw + 299);
    SHOW(cudaHostGetDevicePointer(&mapped, raw + 100, 0));
    printf("mapped %s\n", place(mapped, raw + 100));
    SHOW(cudaHostGetDevicePointer(&mapped, raw + 200, 0));
    SHOW(cudaHostUnregister(raw + 101));
    SHOW(cudaHostUnregister(raw + 100));
    kind("no longer", raw + 100);
    SHOW(cudaHostGetDevicePointer(&mapped, raw + 100, 0));
    SHOW(cudaHostRegister(raw + PAGE, 2 * PAGE, 0));
    SHOW(cudaHostRegister(raw + PAGE, PAGE, 0));
    SHOW(cudaHostRegister(raw + 2 * PAGE, PAGE, 0));
    SHOW(cudaHostRegister(raw, 2 * PAGE, 0));
    SHOW(cudaHostRegister(raw, 4 * PAGE, 0));
    SHOW(cudaHostRegister(raw, PAGE, 0));
    SHOW(cudaHostRegister(raw + 3 * PAGE, PAGE, 0));
    kind("second", raw + PAGE);
    kind("inside the second", raw + 2 * PAGE + 7);
    int *const numbers = (int *)(raw + PAGE);
    numbers[0] = 5;
    add<<<1, 2>>>(numbers);
    MUST(cudaDeviceSynchronize());
    printf("%d %d\n", numbers[0], numbers[1]);
    SHOW(cudaFreeHost(raw + PAGE));
    SHOW(cudaFree(raw + PAGE));
    SHOW(cudaHostUnregister(raw + 3 * PAGE));
    SHOW(cudaHostUnregister(raw + 2 * PAGE));
    SHOW(cudaHostUnregister(raw + PAGE));
    SHOW(cudaHostUnregister(raw));
    free(raw);
}

static void kinds()
{
    printf("-- kinds\n");
    char *device, *managed, *attached, *pooled;
    cudaPitchedPtr box;
    int local = 0;
    static int host[4];
    MUST(cudaMalloc(&device, 1000));
    MUST(cudaMallocManaged(&managed, 1000));
    MUST(cudaMallocManaged(&attached, 1000, cudaMemAttachHost));
    MUST(cudaMallocAsync(&pooled, 1000, 0));
    MUST(cudaMalloc3D(&box, make_cudaExtent(100, 4, 4)));
    kind("device", device);
    kind("inside device", device + 999);
    kind("managed", managed);
    kind("inside managed", managed + 999);
    kind("managed and attached to the host", attached);
    kind("pooled", pooled);
    kind("inside pooled", pooled + 10);
    kind("box", box.ptr);
    kind("null", nullptr);
    kind("local", &local);
    kind("global", host);
    kind("function", (const void *)kind);
    SHOW(cudaPointerGetAttributes(nullptr, device));
    MUST(cudaFree(device));
    kind("freed", device);
    MUST(cudaFree(managed));
    kind("freed managed", managed);
    MUST(cudaFreeAsync(pooled, 0));
    MUST(cudaDeviceSynchronize());
    void *mapped;
    SHOW(cudaHostGetDevicePointer(&mapped, host, 0));
    SHOW(cudaHostGetDevicePointer(&mapped, attached, 0));
    SHOW(cudaHostGetDevicePointer(&mapped, box.ptr, 0));
    flags_of("managed", attached);
    flags_of("device", box.ptr);
    flags_of("null", nullptr);
    flags_of("local", &local);
    MUST(cudaFree(attached));
    MUST(cudaFree(box.ptr));
}

static void symbols()
{
    printf("-- symbols\n");
    void *p = nullptr;
    size_t bytes = 0;
    SHOW(cudaGetSymbolAddress(&p, variable));
    kind("variable", p);
    kind("inside variable", (char *)p + 15);
    SHOW(cudaGetSymbolAddress(&p, table));
    kind("constant", p);
    SHOW(cudaGetSymbolAddress(&p, shared));
    printf("managed %s\n", place(p, shared));
    kind("managed", p);
    SHOW(cudaGetSymbolAddress(&p, numbers<double>));
    kind("template", p);
    SHOW(cudaGetSymbolSize(&bytes, variable));
    printf("%zu\n", bytes);
    SHOW(cudaGetSymbolSize(&bytes, table));
    printf("%zu\n", bytes);
    SHOW(cudaGetSymbolSize(&bytes, shared));
    printf("%zu\n", bytes);
    SHOW(cudaGetSymbolSize(&bytes, numbers<short>));
    printf("%zu\n", bytes);
    SHOW(cudaGetSymbolSize(&bytes, numbers<double>));
    printf("%zu\n", bytes);
    SHOW(cudaGetSymbolSize(&bytes, pairs));
    printf("%zu\n", bytes);
    int(&host)[4] = *(int(*)[4])malloc(16);
    SHOW(cudaGetSymbolAddress(&p, host));
    SHOW(cudaGetSymbolSize(&bytes, host));
    SHOW(cudaMemcpyToSymbol(host, &bytes, 4));
    SHOW(cudaMemcpyFromSymbol(&bytes, host, 4));

    int values[4] = {10, 20, 30, 40}, back[4] = {};
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    SHOW(cudaMemcpyToSymbolAsync(variable, values, 8, 8, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpyFromSymbolAsync(back, variable, 12, 4, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaStreamSynchronize(stream));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SHOW(cudaMemcpyToSymbol(variable, values, 4, 16));
    SHOW(cudaMemcpyToSymbol(variable, values, 0, 16));
    SHOW(cudaMemcpyToSymbol(variable, values, 0, 17));
    SHOW(cudaMemcpyToSymbol(variable, nullptr, 4));
    SHOW(cudaMemcpyToSymbol(variable, nullptr, 0));
    SHOW(cudaMemcpyToSymbol(variable, values, 4, (size_t)-4));
    SHOW(cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyHostToHost));
    SHOW(cudaMemcpyToSymbol(variable, values, 4, 0, cudaMemcpyDefault));
    SHOW(cudaMemcpyToSymbol(variable, values, 4, 0, (cudaMemcpyKind)9));
    SHOW(cudaMemcpyFromSymbol(back, variable, 4, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyFromSymbol(back, variable, 4, 0, cudaMemcpyDefault));
    SHOW(cudaMemcpyFromSymbol(nullptr, variable, 4));
    SHOW(cudaMemcpyToSymbolAsync(variable, values, 20, 0, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpyFromSymbolAsync(back, variable, 4, 16, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaMemcpyToSymbolAsync(variable, values, 4, 0, cudaMemcpyDeviceToHost, stream));
    int *device;
    MUST(cudaMalloc(&device, 64));
    SHOW(cudaMemcpyFromSymbol(device, variable, 16, 0, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyToSymbol(shared, device, 12, 0, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyToSymbol(pairs, values, 8, sizeof pairs - 8));
    SHOW(cudaMemcpyFromSymbol(back, shared, 12));
    printf("%d %d %d\n", back[0], back[1], back[2]);
    uses<<<1, 4>>>(device);
    SHOW(cudaMemcpy(back, device, 16, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    double two = 0;
    SHOW(cudaMemcpyFromSymbol(&two, numbers<double>, 8, 8));
    printf("%g\n", two);
    SHOW(cudaGetSymbolAddress(&p, variable));
    SHOW(cudaMemcpy(p, values, 16, cudaMemcpyHostToDevice));
    SHOW(cudaMemset(p, 0, 4));
    SHOW(cudaMemcpy(back, p, 16, cudaMemcpyDefault));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    SHOW(cudaMemcpy(p, values, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaFree(p));
    SHOW(cudaFreeHost(p));
    SHOW(cudaFree(shared));
    MUST(cudaFree(device));
    MUST(cudaStreamDestroy(stream));
}

static void allocations()
{
    printf("-- allocations\n");
    cudaPitchedPtr box;
    memset(&box, 0x55, sizeof box);
    size_t pitch = 7;
    char *p = nullptr;
    for (size_t width : {1, 31, 512, 513, 1000, 4096}) {
        MUST(cudaMallocPitch(&p, &pitch, width, 5));
        printf("width %zu: pitch %zu, aligned %d\n", width, pitch, (size_t)p % 512 == 0);
        MUST(cudaFree(p));
    }
    SHOW(cudaMallocPitch(&p, &pitch, 0, 5));
    printf("null %d\n", p == nullptr);
    SHOW(cudaMallocPitch(&p, &pitch, 5, 0));
    printf("null %d\n", p == nullptr);
    SHOW(cudaMallocPitch((char **)nullptr, &pitch, 5, 5));
    SHOW(cudaMallocPitch(&p, nullptr, 5, 5));
    SHOW(cudaMallocPitch(&p, &pitch, (size_t)1 << 40, (size_t)1 << 10));
    SHOW(cudaMalloc3D(&box, make_cudaExtent(100, 3, 2)));
    printf("pitch %zu, %zu x %zu\n", box.pitch, box.xsize, box.ysize);
    MUST(cudaFree(box.ptr));
    SHOW(cudaMalloc3D(&box, make_cudaExtent(0, 3, 2)));
    printf("null %d pitch %zu, %zu x %zu\n", box.ptr == nullptr, box.pitch, box.xsize, box.ysize);
    SHOW(cudaMalloc3D(&box, make_cudaExtent(10, 0, 2)));
    SHOW(cudaMalloc3D(&box, make_cudaExtent(10, 3, 0)));
    printf("null %d, %zu x %zu\n", box.ptr == nullptr, box.xsize, box.ysize);
    SHOW(cudaMalloc3D(nullptr, make_cudaExtent(10, 3, 2)));
    SHOW(cudaMalloc3D(&box, make_cudaExtent((size_t)1 << 40, 3, 2)));
    SHOW(cudaMalloc(&p, (size_t)-1));
    printf("null %d\n", p == nullptr);
    SHOW(cudaMallocManaged(&p, (size_t)-1));
    SHOW(cudaMallocManaged((char **)nullptr, 16));
    for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 5u}) {
        const cudaError_t status = cudaMallocManaged(&p, 16, flags);
        printf("cudaMallocManaged with %u: %s\n", flags, cudaGetErrorName(status));
        if (status == cudaSuccess) MUST(cudaFree(p));
        else cudaGetLastError();
    }
    size_t total = 0, available = 0;
    SHOW(cudaMemGetInfo(&available, &total));
    printf("%d %d\n", available <= total, available > 0);
    SHOW(cudaMemGetInfo(nullptr, &total));
    SHOW(cudaMemGetInfo(&available, nullptr));
    SHOW(cudaMemGetInfo(nullptr, nullptr));
}

int main()
{
    pinned();
    registered();
    kinds();
    symbols();
    allocations();
    SHOW(cudaGetLastError());
}
