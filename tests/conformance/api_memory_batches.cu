// flags: -std=c++17
// Batches of copies: their attributes, what arrives, and which batches are refused.
#include "api_print.h"

enum { BYTES = 64 };
static unsigned char *device, *other, *pinned, *managed, host[BYTES], back[BYTES];
static cudaStream_t stream;

static void show(const char *what, const void *from, int count)
{
    unsigned char values[BYTES];
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(values, from, count, cudaMemcpyDefault));
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}

static void flat()
{
    printf("-- flat\n");
    void *to[] = {device, other + 4, managed};
    const void *from[] = {host, host + 8, host + 16};
    size_t sizes[] = {4, 6, 8}, first[] = {0, 2, 3};
    cudaMemcpyAttributes attributes[3] = {};
    for (auto &one : attributes) one.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 2, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("first", device, 6);
    show("second", other, 12);
    show("third", managed, 9);
    void *out[] = {back, pinned};
    const void *in[] = {device, other};
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    SHOW(cudaMemcpyBatchAsync(out, in, sizes, 2, attributes, first, 1, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("back", back, 6);
    show("pinned", pinned, 8);
    attributes[0].flags = 1;  // cudaMemcpyFlagPreferOverlapWithCompute
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    attributes[0].flags = 2;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    attributes[0].flags = 0;
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    attributes[0].srcAccessOrder = (cudaMemcpySrcAccessOrder)4;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, nullptr));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, cudaStreamLegacy));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, cudaStreamPerThread));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 0, attributes, first, 0, stream));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 0, stream));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 1, attributes, first, 2, stream));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, nullptr, first, 1, stream));
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, nullptr, 1, stream));
    SHOW(cudaMemcpyBatchAsync(nullptr, from, sizes, 3, attributes, first, 1, stream));
    SHOW(cudaMemcpyBatchAsync(to, nullptr, sizes, 3, attributes, first, 1, stream));
    SHOW(cudaMemcpyBatchAsync(to, from, nullptr, 3, attributes, first, 1, stream));
    size_t wrong[] = {1, 2};
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, wrong, 1, stream));
    size_t twice[] = {0, 0};
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, twice, 2, stream));
    size_t late[] = {0, 3};
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, late, 2, stream));
    sizes[1] = 0;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    sizes[1] = 6;
    to[1] = nullptr;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    to[1] = back;
    SHOW(cudaMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 1, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("host to host", back, 8);
}

static cudaMemcpy3DBatchOp box(void *to, void *from, size_t width, size_t height, size_t depth)
{
    cudaMemcpy3DBatchOp one = {};
    one.src.type = one.dst.type = cudaMemcpyOperandTypePointer;
    one.src.op.ptr.ptr = from;
    one.dst.op.ptr.ptr = to;
    one.extent = make_cudaExtent(width, height, depth);
    one.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return one;
}

static void boxes()
{
    printf("-- boxes\n");
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short>(), bytes = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t array, second, third;
    MUST(cudaMalloc3DArray(&array, &desc, make_cudaExtent(4, 3, 2)));
    MUST(cudaMallocArray(&second, &desc, 4, 3));
    MUST(cudaMallocArray(&third, &bytes, 4, 3));
    MUST(cudaMemset(device, 0, BYTES));
    cudaMemcpy3DBatchOp all[2] = {box(device, host, 3, 2, 2), box(other, host + 20, 4, 1, 1)};
    all[0].src.op.ptr.rowLength = 5, all[0].src.op.ptr.layerHeight = 3;
    all[0].dst.op.ptr.rowLength = 4;
    SHOW(cudaMemcpy3DBatchAsync(2, all, 0, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("first", device, 20);
    show("second", other, 4);
    all[0] = box(nullptr, host, 3, 2, 2);
    all[0].dst.type = cudaMemcpyOperandTypeArray;
    all[0].dst.op.array.array = array;
    all[0].dst.op.array.offset = {1, 1, 0};
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[1] = box(nullptr, nullptr, 3, 2, 1);
    all[1].dst.type = all[1].src.type = cudaMemcpyOperandTypeArray;
    all[1].src.op.array.array = array;
    all[1].src.op.array.offset = {1, 1, 1};
    all[1].dst.op.array.array = second;
    all[1].dst.op.array.offset = {0, 0, 0};
    SHOW(cudaMemcpy3DBatchAsync(1, all + 1, 0, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaMemcpy2DFromArray(back, 6, second, 0, 0, 6, 2, cudaMemcpyDeviceToHost));
    show("array", back, 12);
    all[1].dst.op.array.array = third;
    SHOW(cudaMemcpy3DBatchAsync(1, all + 1, 0, stream));
    all[1].dst.op.array.array = second;
    all[1].dst.op.array.offset = {2, 0, 0};
    SHOW(cudaMemcpy3DBatchAsync(1, all + 1, 0, stream));
    all[0] = box(device, host, 0, 2, 2);
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[0] = box(device, host, 3, 2, 2);
    all[0].src.op.ptr.rowLength = 2;
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[0] = box(device, host, 3, 2, 2);
    all[0].src.op.ptr.layerHeight = 1;
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[0] = box(device, host, 3, 2, 2);
    all[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[0] = box(device, host, 3, 2, 2);
    all[0].src.type = (cudaMemcpy3DOperandType)0;
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[0] = box(nullptr, host, 3, 2, 2);
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    all[0] = box(device, host, 3, 2, 2);
    SHOW(cudaMemcpy3DBatchAsync(1, all, 1, stream));
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, nullptr));
    SHOW(cudaMemcpy3DBatchAsync(0, all, 0, stream));
    SHOW(cudaMemcpy3DBatchAsync(1, nullptr, 0, stream));
    all[0].flags = 8;
    SHOW(cudaMemcpy3DBatchAsync(1, all, 0, stream));
    SHOW(cudaStreamSynchronize(stream));
    MUST(cudaFreeArray(array));
    MUST(cudaFreeArray(second));
    MUST(cudaFreeArray(third));
}

int main()
{
    for (int i = 0; i < BYTES; ++i) host[i] = (unsigned char)(i + 1);
    MUST(cudaMalloc(&device, BYTES));
    MUST(cudaMalloc(&other, BYTES));
    MUST(cudaMallocHost(&pinned, BYTES));
    MUST(cudaMallocManaged(&managed, BYTES));
    MUST(cudaMemset(device, 0, BYTES));
    MUST(cudaMemset(other, 0, BYTES));
    MUST(cudaMemset(managed, 0, BYTES));
    MUST(cudaStreamCreate(&stream));
    flat();
    boxes();
    SHOW(cudaGetLastError());
}
