// flags: -std=c++17
// Managed memory: advice, prefetches, what ranges say of them, attachment to streams, batches of prefetches and discards.
#include "api_print.h"

enum { MEGA = 1 << 20 };
__device__ __managed__ int variable[1024];
static char *range, *device, *pinned, host[64];
static cudaStream_t stream;
static const cudaMemLocation GPU = {cudaMemLocationTypeDevice, 0}, CPU = {cudaMemLocationTypeHost, 0}, NODE = {cudaMemLocationTypeHostNuma, 0},
                             NOWHERE = {cudaMemLocationTypeInvalid, 0},
                             NINETY = {cudaMemLocationTypeDevice, 99};

__global__ void count(int *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += i;
}

static void ask(const char *what, const char *from, size_t bytes)
{
    printf("%s:", what);
    const cudaMemRangeAttribute all[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation,
                                         cudaMemRangeAttributeLastPrefetchLocation, cudaMemRangeAttributePreferredLocationType,
                                         cudaMemRangeAttributePreferredLocationId, cudaMemRangeAttributeLastPrefetchLocationType,
                                         cudaMemRangeAttributeLastPrefetchLocationId};
    for (const auto one : all) {
        int value = 77;
        const cudaError_t status = cudaMemRangeGetAttribute(&value, 4, one, from, bytes);
        if (status == cudaSuccess) printf(" %d", value);
        else printf(" %s", cudaGetErrorName(cudaGetLastError()));
    }
    int devices[3] = {77, 77, 77};
    const cudaError_t status = cudaMemRangeGetAttribute(devices, 12, cudaMemRangeAttributeAccessedBy, from, bytes);
    printf(", accessed by %s %d %d %d\n", cudaGetErrorName(status), devices[0], devices[1], devices[2]);
    if (status != cudaSuccess) cudaGetLastError();
}

static void advice()
{
    printf("-- advice\n");
    MUST(cudaMallocManaged(&range, 4 * MEGA));
    ask("fresh", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseSetReadMostly, GPU));
    ask("read mostly", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 2 * MEGA, cudaMemAdviseUnsetReadMostly, GPU));
    ask("the whole", range, 4 * MEGA);
    ask("first half", range, 2 * MEGA);
    ask("second half", range + 2 * MEGA, 2 * MEGA);
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseSetPreferredLocation, GPU));
    ask("prefers the GPU", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 2 * MEGA, cudaMemAdviseSetPreferredLocation, CPU));
    ask("first half", range, 2 * MEGA);
    ask("the whole", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseUnsetPreferredLocation, GPU));
    ask("prefers nothing", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseSetAccessedBy, GPU));
    ask("accessed by the GPU", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseSetAccessedBy, CPU));
    ask("and by the CPU", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseUnsetAccessedBy, GPU));
    ask("the whole", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseUnsetAccessedBy, GPU));
    SHOW(cudaMemAdvise(range, 4 * MEGA, cudaMemAdviseUnsetAccessedBy, CPU));
    ask("by none", range, 4 * MEGA);
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetPreferredLocation, NODE));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseUnsetPreferredLocation, NODE));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetPreferredLocation, NOWHERE));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetPreferredLocation, NINETY));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetAccessedBy, NINETY));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetReadMostly, NINETY));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetReadMostly, NOWHERE));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseUnsetReadMostly, CPU));
    SHOW(cudaMemAdvise(range, 0, cudaMemAdviseSetReadMostly, GPU));
    SHOW(cudaMemAdvise(range, 5 * MEGA, cudaMemAdviseSetReadMostly, GPU));
    SHOW(cudaMemAdvise(range + 1, 10, cudaMemAdviseSetReadMostly, GPU));
    ask("first page", range, 4096);
    SHOW(cudaMemAdvise(range, MEGA, (cudaMemoryAdvise)0, GPU));
    SHOW(cudaMemAdvise(range, MEGA, (cudaMemoryAdvise)9, GPU));
    SHOW(cudaMemAdvise(nullptr, MEGA, cudaMemAdviseSetReadMostly, GPU));
    SHOW(cudaMemAdvise(device, MEGA, cudaMemAdviseSetReadMostly, GPU));
    SHOW(cudaMemAdvise(pinned, 4096, cudaMemAdviseSetReadMostly, GPU));
    SHOW(cudaMemAdvise(variable, sizeof variable, cudaMemAdviseSetReadMostly, GPU));
    ask("variable", (char *)variable, sizeof variable);
    MUST(cudaFree(range));
}

static void prefetches()
{
    printf("-- prefetches\n");
    MUST(cudaMallocManaged(&range, 4 * MEGA));
    memset(range, 0, 4 * MEGA);
    SHOW(cudaMemPrefetchAsync(range, 4 * MEGA, GPU, 0));
    ask("on the GPU", range, 4 * MEGA);
    SHOW(cudaMemPrefetchAsync(range, 2 * MEGA, CPU, 0, stream));
    SHOW(cudaStreamSynchronize(stream));
    ask("first half", range, 2 * MEGA);
    ask("the whole", range, 4 * MEGA);
    count<<<1, 32>>>((int *)range, 1000);
    SHOW(cudaDeviceSynchronize());
    printf("%d %d\n", ((int *)range)[1], ((int *)range)[999]);
    ask("touched", range, 2 * MEGA);
    SHOW(cudaMemPrefetchAsync(range, MEGA, NODE, 0));
    ask("on a node", range, MEGA);
    SHOW(cudaMemPrefetchAsync(range, MEGA, NOWHERE, 0));
    SHOW(cudaMemPrefetchAsync(range, MEGA, NINETY, 0));
    SHOW(cudaMemPrefetchAsync(range, MEGA, GPU, 1));
    SHOW(cudaMemPrefetchAsync(range, 0, GPU, 0));
    SHOW(cudaMemPrefetchAsync(range, 5 * MEGA, GPU, 0));
    SHOW(cudaMemPrefetchAsync(range + 4 * MEGA - 1, 1, GPU, 0));
    SHOW(cudaMemPrefetchAsync(nullptr, MEGA, GPU, 0));
    SHOW(cudaMemPrefetchAsync(device, MEGA, GPU, 0));
    SHOW(cudaMemPrefetchAsync(pinned, 4096, GPU, 0));
    SHOW(cudaMemPrefetchAsync(variable, sizeof variable, GPU, 0));
    SHOW(cudaDeviceSynchronize());
    MUST(cudaFree(range));
}

static void questions()
{
    printf("-- questions\n");
    int value[2] = {77, 77};
    MUST(cudaMallocManaged(&range, 2 * MEGA));
    SHOW(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 0, cudaMemRangeAttributeReadMostly, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 2, cudaMemRangeAttributeReadMostly, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 8, cudaMemRangeAttributeReadMostly, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 6, cudaMemRangeAttributeAccessedBy, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 0, cudaMemRangeAttributeAccessedBy, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 4, (cudaMemRangeAttribute)0, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 4, (cudaMemRangeAttribute)20, range, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, range, 0));
    SHOW(cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, range, 3 * MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, range + 5, 1));
    SHOW(cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, nullptr, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, device, MEGA));
    SHOW(cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, host, 64));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetReadMostly, GPU));
    SHOW(cudaMemAdvise(range, MEGA, cudaMemAdviseSetAccessedBy, GPU));
    int first = 77, several[2] = {77, 77};
    void *data[] = {&first, several};
    size_t sizes[] = {4, 8};
    cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeAccessedBy};
    SHOW(cudaMemRangeGetAttributes(data, sizes, attributes, 2, range, MEGA));
    printf("%d, %d %d\n", first, several[0], several[1]);
    SHOW(cudaMemRangeGetAttributes(data, sizes, attributes, 0, range, MEGA));
    SHOW(cudaMemRangeGetAttributes(nullptr, sizes, attributes, 2, range, MEGA));
    SHOW(cudaMemRangeGetAttributes(data, nullptr, attributes, 2, range, MEGA));
    SHOW(cudaMemRangeGetAttributes(data, sizes, nullptr, 2, range, MEGA));
    sizes[0] = 5;
    SHOW(cudaMemRangeGetAttributes(data, sizes, attributes, 2, range, MEGA));
    MUST(cudaFree(range));
}

static void attachment()
{
    printf("-- attachment\n");
    char *attached;
    MUST(cudaMallocManaged(&range, 4096));
    MUST(cudaMallocManaged(&attached, 4096, cudaMemAttachHost));
    SHOW(cudaStreamAttachMemAsync(stream, range));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaStreamAttachMemAsync(stream, range, 0, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(stream, range, 4096, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, range, 0, cudaMemAttachHost));
    SHOW(cudaStreamAttachMemAsync(stream, attached, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, range, 100, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, range, 5000, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, range + 8, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, range, 0, 3));
    SHOW(cudaStreamAttachMemAsync(stream, range, 0, 8));
    SHOW(cudaStreamAttachMemAsync(nullptr, range, 0, cudaMemAttachSingle));
    SHOW(cudaStreamAttachMemAsync(stream, (char *)nullptr, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, pinned, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, host, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(stream, (char *)variable, 0, cudaMemAttachSingle));
    SHOW(cudaDeviceSynchronize());
    MUST(cudaFree(range));
    MUST(cudaFree(attached));
}

static void batches()
{
    printf("-- batches\n");
    char *second;
    MUST(cudaMallocManaged(&range, 4 * MEGA));
    MUST(cudaMallocManaged(&second, 2 * MEGA));
    memset(range, 0, 4 * MEGA);
    void *places[] = {range, second};
    size_t sizes[] = {4 * MEGA, 2 * MEGA}, from[] = {0, 1};
    cudaMemLocation to[] = {GPU, CPU};
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 2, 0, stream));
    SHOW(cudaStreamSynchronize(stream));
    ask("first", range, 4 * MEGA);
    ask("second", second, 2 * MEGA);
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 1, 0, stream));
    ask("second", second, 2 * MEGA);
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 2, 1, stream));
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 2, 0, nullptr));
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 2, 0, cudaStreamPerThread));
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 0, to, from, 0, 0, stream));
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 0, 0, stream));
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 1, to, from, 2, 0, stream));
    from[0] = 1;
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 1, 0, stream));
    from[0] = 0, from[1] = 2;
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 2, 0, stream));
    SHOW(cudaMemPrefetchBatchAsync(nullptr, sizes, 2, to, from, 1, 0, stream));
    places[1] = device;
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 1, 0, stream));
    places[1] = second;
    sizes[1] = 0;
    SHOW(cudaMemPrefetchBatchAsync(places, sizes, 2, to, from, 1, 0, stream));
    sizes[1] = 2 * MEGA;
    SHOW(cudaMemDiscardBatchAsync(places, sizes, 2, 0, stream));
    SHOW(cudaMemDiscardBatchAsync(places, sizes, 2, 1, stream));
    SHOW(cudaMemDiscardBatchAsync(places, sizes, 0, 0, stream));
    SHOW(cudaMemDiscardBatchAsync(places, sizes, 2, 0, nullptr));
    SHOW(cudaMemDiscardBatchAsync(nullptr, sizes, 2, 0, stream));
    SHOW(cudaMemDiscardAndPrefetchBatchAsync(places, sizes, 2, to, from, 1, 0, stream));
    SHOW(cudaMemDiscardAndPrefetchBatchAsync(places, sizes, 2, to, from, 1, 0, nullptr));
    SHOW(cudaStreamSynchronize(stream));
    ask("first", range, 4 * MEGA);
    for (int i = 0; i < 100; ++i) ((int *)range)[i] = 1;
    count<<<1, 32, 0, stream>>>((int *)range, 100);
    SHOW(cudaStreamSynchronize(stream));
    printf("%d %d\n", ((int *)range)[0], ((int *)range)[99]);
    places[0] = device;
    SHOW(cudaMemDiscardBatchAsync(places, sizes, 1, 0, stream));
    SHOW(cudaDeviceSynchronize());
    MUST(cudaFree(range));
    MUST(cudaFree(second));
}

int main()
{
    MUST(cudaMalloc(&device, 4 * MEGA));
    MUST(cudaMallocHost(&pinned, 4096));
    MUST(cudaStreamCreate(&stream));
    advice();
    prefetches();
    questions();
    attachment();
    batches();
    SHOW(cudaGetLastError());
}
