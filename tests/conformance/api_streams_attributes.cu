// Streams and events: their numbers, devices, priorities and attributes, memory attached to them, the order of callbacks,
// and events with all flags.
#include "api_print.h"
#include "apart.h"

__global__ void add(int *p, int by) { *p += by; }
__global__ void wait(volatile int *flag) { while (!*flag) {} }

static void numbers()
{
    cudaStream_t s, t;
    unsigned long long a = 0, b = 0, c = 0, legacy = 0, again = 0;
    int device = 9, priority = 9;
    unsigned flags = 9;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    SHOW(cudaStreamGetId(s, &a));
    SHOW(cudaStreamGetId(t, &b));
    SHOW(cudaStreamGetId(0, &legacy));
    SHOW(cudaStreamGetId(cudaStreamLegacy, &again));
    SHOW(cudaStreamGetId(cudaStreamPerThread, &c));
    printf("another %d, the same %d, its own %d\n", a != b, legacy == again, c != a && c != b && c != legacy);
    SHOW(cudaStreamGetId(s, nullptr));
    SHOW(cudaStreamGetDevice(s, &device));
    printf("%d\n", device);
    SHOW(cudaStreamGetDevice(0, &device));
    SHOW(cudaStreamGetDevice(cudaStreamPerThread, &device));
    printf("%d\n", device);
    SHOW(cudaStreamGetFlags(s, &flags));
    printf("%u\n", flags);
    SHOW(cudaStreamGetFlags(0, &flags));
    printf("%u\n", flags);
    SHOW(cudaStreamGetFlags(cudaStreamPerThread, &flags));
    printf("%u\n", flags);
    SHOW(cudaStreamGetFlags(cudaStreamLegacy, &flags));
    printf("%u\n", flags);
    SHOW(cudaStreamGetPriority(cudaStreamPerThread, &priority));
    printf("%d\n", priority);
    for (int wanted = -7; wanted <= 2; ++wanted) {
        cudaStream_t u;
        MUST(cudaStreamCreateWithPriority(&u, cudaStreamNonBlocking, wanted));
        MUST(cudaStreamGetPriority(u, &priority));
        MUST(cudaStreamGetFlags(u, &flags));
        printf("%d: %d %u\n", wanted, priority, flags);
    }
    SHOW(cudaStreamCreate(nullptr));
    SHOW(cudaStreamCreateWithFlags(nullptr, 0));
    SHOW(cudaStreamCreateWithPriority(nullptr, 0, 0));
    SHOW(cudaStreamCreateWithPriority(&s, 2, 0));
    SHOW(cudaStreamDestroy(cudaStreamLegacy));
    SHOW(cudaStreamDestroy(cudaStreamPerThread));
}

static void attributes()
{
    cudaStream_t s, t;
    int *memory;
    MUST(cudaMalloc(&memory, 1024));
    MUST(cudaMemset(memory, 0, 1024));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -2));
    cudaLaunchAttributeValue value;
    memset(&value, 0x55, sizeof value);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%d %zu %g %d %d\n", value.accessPolicyWindow.base_ptr != nullptr, value.accessPolicyWindow.num_bytes,
           value.accessPolicyWindow.hitRatio, (int)value.accessPolicyWindow.hitProp, (int)value.accessPolicyWindow.missProp);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
    printf("%d\n", (int)value.syncPolicy);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &value));
    printf("%d\n", value.priority);
    SHOW(cudaStreamGetAttribute(t, cudaLaunchAttributePriority, &value));
    printf("%d\n", value.priority);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomain, &value));
    printf("%d\n", (int)value.memSyncDomain);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &value));
    printf("%d %d\n", value.memSyncDomainMap.default_, value.memSyncDomainMap.remote);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &value));
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeClusterDimension, &value));
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeIgnore, &value));
    SHOW(cudaStreamGetAttribute(s, (cudaLaunchAttributeID)40, &value));
    SHOW(cudaStreamGetAttribute(0, cudaLaunchAttributePriority, &value));
    SHOW(cudaStreamGetAttribute(cudaStreamPerThread, cudaLaunchAttributeSynchronizationPolicy, &value));

    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = 512;
    value.accessPolicyWindow.hitRatio = 0.25f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    memset(&value, 0, sizeof value);
    SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%d %zu %g %d %d\n", value.accessPolicyWindow.base_ptr == memory, value.accessPolicyWindow.num_bytes,
           value.accessPolicyWindow.hitRatio, (int)value.accessPolicyWindow.hitProp, (int)value.accessPolicyWindow.missProp);
    value.accessPolicyWindow.hitRatio = 1.5f;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    value.accessPolicyWindow.num_bytes = (size_t)1 << 40;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.num_bytes = 0;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
    for (int policy = 0; policy < 6; ++policy) {
        memset(&value, 0, sizeof value);
        value.syncPolicy = (cudaSynchronizationPolicy)policy;
        SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
        SHOW(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
        printf("%d\n", (int)value.syncPolicy);
    }
    memset(&value, 0, sizeof value);
    value.priority = -1;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &value));
    int priority = 9;
    SHOW(cudaStreamGetPriority(s, &priority));
    printf("%d\n", priority);
    value.priority = -77;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &value));
    value.cooperative = 1;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &value));
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeIgnore, &value));
    SHOW(cudaStreamSetAttribute(s, (cudaLaunchAttributeID)40, &value));
    memset(&value, 0, sizeof value);
    value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    SHOW(cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomain, &value));
    value.syncPolicy = cudaSyncPolicySpin;
    MUST(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
    SHOW(cudaStreamCopyAttributes(t, s));
    SHOW(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &value));
    printf("%d\n", (int)value.syncPolicy);
    SHOW(cudaStreamGetAttribute(t, cudaLaunchAttributePriority, &value));
    printf("%d\n", value.priority);
    SHOW(cudaStreamGetAttribute(t, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%zu\n", value.accessPolicyWindow.num_bytes);
    SHOW(cudaStreamCopyAttributes(t, 0));
    SHOW(cudaStreamCopyAttributes(0, t));
    SHOW(cudaStreamCopyAttributes(s, s));
    add<<<1, 1, 0, s>>>(memory, 1);
    add<<<1, 1, 0, t>>>(memory + 1, 1);
    SHOW(cudaDeviceSynchronize());
}

static void attached()
{
    cudaStream_t s;
    int *managed, *device, plain[16];
    MUST(cudaStreamCreate(&s));
    MUST(cudaMallocManaged(&managed, 256));
    MUST(cudaMalloc(&device, 256));
    SHOW(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(s, managed));
    SHOW(cudaStreamAttachMemAsync(s, managed, 256, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(s, managed, 64, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachHost));
    SHOW(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(s, managed + 4, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(s, managed, 512, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(0, managed, 0, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(cudaStreamPerThread, managed, 0, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(0, managed, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(s, device, 0, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(s, plain, 64, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(s, nullptr, 0, cudaMemAttachSingle));
    SHOW(cudaStreamSynchronize(s));
    int *host_first;
    SHOW(cudaMallocManaged(&host_first, 64, cudaMemAttachHost));
    *host_first = 4;
    SHOW(cudaStreamAttachMemAsync(s, host_first, 0, cudaMemAttachSingle));
    SHOW(cudaStreamSynchronize(s));
    add<<<1, 1, 0, s>>>(host_first, 3);
    SHOW(cudaStreamSynchronize(s));
    printf("%d\n", *host_first);
    SHOW(cudaMallocManaged(&host_first, 64, 0));
    SHOW(cudaMallocManaged(&host_first, 64, cudaMemAttachSingle));
    SHOW(cudaMallocManaged(&host_first, 64, 3));
}

static char order[64];
static void note(void *data) { strcat(order, (const char *)data); }
static void note_callback(cudaStream_t stream, cudaError_t status, void *data)
{
    strcat(order, (const char *)data);
    if (!stream || status != cudaSuccess) strcat(order, "!");
}
static cudaError_t inside[6];
static void asks(void *data)
{
    // Callbacks may not call CUDA; these say so.
    void *p;
    inside[0] = cudaMalloc(&p, 16);
    inside[1] = cudaStreamSynchronize((cudaStream_t)data);
    inside[2] = cudaDeviceSynchronize();
    inside[3] = cudaGetLastError();
    inside[4] = cudaEventCreate((cudaEvent_t *)&p);
    inside[5] = cudaStreamQuery((cudaStream_t)data);
}

static void callbacks()
{
    cudaStream_t s, t;
    cudaEvent_t event;
    int *memory;
    MUST(cudaMalloc(&memory, 64));
    MUST(cudaMemset(memory, 0, 64));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    SHOW(cudaLaunchHostFunc(s, note, (void *)"a"));
    add<<<1, 1, 0, s>>>(memory, 1);
    SHOW(cudaStreamAddCallback(s, note_callback, (void *)"b", 0));
    SHOW(cudaLaunchHostFunc(s, note, (void *)"c"));
    SHOW(cudaEventRecord(event, s));
    SHOW(cudaStreamWaitEvent(t, event, 0));
    SHOW(cudaStreamAddCallback(t, note_callback, (void *)"d", 0));
    SHOW(cudaEventRecord(event, t));
    SHOW(cudaStreamWaitEvent(s, event, 0));
    SHOW(cudaLaunchHostFunc(s, note, (void *)"e"));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaLaunchHostFunc(0, note, (void *)"f"));
    SHOW(cudaLaunchHostFunc(s, note, (void *)"g"));  // waits for the default stream
    SHOW(cudaLaunchHostFunc(cudaStreamPerThread, note, (void *)"h"));
    SHOW(cudaDeviceSynchronize());
    printf("%s\n", order);
    SHOW(cudaLaunchHostFunc(s, nullptr, nullptr));
    SHOW(cudaStreamAddCallback(s, nullptr, nullptr, 0));
    SHOW(cudaLaunchHostFunc(s, asks, s));
    SHOW(cudaDeviceSynchronize());
    for (const cudaError_t error : inside) printf("%s\n", cudaGetErrorName(error));
}

static void events()
{
    cudaEvent_t a, b, c, d;
    cudaStream_t s;
    float ms = -1;
    MUST(cudaStreamCreate(&s));
    for (unsigned flags = 0; flags <= 8; ++flags) {
        cudaEvent_t made = nullptr;
        const cudaError_t error = cudaEventCreateWithFlags(&made, flags);
        printf("flags %u: %s\n", flags, cudaGetErrorName(error));
        if (error != cudaSuccess) cudaGetLastError();
    }
    SHOW(cudaEventCreate(nullptr));
    SHOW(cudaEventCreateWithFlags(nullptr, 0));
    MUST(cudaEventCreate(&a));
    MUST(cudaEventCreate(&b));
    MUST(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&d, cudaEventBlockingSync));
    SHOW(cudaEventDestroy(nullptr));
    SHOW(cudaEventRecord(nullptr, s));
    SHOW(cudaEventQuery(nullptr));
    SHOW(cudaEventSynchronize(nullptr));
    SHOW(cudaStreamWaitEvent(s, nullptr, 0));
    SHOW(cudaEventElapsedTime(nullptr, a, b));
    SHOW(cudaEventElapsedTime(&ms, nullptr, b));
    SHOW(cudaEventElapsedTime(&ms, a, nullptr));
    SHOW(cudaEventElapsedTime(&ms, a, a));  // not recorded
    SHOW(cudaEventRecord(a, s));
    SHOW(cudaEventElapsedTime(&ms, a, b));  // the second not recorded
    SHOW(cudaEventElapsedTime(&ms, c, a));  // not timed, not recorded
    SHOW(cudaEventRecord(c, s));
    SHOW(cudaEventRecord(d, s));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaEventElapsedTime(&ms, c, a));
    SHOW(cudaEventElapsedTime(&ms, a, d));
    printf("%d\n", ms >= 0);
    SHOW(cudaEventElapsedTime(&ms, d, a));
    printf("%d\n", ms <= 0);
    SHOW(cudaEventElapsedTime(&ms, a, a));
    printf("%g\n", ms);
    SHOW(cudaEventRecordWithFlags(a, s));
    SHOW(cudaEventRecordWithFlags(a, 0, cudaEventRecordDefault));
    SHOW(cudaEventRecordWithFlags(a, s, cudaEventRecordExternal));
    SHOW(cudaEventRecordWithFlags(a, s, 4));
    SHOW(cudaStreamWaitEvent(s, a, cudaEventWaitExternal));
    SHOW(cudaStreamWaitEvent(s, a, 4));
    SHOW(cudaStreamWaitEvent(0, a));
    SHOW(cudaStreamWaitEvent(cudaStreamPerThread, a));
    SHOW(cudaEventRecord(a, cudaStreamPerThread));
    SHOW(cudaEventSynchronize(a));
    SHOW(cudaEventRecord(b, cudaStreamLegacy));
    SHOW(cudaEventSynchronize(b));
    SHOW(cudaEventDestroy(a));
}

static void not_ready()
{
    // A kernel that waits for the program, so that what is behind it is not ready.
    cudaStream_t s, t;
    cudaEvent_t before, behind, untimed;
    volatile int *flag;
    float ms = -1;
    MUST(cudaHostAlloc((void **)&flag, 4, cudaHostAllocMapped));
    *flag = 0;
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&before));
    MUST(cudaEventCreate(&behind));
    MUST(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    MUST(cudaEventRecord(before, s));
    wait<<<1, 1, 0, s>>>(flag);
    MUST(cudaEventRecord(behind, s));
    MUST(cudaEventRecord(untimed, s));
    MUST(cudaStreamWaitEvent(t, behind, 0));
    SHOW(cudaStreamQuery(s));
    SHOW(cudaStreamQuery(t));
    SHOW(cudaEventQuery(behind));
    SHOW(cudaEventQuery(untimed));
    SHOW(cudaEventElapsedTime(&ms, before, behind));
    SHOW(cudaPeekAtLastError());  // "not ready" is no error
    SHOW(cudaStreamWaitEvent(t, behind, 0));
    *flag = 1;
    SHOW(cudaEventSynchronize(behind));
    SHOW(cudaEventQuery(before));
    SHOW(cudaStreamSynchronize(t));
    SHOW(cudaEventElapsedTime(&ms, before, behind));
    printf("%d\n", ms > 0);
}

static void attached_oddly()
{
    cudaStream_t s;
    int *managed;
    MUST(cudaStreamCreate(&s));
    MUST(cudaMallocManaged(&managed, 256));
    SHOW(cudaStreamAttachMemAsync(s, managed, 0, 3));
    SHOW(cudaStreamAttachMemAsync(s, managed, 0, 8));
}

int main()
{
    SECTION(numbers);
    SECTION(attributes);
    SECTION(attached);
    SECTION(attached_oddly);
    SECTION(callbacks);
    SECTION(events);
    SECTION(not_ready);
}
