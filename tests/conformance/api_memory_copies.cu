// flags: -std=c++17
// Copies of memory in one to three dimensions: what arrives, and which error answers wrong pointers, pitches and directions.
#include "api_print.h"

enum { W = 8, H = 4, D = 3, ALL = W * H * D };
static unsigned char *host, *back, *device, *other, *pinned, *managed;
static cudaStream_t stream;

static void clear()
{
    for (int i = 0; i < ALL; ++i) host[i] = (unsigned char)(i + 1), pinned[i] = (unsigned char)(200 - i);
    memset(back, 0, ALL);
    MUST(cudaMemset(device, 0, ALL));
    MUST(cudaMemset(other, 7, ALL));
    MUST(cudaMemset(managed, 9, ALL));
    MUST(cudaDeviceSynchronize());
}
static void print(const char *what, const unsigned char *values, int count)
{
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}
static void show(const char *what, const void *from, int count)
{
    unsigned char values[ALL];
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(values, from, count, cudaMemcpyDefault));
    print(what, values, count);
}

static void linear()
{
    printf("-- linear\n");
    clear();
    SHOW(cudaMemcpy(device + 1, host, 5, cudaMemcpyDefault));
    SHOW(cudaMemcpy(managed + 2, device, 6, cudaMemcpyDefault));
    SHOW(cudaMemcpy(pinned, managed, 10, cudaMemcpyDefault));
    print("default", pinned, 12);
    SHOW(cudaMemcpy(back, host, 4, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(back + 4, host, 4, cudaMemcpyDefault));
    print("host to host", back, 9);
    SHOW(cudaMemcpy(managed, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(back, managed, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(managed, host, 4, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(managed, host, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(back, managed, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(managed, device, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(pinned, device, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(device, pinned, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(pinned, device, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device, pinned, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(back, host, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(back, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(back, host, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(device, host, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(back, device, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(device, other, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device, other, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(device, host, 4, (cudaMemcpyKind)-1));
    SHOW(cudaMemcpy(device, host, 4, (cudaMemcpyKind)5));
    SHOW(cudaMemcpy(device, host, 0, (cudaMemcpyKind)5));
    SHOW(cudaMemcpy(device, host, 0, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyDefault));
    SHOW(cudaMemcpy(nullptr, device, 4, cudaMemcpyDefault));
    SHOW(cudaMemcpy(back, nullptr, 4, cudaMemcpyDefault));
    SHOW(cudaMemcpy(device, device, 4, cudaMemcpyDeviceToDevice));

    printf("-- linear, asynchronous\n");
    clear();
    SHOW(cudaMemcpyAsync(device, host, 6, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyAsync(other, device, 6, cudaMemcpyDeviceToDevice, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaMemcpyAsync(pinned, other, 8, cudaMemcpyDefault, stream));
    SHOW(cudaStreamSynchronize(stream));
    print("pinned", pinned, 8);
    SHOW(cudaMemcpyAsync(device, host, 4, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaMemcpyAsync(back, device, 4, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpyAsync(back, host, 4, cudaMemcpyHostToHost, stream));
    SHOW(cudaMemcpyAsync(back, device, 4, cudaMemcpyDeviceToDevice, stream));
    SHOW(cudaMemcpyAsync(device, host, 4, (cudaMemcpyKind)9, stream));
    SHOW(cudaMemcpyAsync(nullptr, host, 0, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpyAsync(nullptr, host, 1, cudaMemcpyHostToDevice, stream));
    SHOW(cudaStreamSynchronize(stream));
}

static void rows()
{
    printf("-- rows\n");
    clear();
    SHOW(cudaMemcpy2D(device + 1, 10, host, W, 5, 3, cudaMemcpyHostToDevice));
    show("to device", device, 32);
    SHOW(cudaMemcpy2D(other, 6, device + 1, 10, 5, 3, cudaMemcpyDeviceToDevice));
    show("on device", other, 20);
    SHOW(cudaMemcpy2D(managed, 5, other, 6, 5, 3, cudaMemcpyDefault));
    show("to managed", managed, 17);
    SHOW(cudaMemcpy2D(back, 7, managed, 5, 4, 2, cudaMemcpyDeviceToHost));
    print("to host", back, 14);
    SHOW(cudaMemcpy2D(back, 7, host, 9, 3, 3, cudaMemcpyHostToHost));
    print("host to host", back, 20);
    SHOW(cudaMemcpy2D(device, W, host, W, 0, 3, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, host, W, 3, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(nullptr, W, nullptr, W, 0, 3, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(nullptr, W, nullptr, W, 3, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(nullptr, 0, nullptr, 0, 0, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(nullptr, W, host, W, 3, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, nullptr, W, 3, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, 4, host, W, 5, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, host, 4, 5, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, 4, host, W, 5, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, 0, host, W, 5, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, host, 0, 5, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, (size_t)1 << 31, host, W, 4, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, ((size_t)1 << 31) - 1, host, W, 4, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, host, (size_t)1 << 31, 4, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, host, W, 4, 2, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy2D(back, W, device, W, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, other, W, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, W, other, W, 4, 2, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy2D(back, W, host, W, 4, 2, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy2D(back, W, device, W, 4, 2, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy2D(back, W, device, W, 4, 2, (cudaMemcpyKind)5));
    SHOW(cudaMemcpy2D(back, 2, device, 2, 4, 2, (cudaMemcpyKind)5));
    clear();
    SHOW(cudaMemcpy2DAsync(device, 9, host, W, 5, 2, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpy2DAsync(other, 9, device, 9, 5, 2, cudaMemcpyDeviceToDevice, stream));
    SHOW(cudaMemcpy2DAsync(pinned, 6, other, 9, 5, 2, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaStreamSynchronize(stream));
    print("asynchronous", pinned, 12);
    SHOW(cudaMemcpy2DAsync(device, W, host, W, 4, 2, cudaMemcpyDefault));
    SHOW(cudaMemcpy2DAsync(device, W, host, W, 9, 2, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpy2DAsync(device, W, host, W, 4, 2, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaMemcpy2DAsync(device, W, host, W, 4, 2, (cudaMemcpyKind)5, stream));
    SHOW(cudaMemcpy2DAsync(nullptr, W, host, W, 4, 2, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpy2DAsync(nullptr, W, nullptr, W, 0, 2, cudaMemcpyHostToDevice, stream));
    MUST(cudaDeviceSynchronize());
}

static cudaMemcpy3DParms box(void *to, void *from, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms copy = {};
    copy.dstPtr = make_cudaPitchedPtr(to, W, W, H);
    copy.srcPtr = make_cudaPitchedPtr(from, W, W, H);
    copy.extent = make_cudaExtent(3, 2, 2);
    copy.kind = kind;
    return copy;
}

static void boxes()
{
    printf("-- boxes\n");
    clear();
    cudaMemcpy3DParms copy = box(device, host, cudaMemcpyHostToDevice);
    copy.srcPos = make_cudaPos(2, 1, 1);
    copy.dstPos = make_cudaPos(4, 2, 0);
    SHOW(cudaMemcpy3D(&copy));
    show("to device", device, ALL);
    copy = box(other, device, cudaMemcpyDeviceToDevice);
    copy.dstPtr.pitch = 6, copy.dstPtr.ysize = 3;
    copy.srcPos = make_cudaPos(4, 2, 0);
    SHOW(cudaMemcpy3DAsync(&copy, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("on device", other, 36);
    copy = box(managed, other, cudaMemcpyDefault);
    copy.srcPtr.pitch = 6, copy.srcPtr.ysize = 3;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(back, managed, cudaMemcpyDeviceToHost);
    SHOW(cudaMemcpy3DAsync(&copy));
    SHOW(cudaDeviceSynchronize());
    print("to host", back, ALL);
    copy.kind = cudaMemcpyHostToDevice;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, cudaMemcpyDeviceToHost);
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, other, cudaMemcpyHostToDevice);
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, (cudaMemcpyKind)5);
    SHOW(cudaMemcpy3D(&copy));
    copy = box(nullptr, host, cudaMemcpyHostToDevice);
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, nullptr, cudaMemcpyHostToDevice);
    SHOW(cudaMemcpy3D(&copy));
    copy = box(nullptr, nullptr, cudaMemcpyHostToDevice);
    copy.extent.depth = 0;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, cudaMemcpyHostToDevice);
    copy.extent.width = 0;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, cudaMemcpyHostToDevice);
    copy.extent = make_cudaExtent(9, 1, 1);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(3, 5, 1);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(3, 5, 2);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(3, 2, 2);
    copy.dstPtr.pitch = 2;
    SHOW(cudaMemcpy3D(&copy));
    copy.dstPtr.pitch = W;
    copy.srcPtr.pitch = 2;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, cudaMemcpyHostToDevice);
    copy.srcPos.x = 6;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, cudaMemcpyHostToDevice);
    copy.dstPos.y = 3;
    SHOW(cudaMemcpy3D(&copy));
    copy = box(device, host, cudaMemcpyHostToDevice);
    copy.dstPtr.xsize = 2;
    SHOW(cudaMemcpy3D(&copy));
    copy.dstPtr.ysize = 0;
    SHOW(cudaMemcpy3D(&copy));
    copy.extent.depth = 1;
    SHOW(cudaMemcpy3D(&copy));
    SHOW(cudaMemcpy3D(nullptr));
    SHOW(cudaMemcpy3DAsync(nullptr, stream));
    MUST(cudaDeviceSynchronize());
}

static void peers()
{
    printf("-- peers\n");
    clear();
    MUST(cudaMemcpy(device, host, ALL, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyPeer(other, 0, device, 0, 10));
    show("other", other, 12);
    SHOW(cudaMemcpyPeerAsync(other + 1, 0, device, 0, 10, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("other", other, 13);
    SHOW(cudaMemcpyPeer(other, 0, device, 0, 0));
    SHOW(cudaMemcpyPeer(nullptr, 0, nullptr, 0, 0));
    SHOW(cudaMemcpyPeer(nullptr, 0, device, 0, 4));
    SHOW(cudaMemcpyPeer(other, 0, nullptr, 0, 4));
    SHOW(cudaMemcpyPeer(other, 99, device, 0, 4));
    SHOW(cudaMemcpyPeer(other, 0, device, -1, 4));
    SHOW(cudaMemcpyPeer(other, 99, device, 0, 0));
    SHOW(cudaMemcpyPeerAsync(other, 99, device, 0, 4, stream));
    SHOW(cudaMemcpyPeer(managed, 0, device, 0, 4));
    SHOW(cudaMemcpyPeer(pinned, 0, device, 0, 4));
    cudaMemcpy3DPeerParms copy = {};
    copy.dstPtr = make_cudaPitchedPtr(other, W, W, H);
    copy.srcPtr = make_cudaPitchedPtr(device, W, W, H);
    copy.extent = make_cudaExtent(3, 2, 2);
    SHOW(cudaMemcpy3DPeer(&copy));
    show("box", other, 64);
    copy.dstPos = make_cudaPos(3, 1, 1);
    SHOW(cudaMemcpy3DPeerAsync(&copy, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("box", other, 64);
    copy.dstDevice = 99;
    SHOW(cudaMemcpy3DPeer(&copy));
    copy.dstDevice = 0;
    copy.srcDevice = -1;
    SHOW(cudaMemcpy3DPeerAsync(&copy, stream));
    copy.srcDevice = 0;
    copy.extent.depth = 0;
    SHOW(cudaMemcpy3DPeer(&copy));
    copy.extent.depth = 1;
    copy.srcPtr.ptr = nullptr;
    SHOW(cudaMemcpy3DPeer(&copy));
    SHOW(cudaMemcpy3DPeer(nullptr));
}

static void fills()
{
    printf("-- fills\n");
    clear();
    SHOW(cudaMemset(device + 1, 0x1234, 3));
    SHOW(cudaMemsetAsync(device + 5, -1, 2, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("bytes", device, 9);
    SHOW(cudaMemset2D(device, W, 5, 3, 2));
    SHOW(cudaMemset2DAsync(device + 4, W, 6, 2, 3, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("rows", device, 28);
    cudaPitchedPtr to = make_cudaPitchedPtr(device, W, W, H);
    SHOW(cudaMemset3D(to, 8, make_cudaExtent(2, 3, 2)));
    SHOW(cudaMemset3DAsync(to, 3, make_cudaExtent(1, 1, 3), stream));
    SHOW(cudaStreamSynchronize(stream));
    show("box", device, ALL);
    SHOW(cudaMemset(nullptr, 0, 0));
    SHOW(cudaMemset(host, 0, 0));
    SHOW(cudaMemset(managed, 1, 4));
    SHOW(cudaMemset(pinned, 1, 4));
    SHOW(cudaMemset2D(nullptr, W, 0, 0, 3));
    SHOW(cudaMemset2D(nullptr, W, 0, 3, 0));
    SHOW(cudaMemset2D(nullptr, W, 0, 3, 3));
    SHOW(cudaMemset2D(device, 2, 0, 3, 1));
    SHOW(cudaMemset2D(device, 2, 0, 3, 2));
    SHOW(cudaMemset2D(device, (size_t)1 << 31, 0, 3, 1));
    SHOW(cudaMemset2DAsync(device, 2, 0, 3, 2, stream));
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(0, 1, 1)));
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(9, 1, 1)));
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(9, 2, 1)));
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(1, 5, 1)));
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(1, 5, 2)));
    to.xsize = 1;
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(2, 1, 1)));
    to.ptr = nullptr;
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(1, 1, 1)));
    SHOW(cudaMemset3D(to, 0, make_cudaExtent(1, 0, 1)));
    MUST(cudaDeviceSynchronize());
}

static void wrong()
{
    printf("-- wrong\n");
    clear();
    SHOW(cudaMemcpy(device, pinned, 4, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(device + 4, other, 4, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy2D(device + 8, 8, other, 8, 4, 2, cudaMemcpyHostToHost));
    SHOW(cudaMemcpyAsync(back, device, 4, cudaMemcpyHostToHost, stream));
    show("by the host", device, 20);
    SHOW(cudaMemcpyPeer(other, 0, host, 0, 4));
    SHOW(cudaMemcpy(device + 4000, host, 97, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device + 4000, host, 96, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device, host, (size_t)1 << 33, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyAsync(device, host, (size_t)1 << 33, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpy2D(device, 4096, host, 4096, 16, 100000, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(managed + 4090, host, 7, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(host, pinned, 5000000, cudaMemcpyDefault));
    SHOW(cudaMemset(device, 0, 4097));
    SHOW(cudaMemset(device, 0, (size_t)1 << 33));
    SHOW(cudaMemset2D(device, 4096, 0, 16, 1000000));
    SHOW(cudaMemset(host, 0, 4));
    SHOW(cudaMemset2D(host, W, 0, 4, 2));
    SHOW(cudaMemset((void *)0x1000, 0, 4));
    SHOW(cudaMemcpy(device, (void *)0x1000, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy((void *)0x1000, device, 4, cudaMemcpyDeviceToDevice));
    SHOW(cudaFree(other));
    SHOW(cudaMemcpy(back, other, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemset(other, 0, 4));
    SHOW(cudaMemcpy(other, host, 4, cudaMemcpyHostToDevice));
    SHOW(cudaDeviceSynchronize());
}

int main()
{
    host = (unsigned char *)malloc(ALL);
    back = (unsigned char *)malloc(ALL);
    MUST(cudaMalloc(&device, 4096));
    MUST(cudaMalloc(&other, 4096));
    MUST(cudaMallocHost(&pinned, 4096));
    MUST(cudaMallocManaged(&managed, 4096));
    MUST(cudaStreamCreate(&stream));
    linear();
    rows();
    boxes();
    peers();
    fills();
    wrong();
    SHOW(cudaGetLastError());
}
