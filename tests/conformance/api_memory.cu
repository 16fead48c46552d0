// Memory of all kinds: what copies and fills move, what the runtime knows of a pointer, pools.
#include "api_print.h"

__global__ void add(int *p, int n, int by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}
__device__ int variable[4] = {1, 2, 3, 4};
__device__ __managed__ int managed = 7;
__constant__ int constant[4];
__global__ void uses_symbols(int *p)
{
    p[threadIdx.x] = variable[threadIdx.x] * 10 + constant[threadIdx.x];
    if (threadIdx.x == 0) managed += 1;
}

static void show(const char *what, const int *values, int count)
{
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}
static void kind(const char *what, const void *p)
{
    cudaPointerAttributes a;
    const cudaError_t status = cudaPointerGetAttributes(&a, p);
    printf("%s: %s type %d device %d, device pointer %d, host pointer %d\n", what, cudaGetErrorName(status), (int)a.type,
           a.device, a.devicePointer == p, a.hostPointer == p);
}

static void pointers()
{
    int *d, *h, *m, *r = (int *)malloc(4096), local = 0;
    void *mapped = nullptr;
    unsigned flags = 0;
    MUST(cudaMalloc(&d, 100));
    MUST(cudaMallocHost(&h, 100));
    MUST(cudaMallocManaged(&m, 100));
    kind("device", d);
    kind("inside device", d + 3);
    kind("host", h);
    kind("managed", m);
    kind("local", &local);
    kind("malloc", r);
    MUST(cudaHostRegister(r, 4096, cudaHostRegisterDefault));
    kind("registered", r);
    SHOW(cudaHostRegister(r, 4096, cudaHostRegisterDefault));
    SHOW(cudaHostGetDevicePointer(&mapped, r, 0));
    SHOW(cudaHostUnregister(r));
    SHOW(cudaHostUnregister(r));
    SHOW(cudaHostGetDevicePointer(&mapped, h, 0));
    printf("same address %d\n", mapped == h);
    SHOW(cudaHostGetFlags(&flags, h));
    SHOW(cudaHostGetFlags(&flags, r));
    SHOW(cudaHostGetFlags(&flags, d));
    for (int i = 0; i < 25; ++i) h[i] = i;
    add<<<1, 32>>>(h, 25, 100);
    MUST(cudaDeviceSynchronize());
    show("mapped", h, 3);
    MUST(cudaFree(d));
    MUST(cudaFreeHost(h));
    MUST(cudaFree(m));
    free(r);
}

static void rows()
{
    enum { W = 5, H = 4, D = 3 };
    int source[D][H][W], back[D][H][W];
    for (int i = 0; i < W * H * D; ++i) source[i / (W * H)][i / W % H][i % W] = i;
    memset(back, 0, sizeof back);
    int *d;
    size_t pitch;
    MUST(cudaMallocPitch(&d, &pitch, W * sizeof(int), H));
    MUST(cudaMemset2D(d, pitch, 0, W * sizeof(int), H));
    MUST(cudaMemcpy2D(d, pitch, source, W * sizeof(int), 3 * sizeof(int), H, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2D(back, W * sizeof(int), d, pitch, W * sizeof(int), H, cudaMemcpyDeviceToHost));
    show("2D", back[0][0], W * H);
    MUST(cudaFree(d));

    cudaPitchedPtr box;
    MUST(cudaMalloc3D(&box, make_cudaExtent(W * sizeof(int), H, D)));
    printf("box %zu x %zu, pitch %zu\n", box.xsize, box.ysize, box.pitch);
    MUST(cudaMemset3D(box, 0xff, make_cudaExtent(W * sizeof(int), H, D)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(source, W * sizeof(int), W, H);
    copy.srcPos = make_cudaPos(1 * sizeof(int), 1, 1);
    copy.dstPtr = box;
    copy.dstPos = make_cudaPos(0, 1, 0);
    copy.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms out = {};
    out.srcPtr = box;
    out.dstPtr = make_cudaPitchedPtr(back, W * sizeof(int), W, H);
    out.extent = make_cudaExtent(W * sizeof(int), H, D);
    out.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&out));
    show("3D", back[0][0], W * H * D);
    MUST(cudaFree(box.ptr));
}

static void arrays()
{
    enum { W = 6, H = 3 };
    float source[H][W], back[H][W];
    for (int i = 0; i < W * H; ++i) source[i / W][i % W] = (float)i;
    memset(back, 0, sizeof back);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    printf("channels %d %d %d %d kind %d\n", desc.x, desc.y, desc.z, desc.w, (int)desc.f);
    const cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
    printf("channels %d %d %d %d kind %d\n", four.x, four.y, four.z, four.w, (int)four.f);
    cudaArray_t array, other;
    MUST(cudaMallocArray(&array, &desc, W, H));
    MUST(cudaMallocArray(&other, &desc, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, source, sizeof source[0], sizeof source[0], H, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2DArrayToArray(other, 4, 1, array, 0, 0, 4 * sizeof(float), 2, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy2DFromArray(back, sizeof back[0], other, 4, 1, 4 * sizeof(float), 2, cudaMemcpyDeviceToHost));
    printf("array: %g %g %g %g | %g %g\n", back[0][0], back[0][1], back[0][2], back[0][3], back[1][0], back[1][3]);
    SHOW(cudaMemcpy2DToArray(array, 4, 0, source, sizeof source[0], sizeof source[0], H, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc found;
    cudaExtent extent;
    unsigned flags;
    SHOW(cudaArrayGetInfo(&found, &extent, &flags, array));
    printf("extent %zu %zu %zu flags %u\n", extent.width, extent.height, extent.depth, flags);
    cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    cudaArray_t none;
    SHOW(cudaMallocArray(&none, &three, W, H));
    SHOW(cudaMallocArray(&none, &desc, 0, 0));
    MUST(cudaFreeArray(array));
    MUST(cudaFreeArray(other));
    SHOW(cudaFreeArray(nullptr));
}

static void symbols()
{
    int values[4] = {5, 6, 7, 8}, *address = nullptr, *p;
    MUST(cudaMalloc(&p, 16));
    MUST(cudaMemcpyToSymbol(constant, values, sizeof values));
    MUST(cudaMemcpyToSymbol(variable, values, 8, 8));
    MUST(cudaGetSymbolAddress((void **)&address, variable));
    MUST(cudaMemcpy(address, values + 2, 4, cudaMemcpyHostToDevice));
    uses_symbols<<<1, 4>>>(p);
    MUST(cudaMemcpy(values, p, 16, cudaMemcpyDeviceToHost));
    show("symbols", values, 4);
    MUST(cudaMemcpyFromSymbol(values, variable, 16));
    show("variable", values, 4);
    MUST(cudaDeviceSynchronize());
    printf("managed %d\n", managed);
    MUST(cudaFree(p));
}

static void pools()
{
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    int *p, values[8];
    MUST(cudaMallocAsync(&p, 32, stream));
    MUST(cudaMemsetAsync(p, 0, 32, stream));
    add<<<1, 8, 0, stream>>>(p, 8, 3);
    MUST(cudaMemcpyAsync(values, p, 32, cudaMemcpyDeviceToHost, stream));
    MUST(cudaFreeAsync(p, stream));
    MUST(cudaStreamSynchronize(stream));
    show("async", values, 8);
    cudaMemPool_t pool, current;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    SHOW(cudaMemPoolCreate(&pool, &properties));
    unsigned long long bytes = 1;
    int flag = -1;
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
    printf("threshold %llu\n", bytes);
    bytes = 1 << 20;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag));
    printf("opportunistic %d\n", flag);
    SHOW(cudaMallocFromPoolAsync(&p, 1024, pool, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    printf("used %llu\n", bytes);
    SHOW(cudaFreeAsync(p, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    printf("used %llu\n", bytes);
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes));
    printf("at most %llu\n", bytes);
    SHOW(cudaDeviceSetMemPool(0, pool));
    SHOW(cudaDeviceGetMemPool(&current, 0));
    printf("current %d\n", current == pool);
    SHOW(cudaMemPoolTrimTo(pool, 0));
    SHOW(cudaMemPoolDestroy(pool));
    SHOW(cudaMallocAsync(&p, 0, stream));
    SHOW(cudaFreeAsync(nullptr, stream));
    MUST(cudaStreamDestroy(stream));
}

int main()
{
    pointers();
    rows();
    arrays();
    symbols();
    pools();
}
