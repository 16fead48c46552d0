// Flat copies to, from and between arrays, which run on into the next rows. CUDA calls them deprecated.
// flags: -std=c++17 -Wno-deprecated-declarations
#include "api_print.h"

enum { W = 6, H = 4, ALL = W * H };
static short *host, *back, *device;
static cudaArray_t a, b, line, two;
static cudaStream_t stream;

static void show(const char *what, cudaArray_t array)
{
    short values[ALL] = {};
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy2DFromArray(values, W * 2, array, 0, 0, W * 2, H, cudaMemcpyDeviceToHost));
    printf("%s:", what);
    for (int i = 0; i < ALL; ++i) printf(" %d", values[i]);
    printf("\n");
}
static void print(const char *what, const short *values)
{
    printf("%s:", what);
    for (int i = 0; i < ALL; ++i) printf(" %d", values[i]);
    printf("\n");
}
static void clear()
{
    for (int i = 0; i < ALL; ++i) host[i] = (short)(i + 1), back[i] = 0;
    static const short zeros[ALL] = {};
    for (cudaArray_t array : {a, b}) MUST(cudaMemcpy2DToArray(array, 0, 0, zeros, W * 2, W * 2, H, cudaMemcpyHostToDevice));
}

int main()
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short>(), pair = cudaCreateChannelDesc<short2>();
    host = (short *)malloc(ALL * 2);
    back = (short *)malloc(ALL * 2);
    MUST(cudaMalloc(&device, ALL * 2));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocArray(&a, &desc, W, H));
    MUST(cudaMallocArray(&b, &desc, W, H));
    MUST(cudaMallocArray(&line, &desc, W));
    MUST(cudaMallocArray(&two, &pair, W / 2, H));
    clear();
    SHOW(cudaMemcpyToArray(a, 0, 0, host, ALL * 2, cudaMemcpyHostToDevice));
    show("whole", a);
    clear();
    SHOW(cudaMemcpyToArray(a, 4, 1, host, 6, cudaMemcpyHostToDevice));
    show("within a row", a);
    SHOW(cudaMemcpyToArray(a, 8, 0, host, 22, cudaMemcpyDefault));
    show("over rows", a);
    SHOW(cudaMemcpyToArrayAsync(a, 0, 2, host, 12, cudaMemcpyHostToDevice, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("asynchronous", a);
    SHOW(cudaMemcpyFromArray(back, a, 2, 0, 20, cudaMemcpyDeviceToHost));
    print("back", back);
    MUST(cudaMemset(device, 0, ALL * 2));
    SHOW(cudaMemcpyFromArrayAsync(device, a, 8, 1, 14, cudaMemcpyDeviceToDevice, stream));
    SHOW(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(back, device, ALL * 2, cudaMemcpyDeviceToHost));
    print("device", back);
    SHOW(cudaMemcpyArrayToArray(b, 0, 1, a, 0, 0, 12, cudaMemcpyDeviceToDevice));
    show("a row to another", b);
    SHOW(cudaMemcpyArrayToArray(b, 2, 2, a, 4, 1, 6, cudaMemcpyDeviceToDevice));
    show("part of a row", b);
    SHOW(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 24, cudaMemcpyDeviceToDevice));
    show("two rows", b);
    printf("-- wrong\n");
    SHOW(cudaMemcpyToArray(nullptr, 0, 0, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 0, 0, nullptr, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 0, 0, host, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 99, 99, host, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 12, 0, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 0, 4, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 8, 3, host, 6, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(a, 0, 0, host, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpyToArray(a, 0, 0, host, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyToArray(a, 1, 0, host, 3, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(line, 4, 0, host, 8, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToArray(line, 4, 0, host, 10, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyFromArray(nullptr, a, 0, 0, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpyFromArray(back, nullptr, 0, 0, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpyFromArray(back, a, 0, 0, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyFromArray(back, a, 0, 3, 14, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpyArrayToArray(nullptr, 0, 0, a, 0, 0, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyArrayToArray(b, 0, 0, nullptr, 0, 0, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 0, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyArrayToArray(two, 0, 0, a, 0, 0, 12, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpyArrayToArray(b, 0, 3, a, 0, 0, 24, cudaMemcpyDeviceToDevice));
    show("left", a);
    SHOW(cudaGetLastError());
}
