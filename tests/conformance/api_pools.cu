// flags: -std=c++17
// Memory pools: properties, attributes before and after, current and default pools, access, sharing, and wrong frees.
#include "api_print.h"

enum { MEGA = 1 << 20 };
static cudaStream_t stream, second;

__global__ void fill(int *p, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value;
}

static unsigned long long number(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    unsigned long long value = 77;
    MUST(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}
static void counters(const char *what, cudaMemPool_t pool)
{
    const unsigned long long reserved = number(pool, cudaMemPoolAttrReservedMemCurrent), used = number(pool, cudaMemPoolAttrUsedMemCurrent),
                             most = number(pool, cudaMemPoolAttrReservedMemHigh);
    printf("%s: reserved %llu MiB (at most %llu), used %llu, at most %llu\n", what, reserved >> 20, most >> 20, used,
           number(pool, cudaMemPoolAttrUsedMemHigh));
}
static void flags(cudaMemPool_t pool)
{
    int values[3] = {77, 77, 77};
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &values[0]));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &values[1]));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &values[2]));
    printf("reuse %d %d %d, threshold %llu\n", values[0], values[1], values[2], number(pool, cudaMemPoolAttrReleaseThreshold));
}
static cudaMemPoolProps properties()
{
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    return p;
}

static void making()
{
    printf("-- making\n");
    cudaMemPool_t pool = nullptr, other = nullptr;
    cudaMemPoolProps p = properties();
    SHOW(cudaMemPoolCreate(&pool, &p));
    flags(pool);
    counters("fresh", pool);
    SHOW(cudaMemPoolDestroy(pool));
    SHOW(cudaMemPoolCreate(nullptr, &p));
    SHOW(cudaMemPoolCreate(&pool, nullptr));
    p.allocType = cudaMemAllocationTypeInvalid;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p = properties();
    p.location.id = 99;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p.location.id = -1;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p = properties();
    p.location.type = cudaMemLocationTypeInvalid;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p = properties();
    p.handleTypes = cudaMemHandleTypeWin32;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p.handleTypes = (cudaMemAllocationHandleType)64;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p = properties();
    p.reserved[0] = 1;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p = properties();
    p.location.type = cudaMemLocationTypeHost;
    SHOW(cudaMemPoolCreate(&pool, &p));
    p.location.type = cudaMemLocationTypeHostNuma;
    SHOW(cudaMemPoolCreate(&other, &p));
    p = properties();
    p.maxSize = 4 * MEGA;
    SHOW(cudaMemPoolCreate(&pool, &p));
    void *a = nullptr, *b = nullptr;
    SHOW(cudaMallocFromPoolAsync(&a, 3 * MEGA, pool, stream));
    SHOW(cudaMallocFromPoolAsync(&b, (size_t)64 * MEGA, pool, stream));
    SHOW(cudaFreeAsync(a, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaMemPoolDestroy(pool));
    SHOW(cudaMemPoolDestroy(nullptr));
    SHOW(cudaDeviceGetDefaultMemPool(&pool, 0));
    SHOW(cudaMemPoolDestroy(pool));
}

static void attributes()
{
    printf("-- attributes\n");
    cudaMemPool_t pool;
    cudaMemPoolProps p = properties();
    MUST(cudaMemPoolCreate(&pool, &p));
    unsigned long long value = 0;
    int flag = 0;
    for (const auto one : {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies})
        SHOW(cudaMemPoolSetAttribute(pool, one, &flag));
    value = 123456;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    flags(pool);
    flag = 5;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag));
    flags(pool);
    value = ~0ull;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    value = 0;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &value));
    SHOW(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)0, &value));
    SHOW(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)50, &value));
    SHOW(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)0, &value));
    SHOW(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)50, &value));
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, nullptr));
    SHOW(cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrUsedMemHigh, &value));
    SHOW(cudaMemPoolDestroy(pool));
}

static void use()
{
    printf("-- use\n");
    cudaMemPool_t pool;
    cudaMemPoolProps p = properties();
    MUST(cudaMemPoolCreate(&pool, &p));
    int *a = nullptr, *b = nullptr, *c = nullptr, value = 0;
    SHOW(cudaMallocFromPoolAsync(&a, 1000, pool, stream));
    SHOW(cudaStreamSynchronize(stream));
    counters("1000 bytes", pool);
    SHOW(cudaMallocAsync(&b, 100, pool, stream));
    SHOW(cudaStreamSynchronize(stream));
    counters("and 100", pool);
    printf("aligned %d %d\n", (size_t)a % 512 == 0, (size_t)b % 512 == 0);
    SHOW(cudaMallocFromPoolAsync(&c, 40 * MEGA + 1, pool, stream));
    SHOW(cudaStreamSynchronize(stream));
    counters("and 40 MiB and 1", pool);
    fill<<<1, 32, 0, stream>>>(a, 250, 7);
    SHOW(cudaMemcpyAsync(b, a, 100, cudaMemcpyDeviceToDevice, stream));
    SHOW(cudaFreeAsync(a, stream));
    SHOW(cudaMemcpyAsync(&value, b, 4, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaStreamSynchronize(stream));
    printf("%d\n", value);
    counters("without the first", pool);
    SHOW(cudaFreeAsync(c, second));
    SHOW(cudaStreamSynchronize(second));
    counters("without the large one", pool);
    SHOW(cudaMemPoolTrimTo(pool, 0));
    counters("trimmed", pool);
    unsigned long long none = 0;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none));
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &none));
    counters("marks reset", pool);
    SHOW(cudaFreeAsync(b, second));
    counters("not yet", pool);
    SHOW(cudaStreamSynchronize(second));
    counters("empty", pool);
    unsigned long long keep = 64 * MEGA;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    SHOW(cudaMallocFromPoolAsync(&a, 33 * MEGA, pool, stream));
    SHOW(cudaFreeAsync(a, stream));
    SHOW(cudaStreamSynchronize(stream));
    counters("kept", pool);
    SHOW(cudaMallocFromPoolAsync(&b, 33 * MEGA, pool, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaFreeAsync(b, stream));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMemPoolTrimTo(pool, 40 * MEGA));
    counters("trimmed to 40 MiB", pool);
    SHOW(cudaMemPoolTrimTo(pool, 1));
    counters("trimmed to 1", pool);
    SHOW(cudaMemPoolTrimTo(nullptr, 0));
    SHOW(cudaMallocFromPoolAsync(&a, 0, pool, stream));
    printf("null %d\n", a == nullptr);
    SHOW(cudaMallocFromPoolAsync((int **)nullptr, 16, pool, stream));
    SHOW(cudaMallocFromPoolAsync(&a, 16, nullptr, stream));
    SHOW(cudaMallocFromPoolAsync(&a, (size_t)1 << 50, pool, stream));
    SHOW(cudaMallocAsync((int **)nullptr, 16, stream));
    SHOW(cudaMallocAsync(&a, (size_t)1 << 50, stream));
    SHOW(cudaFreeAsync(nullptr, stream));
    SHOW(cudaMallocFromPoolAsync(&a, 512, pool, stream));
    SHOW(cudaMemPoolDestroy(pool));
    fill<<<1, 32, 0, stream>>>(a, 128, 9);
    SHOW(cudaMemcpyAsync(&value, a, 4, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaFreeAsync(a, stream));
    SHOW(cudaStreamSynchronize(stream));
    printf("after the pool's end: %d\n", value);
}

static void current()
{
    printf("-- current\n");
    cudaMemPool_t standard = nullptr, pool = nullptr, found = nullptr;
    cudaMemPoolProps p = properties();
    void *a = nullptr;
    SHOW(cudaDeviceGetDefaultMemPool(&standard, 0));
    SHOW(cudaDeviceGetMemPool(&found, 0));
    printf("default %d\n", found == standard);
    flags(standard);
    SHOW(cudaDeviceGetDefaultMemPool(&found, 99));
    SHOW(cudaDeviceGetDefaultMemPool(nullptr, 0));
    SHOW(cudaDeviceGetMemPool(&found, -1));
    SHOW(cudaDeviceGetMemPool(nullptr, 0));
    MUST(cudaMemPoolCreate(&pool, &p));
    SHOW(cudaDeviceSetMemPool(0, pool));
    SHOW(cudaDeviceGetMemPool(&found, 0));
    printf("ours %d\n", found == pool);
    SHOW(cudaMallocAsync(&a, 3000, stream));
    SHOW(cudaStreamSynchronize(stream));
    counters("ours", pool);
    SHOW(cudaFreeAsync(a, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaDeviceSetMemPool(0, nullptr));
    SHOW(cudaDeviceSetMemPool(99, pool));
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0}, wrong = {cudaMemLocationTypeDevice, 99};
    SHOW(cudaMemGetDefaultMemPool(&found, &here, cudaMemAllocationTypePinned));
    printf("default %d\n", found == standard);
    SHOW(cudaMemGetMemPool(&found, &here, cudaMemAllocationTypePinned));
    printf("ours %d\n", found == pool);
    SHOW(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, standard));
    SHOW(cudaDeviceGetMemPool(&found, 0));
    printf("default %d\n", found == standard);
    SHOW(cudaMemSetMemPool(&host, cudaMemAllocationTypePinned, pool));
    SHOW(cudaMemGetMemPool(&found, &wrong, cudaMemAllocationTypePinned));
    SHOW(cudaMemGetMemPool(&found, &here, cudaMemAllocationTypeInvalid));
    SHOW(cudaMemGetMemPool(nullptr, &here, cudaMemAllocationTypePinned));
    SHOW(cudaMemGetMemPool(&found, nullptr, cudaMemAllocationTypePinned));
    SHOW(cudaDeviceSetMemPool(0, pool));
    SHOW(cudaMemPoolDestroy(pool));
    SHOW(cudaDeviceGetMemPool(&found, 0));
    printf("default %d\n", found == standard);
}

static void access()
{
    printf("-- access\n");
    cudaMemPool_t pool;
    cudaMemPoolProps p = properties();
    MUST(cudaMemPoolCreate(&pool, &p));
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, none = {cudaMemLocationTypeInvalid, 0}, ninety = {cudaMemLocationTypeDevice, 99},
                    host = {cudaMemLocationTypeHost, 0};
    cudaMemAccessFlags found = (cudaMemAccessFlags)77;
    SHOW(cudaMemPoolGetAccess(&found, pool, &here));
    printf("%d\n", (int)found);
    SHOW(cudaMemPoolGetAccess(&found, pool, &ninety));
    SHOW(cudaMemPoolGetAccess(&found, pool, &none));
    SHOW(cudaMemPoolGetAccess(&found, pool, &host));
    printf("%d\n", (int)found);
    SHOW(cudaMemPoolGetAccess(&found, pool, nullptr));
    SHOW(cudaMemPoolGetAccess(&found, nullptr, &here));
    cudaMemAccessDesc wanted = {here, cudaMemAccessFlagsProtReadWrite};
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 0));
    SHOW(cudaMemPoolSetAccess(pool, nullptr, 0));
    SHOW(cudaMemPoolSetAccess(nullptr, &wanted, 1));
    wanted.flags = cudaMemAccessFlagsProtRead;
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
    wanted.flags = cudaMemAccessFlagsProtNone;
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
    SHOW(cudaMemPoolGetAccess(&found, pool, &here));
    printf("%d\n", (int)found);
    wanted.flags = (cudaMemAccessFlags)9;
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
    wanted = {ninety, cudaMemAccessFlagsProtReadWrite};
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
    wanted = {none, cudaMemAccessFlagsProtReadWrite};
    SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
    SHOW(cudaMemPoolDestroy(pool));
}

static void kinds()
{
    printf("-- kinds\n");
    cudaMemLocation host = {cudaMemLocationTypeHost, 0}, here = {cudaMemLocationTypeDevice, 0}, none = {cudaMemLocationTypeNone, 0},
                    node = {cudaMemLocationTypeHostNuma, 0};
    cudaMemPool_t pool, again;
    cudaPointerAttributes a;
    int *p = nullptr;
    for (const auto &one : {host, node, here, none})
        for (const auto kind : {cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged}) {
            printf("place %d, kind %d\n", (int)one.type, (int)kind);
            cudaMemLocation place = one;
            SHOW(cudaMemGetDefaultMemPool(&pool, &place, kind));
            cudaMemPoolProps wanted = {};
            wanted.allocType = kind;
            wanted.location = one;
            const cudaError_t status = cudaMemPoolCreate(&pool, &wanted);
            printf("%s\n", cudaGetErrorName(status));
            if (status != cudaSuccess) {
                cudaGetLastError();
                continue;
            }
            cudaMemAccessFlags found = (cudaMemAccessFlags)77;
            SHOW(cudaMemPoolGetAccess(&found, pool, &here));
            printf("access %d\n", (int)found);
            if (kind == cudaMemAllocationTypePinned) {
                const cudaMemAccessDesc wanted = {here, cudaMemAccessFlagsProtReadWrite};
                SHOW(cudaMemPoolSetAccess(pool, &wanted, 1));
                SHOW(cudaMemPoolGetAccess(&found, pool, &here));
                printf("access %d\n", (int)found);
            }
            SHOW(cudaMallocFromPoolAsync(&p, 100, pool, stream));
            SHOW(cudaStreamSynchronize(stream));
            SHOW(cudaPointerGetAttributes(&a, p));
            printf("type %d, the host's %d, the device's %d\n", (int)a.type, a.hostPointer == p, a.devicePointer == p);
            fill<<<1, 32, 0, stream>>>(p, 25, 3);
            int value = 0;
            SHOW(cudaMemcpyAsync(&value, p + 24, 4, cudaMemcpyDefault, stream));
            SHOW(cudaFreeAsync(p, stream));
            SHOW(cudaStreamSynchronize(stream));
            printf("%d\n", value);
            SHOW(cudaMemSetMemPool(&place, kind, pool));
            SHOW(cudaMemGetMemPool(&again, &place, kind));
            printf("ours %d\n", again == pool);
            SHOW(cudaMemPoolDestroy(pool));
        }
    int *managed;
    MUST(cudaMallocManaged(&managed, 64));
    SHOW(cudaFreeAsync(managed, stream));
    MUST(cudaFree(managed));
    MUST(cudaMalloc(&p, 64));
    SHOW(cudaFreeAsync(p + 1, stream));
    SHOW(cudaFreeAsync(p, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaFreeAsync(p, stream));
    MUST(cudaMallocHost(&p, 64));
    SHOW(cudaFreeAsync(p, stream));
    MUST(cudaFreeHost(p));
}

static void sharing()
{
    printf("-- sharing\n");
    cudaMemPool_t pool;
    cudaMemPoolProps p = properties();
    MUST(cudaMemPoolCreate(&pool, &p));
    int file = -1, wrong = -1;
    SHOW(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    SHOW(cudaMemPoolExportToShareableHandle(nullptr, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    SHOW(cudaMemPoolExportToShareableHandle(&file, nullptr, cudaMemHandleTypePosixFileDescriptor, 0));
    SHOW(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypeNone, 0));
    SHOW(cudaMemPoolImportFromShareableHandle(nullptr, (void *)(size_t)wrong, cudaMemHandleTypePosixFileDescriptor, 0));
    cudaMemPoolPtrExportData data;
    void *a = nullptr, *plain = nullptr;
    MUST(cudaMallocFromPoolAsync(&a, 100, pool, stream));
    MUST(cudaMalloc(&plain, 100));
    SHOW(cudaMemPoolExportPointer(&data, a));
    SHOW(cudaMemPoolExportPointer(&data, plain));
    SHOW(cudaMemPoolExportPointer(&data, nullptr));
    SHOW(cudaMemPoolExportPointer(nullptr, a));
    SHOW(cudaFreeAsync(a, stream));
    void *b = nullptr;
    SHOW(cudaMemPoolImportPointer(&b, pool, &data));
    SHOW(cudaMemPoolImportPointer(nullptr, pool, &data));
    SHOW(cudaMemPoolImportPointer(&b, pool, nullptr));
    SHOW(cudaMemPoolDestroy(pool));
    cudaIpcMemHandle_t handle;
    memset(&handle, 0, sizeof handle);
    SHOW(cudaIpcGetMemHandle(&handle, nullptr));
    void *host = nullptr, *opened = nullptr, *managed = nullptr;
    MUST(cudaMallocHost(&host, 100));
    MUST(cudaMallocManaged(&managed, 100));
    SHOW(cudaIpcGetMemHandle(&handle, host));
    SHOW(cudaIpcGetMemHandle(&handle, managed));
    memset(&handle, 0, sizeof handle);
    SHOW(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
    SHOW(cudaIpcOpenMemHandle(&opened, handle, 0));
    SHOW(cudaIpcOpenMemHandle(nullptr, handle, cudaIpcMemLazyEnablePeerAccess));
    SHOW(cudaIpcCloseMemHandle(plain));
    SHOW(cudaIpcCloseMemHandle(nullptr));
    cudaEvent_t event, shareable;
    cudaIpcEventHandle_t eventHandle;
    MUST(cudaEventCreate(&event));
    SHOW(cudaIpcGetEventHandle(&eventHandle, event));
    SHOW(cudaIpcGetEventHandle(&eventHandle, nullptr));
    SHOW(cudaEventCreateWithFlags(&shareable, cudaEventInterprocess));
    SHOW(cudaEventCreateWithFlags(&shareable, cudaEventInterprocess | cudaEventDisableTiming));
    memset(&eventHandle, 0, sizeof eventHandle);
    SHOW(cudaIpcOpenEventHandle(&event, eventHandle));
    SHOW(cudaIpcOpenEventHandle(nullptr, eventHandle));
    SHOW(cudaFree(plain));
    SHOW(cudaFreeHost(host));
    SHOW(cudaFree(managed));
}

int main()
{
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamCreate(&second));
    making();
    attributes();
    use();
    current();
    access();
    kinds();
    sharing();
    SHOW(cudaGetLastError());
}
