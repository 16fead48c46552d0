// flags: -std=c++17
// Arrays: what can be made of which sizes, formats and flags; what they say of themselves; copies to, from and between them.
#include "api_print.h"

static cudaStream_t stream;

static void describe(const char *what, cudaArray_t array)
{
    cudaChannelFormatDesc d = {-1, -1, -1, -1, cudaChannelFormatKindNone};
    cudaExtent extent = {99, 99, 99};
    unsigned flags = 99;
    const cudaError_t status = cudaArrayGetInfo(&d, &extent, &flags, array);
    printf("%s: %s %d %d %d %d kind %d, %zu x %zu x %zu, flags %u\n", what, cudaGetErrorName(status), d.x, d.y, d.z, d.w, (int)d.f,
           extent.width, extent.height, extent.depth, flags);
    if (status != cudaSuccess) cudaGetLastError();
}
static void attempt(const char *what, cudaChannelFormatDesc desc, size_t width, size_t height, size_t depth, unsigned flags)
{
    cudaArray_t array = nullptr;
    const cudaError_t status = cudaMalloc3DArray(&array, &desc, make_cudaExtent(width, height, depth), flags);
    printf("%s %zu x %zu x %zu flags %u: %s\n", what, width, height, depth, flags, cudaGetErrorName(status));
    if (status != cudaSuccess) cudaGetLastError();
    else MUST(cudaFreeArray(array));
}

static void formats()
{
    printf("-- formats\n");
    const auto one = [](const char *what, int x, int y, int z, int w, cudaChannelFormatKind kind) {
        attempt(what, cudaCreateChannelDesc(x, y, z, w, kind), 4, 4, 0, 0);
    };
    one("8", 8, 0, 0, 0, cudaChannelFormatKindSigned);
    one("8 float", 8, 0, 0, 0, cudaChannelFormatKindFloat);
    one("16 float", 16, 16, 0, 0, cudaChannelFormatKindFloat);
    one("32 of four", 32, 32, 32, 32, cudaChannelFormatKindUnsigned);
    one("three", 8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    one("mixed", 8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    one("gap", 8, 0, 8, 0, cudaChannelFormatKindUnsigned);
    one("second alone", 0, 8, 0, 0, cudaChannelFormatKindUnsigned);
    one("64", 64, 0, 0, 0, cudaChannelFormatKindFloat);
    one("12", 12, 0, 0, 0, cudaChannelFormatKindUnsigned);
    one("none", 0, 0, 0, 0, cudaChannelFormatKindUnsigned);
    one("negative", -8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    one("no kind", 32, 0, 0, 0, cudaChannelFormatKindNone);
    one("kind 99", 32, 0, 0, 0, (cudaChannelFormatKind)99);
    one("normalized", 8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4);
    one("normalized, signed", 16, 16, 0, 0, cudaChannelFormatKindSignedNormalized16X2);
    one("normalized of wrong channels", 8, 8, 0, 0, cudaChannelFormatKindUnsignedNormalized8X4);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    SHOW(cudaMallocArray(nullptr, &desc, 4, 4));
    SHOW(cudaMallocArray(&array, nullptr, 4, 4));
    SHOW(cudaMalloc3DArray(nullptr, &desc, make_cudaExtent(4, 4, 4)));
    SHOW(cudaMalloc3DArray(&array, nullptr, make_cudaExtent(4, 4, 4)));
    const cudaChannelFormatDesc half = cudaCreateChannelDescHalf4();
    printf("half %d %d %d %d kind %d\n", half.x, half.y, half.z, half.w, (int)half.f);
    const cudaChannelFormatDesc triple = cudaCreateChannelDesc<int3>();
    printf("int3 %d %d %d %d kind %d\n", triple.x, triple.y, triple.z, triple.w, (int)triple.f);
    const cudaChannelFormatDesc wide = cudaCreateChannelDesc<unsigned long>();
    printf("unsigned long %d %d %d %d kind %d\n", wide.x, wide.y, wide.z, wide.w, (int)wide.f);
    const cudaChannelFormatDesc nothing = cudaCreateChannelDesc<double>();
    printf("double %d %d %d %d kind %d\n", nothing.x, nothing.y, nothing.z, nothing.w, (int)nothing.f);
}

static void sizes()
{
    printf("-- sizes\n");
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), b = cudaCreateChannelDesc<unsigned char>();
    const unsigned layered = cudaArrayLayered, cube = cudaArrayCubemap, gather = cudaArrayTextureGather, surface = cudaArraySurfaceLoadStore;
    attempt("line", f, 131072, 0, 0, 0);
    attempt("line", f, 131073, 0, 0, 0);
    attempt("line with surfaces", f, 32768, 0, 0, surface);
    attempt("line with surfaces", f, 32769, 0, 0, surface);
    attempt("plane", b, 131072, 1, 0, 0);
    attempt("plane", b, 131073, 1, 0, 0);
    attempt("plane", b, 1, 65536, 0, 0);
    attempt("plane", b, 1, 65537, 0, 0);
    attempt("plane with surfaces", b, 131072, 1, 0, surface);
    attempt("plane with gather", b, 32768, 1, 0, gather);
    attempt("plane with gather", b, 32769, 1, 0, gather);
    attempt("plane with gather", b, 1, 32769, 0, gather);
    attempt("box", b, 16384, 1, 1, 0);
    attempt("box", b, 16385, 1, 1, 0);
    attempt("box", b, 1, 16385, 1, 0);
    attempt("box", b, 1, 1, 16384, 0);
    attempt("box", b, 1, 1, 16385, 0);
    attempt("box with gather", b, 4, 4, 4, gather);
    attempt("lines", b, 32768, 0, 2048, layered);
    attempt("lines", b, 32769, 0, 2, layered);
    attempt("lines", b, 4, 0, 2049, layered);
    attempt("planes", b, 4, 4, 2048, layered);
    attempt("planes", b, 4, 4, 2049, layered);
    attempt("planes", b, 32769, 4, 2, layered);
    attempt("planes with gather", b, 4, 4, 2, layered | gather);
    attempt("planes of no depth", b, 4, 4, 0, layered);
    attempt("cube", f, 4, 4, 6, cube);
    attempt("cube", f, 4, 4, 12, cube);
    attempt("cube", f, 4, 3, 6, cube);
    attempt("cube", f, 4, 4, 0, cube);
    attempt("cube with gather", f, 4, 4, 6, cube | gather);
    attempt("cube with surfaces", f, 4, 4, 6, cube | surface);
    attempt("cube", f, 32769, 32769, 6, cube);
    attempt("cubes", f, 4, 4, 12, cube | layered);
    attempt("cubes", f, 4, 4, 7, cube | layered);
    attempt("cubes", f, 4, 4, 2046, cube | layered);
    attempt("cubes", f, 4, 4, 2052, cube | layered);
    attempt("nothing", f, 0, 0, 0, 0);
    attempt("no width", f, 0, 4, 0, 0);
    attempt("no height", f, 4, 0, 4, 0);
    attempt("unknown flag", f, 4, 4, 0, 0x10);
    attempt("unknown flag", f, 4, 4, 0, 0x1000);
    attempt("colour", f, 4, 4, 0, cudaArrayColorAttachment);
    attempt("too much", cudaCreateChannelDesc<float4>(), 16384, 16384, 16384, 0);
    cudaArray_t array;
    SHOW(cudaMallocArray(&array, &f, 4, 4, cudaArrayLayered));
    SHOW(cudaMallocArray(&array, &f, 4, 4, cudaArrayCubemap));
}

static void questions()
{
    printf("-- questions\n");
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float2>(), b = cudaCreateChannelDesc<uchar4>();
    cudaArray_t line, plane, box, layers, plane_of = nullptr;
    MUST(cudaMallocArray(&line, &f, 5));
    MUST(cudaMallocArray(&plane, &b, 5, 3, cudaArraySurfaceLoadStore | cudaArrayTextureGather));
    MUST(cudaMalloc3DArray(&box, &f, make_cudaExtent(5, 3, 2)));
    MUST(cudaMalloc3DArray(&layers, &b, make_cudaExtent(5, 0, 2), cudaArrayLayered));
    describe("line", line);
    describe("plane", plane);
    describe("box", box);
    describe("layers", layers);
    describe("null", nullptr);
    SHOW(cudaArrayGetInfo(nullptr, nullptr, nullptr, plane));
    cudaChannelFormatDesc found = {};
    SHOW(cudaGetChannelDesc(&found, plane));
    printf("%d %d %d %d kind %d\n", found.x, found.y, found.z, found.w, (int)found.f);
    SHOW(cudaGetChannelDesc(nullptr, plane));
    SHOW(cudaGetChannelDesc(&found, nullptr));
    SHOW(cudaArrayGetPlane(&plane_of, plane, 0));
    SHOW(cudaArrayGetPlane(&plane_of, plane, 1));
    SHOW(cudaArrayGetPlane(nullptr, plane, 0));
    SHOW(cudaArrayGetPlane(&plane_of, nullptr, 0));
    cudaArraySparseProperties sparse;
    SHOW(cudaArrayGetSparseProperties(&sparse, plane));
    SHOW(cudaArrayGetSparseProperties(nullptr, plane));
    cudaArrayMemoryRequirements needs;
    SHOW(cudaArrayGetMemoryRequirements(&needs, plane, 0));
    SHOW(cudaArrayGetMemoryRequirements(nullptr, plane, 0));
    SHOW(cudaArrayGetMemoryRequirements(&needs, plane, 99));
    SHOW(cudaFreeArray(line));
    SHOW(cudaFreeArray(plane));
    SHOW(cudaFreeArray(box));
    SHOW(cudaFreeArray(layers));
    SHOW(cudaFreeArray(nullptr));
}

enum { W = 6, H = 4, D = 3 };
static short (*const host)[H][W] = (short (*)[H][W])malloc(W * H * D * 2), (*const back)[H][W] = (short (*)[H][W])malloc(W * H * D * 2);

static void clear()
{
    for (int i = 0; i < W * H * D; ++i) ((short *)host)[i] = (short)(i + 1);
    memset(back, 0, W * H * D * 2);
}
static void show(const char *what, const short *values, int count)
{
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}
static void rows()
{
    printf("-- rows\n");
    clear();
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short>(), pair = cudaCreateChannelDesc<short2>();
    cudaArray_t a, b, two, line;
    short *device;
    size_t pitch;
    MUST(cudaMallocArray(&a, &desc, W, H));
    MUST(cudaMallocArray(&b, &desc, W, H));
    MUST(cudaMallocArray(&two, &pair, W / 2, H));
    MUST(cudaMallocArray(&line, &desc, W));
    MUST(cudaMallocPitch(&device, &pitch, W * 2, H));
    MUST(cudaMemset2D(device, pitch, 0, W * 2, H));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, W * 2, H, cudaMemcpyDefault));
    SHOW(cudaMemcpy2DToArrayAsync(b, 4, 1, host, W * 2, 6, 2, cudaMemcpyHostToDevice, stream));
    SHOW(cudaMemcpy2DFromArrayAsync(device, pitch, a, 2, 1, 8, 3, cudaMemcpyDeviceToDevice, stream));
    SHOW(cudaStreamSynchronize(stream));
    SHOW(cudaMemcpy2D(back, W * 2, device, pitch, W * 2, H, cudaMemcpyDefault));
    show("from the array", back[0][0], W * H);
    SHOW(cudaMemcpy2DToArray(a, 0, 2, device, pitch, 8, 2, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy2DArrayToArray(b, 0, 0, a, 4, 1, 6, 3, cudaMemcpyDefault));
    SHOW(cudaMemcpy2DFromArray(back, W * 2, b, 0, 0, 6, 3, cudaMemcpyDefault));
    show("from another", back[0][0], W * H);
    SHOW(cudaMemcpy2DToArray(line, 4, 0, host, 4, 4, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DFromArray(back, 4, line, 4, 0, 4, 1, cudaMemcpyDeviceToHost));
    show("line", back[0][0], 3);
    SHOW(cudaMemcpy2DToArray(nullptr, 0, 0, host, W * 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, nullptr, W * 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, 0, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, 4, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 2, 4, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 1, 0, host, W * 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, 3, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(two, 2, 0, host, W * 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 10, 0, host, W * 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 3, host, W * 2, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 12, 0, host, W * 2, 0, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 99, 99, host, W * 2, 0, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, 4, 2, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, 4, 2, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, host, W * 2, 4, 2, (cudaMemcpyKind)9));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, device, pitch, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DFromArray(back, W * 2, a, 0, 0, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DFromArray(nullptr, W * 2, a, 0, 0, 4, 2, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy2DFromArray(back, W * 2, nullptr, 0, 0, 4, 2, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy2DFromArray(back, 2, a, 0, 0, 4, 2, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy2DFromArrayAsync(back, W * 2, a, 8, 0, 6, 2, cudaMemcpyDeviceToHost, stream));
    SHOW(cudaMemcpy2DArrayToArray(two, 0, 0, a, 0, 0, 8, 2, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 14, 2, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 4, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DArrayToArray(nullptr, 0, 0, a, 0, 0, 4, 2, cudaMemcpyDeviceToDevice));
    MUST(cudaDeviceSynchronize());
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
    MUST(cudaFreeArray(two));
    MUST(cudaFreeArray(line));
    MUST(cudaFree(device));
}

static void boxes()
{
    printf("-- boxes\n");
    clear();
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short>(), pair = cudaCreateChannelDesc<short2>();
    cudaArray_t a, b, two, layers, plane;
    cudaPitchedPtr device;
    MUST(cudaMalloc3DArray(&a, &desc, make_cudaExtent(W, H, D)));
    MUST(cudaMalloc3DArray(&b, &desc, make_cudaExtent(W, H, D)));
    MUST(cudaMalloc3DArray(&two, &pair, make_cudaExtent(W, H, D)));
    MUST(cudaMalloc3DArray(&layers, &desc, make_cudaExtent(W, H, D), cudaArrayLayered));
    MUST(cudaMallocArray(&plane, &desc, W, H));
    MUST(cudaMalloc3D(&device, make_cudaExtent(W * 2, H, D)));
    MUST(cudaMemset3D(device, 0, make_cudaExtent(W * 2, H, D)));
    const auto fresh = [] {
        cudaMemcpy3DParms copy = {};
        copy.extent = make_cudaExtent(3, 2, 2);
        copy.kind = cudaMemcpyDefault;
        return copy;
    };
    const cudaPitchedPtr from = make_cudaPitchedPtr(host, W * 2, W, H), to = make_cudaPitchedPtr(back, W * 2, W, H);
    cudaMemcpy3DParms copy = fresh();
    copy.srcPtr = from, copy.srcPos = make_cudaPos(4, 1, 0);
    copy.dstArray = a, copy.dstPos = make_cudaPos(1, 2, 1);
    copy.kind = cudaMemcpyHostToDevice;
    SHOW(cudaMemcpy3D(&copy));
    copy.srcPos.x = 2;
    SHOW(cudaMemcpy3D(&copy));
    copy = fresh();
    copy.srcArray = a, copy.srcPos = make_cudaPos(1, 2, 1);
    copy.dstArray = b, copy.dstPos = make_cudaPos(3, 0, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    SHOW(cudaMemcpy3DAsync(&copy, stream));
    copy = fresh();
    copy.srcArray = b, copy.srcPos = make_cudaPos(3, 0, 1);
    copy.dstPtr = device, copy.dstPos = make_cudaPos(2, 1, 0);
    SHOW(cudaMemcpy3DAsync(&copy, stream));
    copy = fresh();
    copy.srcPtr = device;
    copy.dstPtr = to;
    copy.extent = make_cudaExtent(W * 2, H, D);
    SHOW(cudaMemcpy3DAsync(&copy, stream));
    SHOW(cudaStreamSynchronize(stream));
    show("pitched, array, array, pitched", back[0][0], W * H * D);
    memset(back, 0, W * H * D * 2);
    copy = fresh();
    copy.srcPtr = from;
    copy.dstArray = layers, copy.dstPos = make_cudaPos(0, 0, 1);
    SHOW(cudaMemcpy3D(&copy));
    copy = fresh();
    copy.srcArray = layers, copy.srcPos = make_cudaPos(0, 0, 2);
    copy.dstArray = plane, copy.dstPos = make_cudaPos(2, 1, 0);
    copy.extent.depth = 1;
    SHOW(cudaMemcpy3D(&copy));
    SHOW(cudaMemcpy2DFromArray(back, W * 2, plane, 4, 1, 6, 2, cudaMemcpyDeviceToHost));
    show("a layer", back[0][0], 9);
    cudaMemcpy3DPeerParms peer = {};
    peer.srcArray = b, peer.srcPos = make_cudaPos(3, 0, 1);
    peer.dstPtr = device;
    peer.extent = make_cudaExtent(3, 2, 2);
    SHOW(cudaMemcpy3DPeer(&peer));

    copy = fresh();
    copy.srcPtr = from;
    SHOW(cudaMemcpy3D(&copy));
    copy.dstArray = a;
    copy.dstPtr = device;
    SHOW(cudaMemcpy3D(&copy));
    copy.dstPtr = {};
    copy.srcArray = b;
    SHOW(cudaMemcpy3D(&copy));
    copy = fresh();
    copy.srcPtr = from;
    copy.dstArray = a;
    copy.kind = cudaMemcpyDeviceToHost;
    SHOW(cudaMemcpy3D(&copy));
    copy.kind = cudaMemcpyDeviceToDevice;
    SHOW(cudaMemcpy3D(&copy));
    copy.kind = (cudaMemcpyKind)7;
    SHOW(cudaMemcpy3D(&copy));
    copy.kind = cudaMemcpyHostToDevice;
    copy.extent = make_cudaExtent(7, 1, 1);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(1, 5, 1);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(1, 1, 4);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(1, 1, 1);
    copy.dstPos = make_cudaPos(6, 0, 0);
    SHOW(cudaMemcpy3D(&copy));
    copy.dstPos = make_cudaPos(0, 4, 0);
    SHOW(cudaMemcpy3D(&copy));
    copy.dstPos = make_cudaPos(0, 0, 3);
    SHOW(cudaMemcpy3D(&copy));
    copy.extent = make_cudaExtent(0, 1, 1);
    SHOW(cudaMemcpy3D(&copy));
    copy.dstPos = make_cudaPos(0, 0, 0);
    copy.extent = make_cudaExtent(3, 2, 2);
    copy.srcPtr.pitch = 4;
    SHOW(cudaMemcpy3D(&copy));
    copy.srcPtr.pitch = W * 2;
    copy.srcPtr.ysize = 1;
    SHOW(cudaMemcpy3D(&copy));
    copy = fresh();
    copy.srcArray = a;
    copy.dstArray = two;
    SHOW(cudaMemcpy3D(&copy));
    copy.dstArray = plane;
    SHOW(cudaMemcpy3D(&copy));
    copy.dstArray = b;
    copy.kind = cudaMemcpyHostToHost;
    SHOW(cudaMemcpy3D(&copy));
    SHOW(cudaDeviceSynchronize());
    for (cudaArray_t one : {a, b, two, layers, plane}) MUST(cudaFreeArray(one));
    MUST(cudaFree(device.ptr));
}

static void levels()
{
    printf("-- levels\n");
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    cudaMipmappedArray_t many = nullptr;
    cudaArray_t level = nullptr;
    SHOW(cudaMallocMipmappedArray(&many, &f, make_cudaExtent(13, 6, 0), 3));
    for (unsigned i = 0; i < 4; ++i) {
        level = nullptr;
        const cudaError_t status = cudaGetMipmappedArrayLevel(&level, many, i);
        printf("level %u: %s\n", i, cudaGetErrorName(status));
        if (status == cudaSuccess) describe("it", level);
        else cudaGetLastError();
    }
    SHOW(cudaGetMipmappedArrayLevel(nullptr, many, 0));
    SHOW(cudaGetMipmappedArrayLevel(&level, nullptr, 0));
    SHOW(cudaFreeMipmappedArray(many));
    const auto attempt = [&](const char *what, size_t width, size_t height, size_t depth, unsigned count, unsigned flags) {
        const cudaError_t status = cudaMallocMipmappedArray(&many, &f, make_cudaExtent(width, height, depth), count, flags);
        printf("%s %zu x %zu x %zu, %u levels, flags %u: %s\n", what, width, height, depth, count, flags, cudaGetErrorName(status));
        if (status != cudaSuccess) {
            cudaGetLastError();
            return;
        }
        unsigned there = 0;
        while (cudaGetMipmappedArrayLevel(&level, many, there) == cudaSuccess) ++there;
        cudaGetLastError();
        MUST(cudaGetMipmappedArrayLevel(&level, many, there - 1));
        printf("%u levels\n", there);
        describe("last", level);
        MUST(cudaFreeMipmappedArray(many));
    };
    attempt("line", 16, 0, 0, 5, 0);
    attempt("line", 16, 0, 0, 6, 0);
    attempt("line", 32768, 0, 0, 1, 0);
    attempt("line", 32769, 0, 0, 1, 0);
    attempt("plane", 16, 5, 0, 5, 0);
    attempt("plane", 16, 5, 0, 9, 0);
    attempt("plane", 16, 5, 0, 0, 0);
    attempt("plane", 32769, 5, 0, 1, 0);
    attempt("box", 9, 5, 3, 4, 0);
    attempt("layers", 8, 8, 3, 4, cudaArrayLayered);
    attempt("lines", 8, 0, 3, 4, cudaArrayLayered);
    attempt("cube", 8, 8, 6, 4, cudaArrayCubemap);
    attempt("cubes", 8, 8, 12, 2, cudaArrayCubemap | cudaArrayLayered);
    attempt("cube", 8, 8, 5, 4, cudaArrayCubemap);
    attempt("surfaces", 8, 8, 0, 4, cudaArraySurfaceLoadStore);
    attempt("gather", 8, 8, 0, 2, cudaArrayTextureGather);
    attempt("nothing", 0, 0, 0, 1, 0);
    SHOW(cudaMallocMipmappedArray(nullptr, &f, make_cudaExtent(4, 4, 0), 1));
    SHOW(cudaMallocMipmappedArray(&many, nullptr, make_cudaExtent(4, 4, 0), 1));
    SHOW(cudaMallocMipmappedArray(&many, &three, make_cudaExtent(4, 4, 0), 1));
    SHOW(cudaFreeMipmappedArray(nullptr));
    MUST(cudaMallocMipmappedArray(&many, &f, make_cudaExtent(8, 8, 0), 2));
    cudaArraySparseProperties sparse;
    cudaArrayMemoryRequirements needs;
    SHOW(cudaMipmappedArrayGetSparseProperties(&sparse, many));
    SHOW(cudaMipmappedArrayGetMemoryRequirements(&needs, many, 0));
    MUST(cudaGetMipmappedArrayLevel(&level, many, 1));
    float values[16], back[16] = {};
    for (int i = 0; i < 16; ++i) values[i] = i * 0.5f;
    SHOW(cudaMemcpy2DToArray(level, 0, 0, values, 16, 16, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DToArray(level, 0, 0, values, 32, 32, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2DFromArray(back, 16, level, 4, 1, 12, 3, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", back[0], back[1], back[2], back[10]);
    SHOW(cudaFreeMipmappedArray(many));
}

int main()
{
    MUST(cudaStreamCreate(&stream));
    formats();
    sizes();
    questions();
    rows();
    boxes();
    levels();
    SHOW(cudaGetLastError());
}
