// flags: -std=c++17
// Texture and surface objects: which descriptors are refused and how, what objects say of themselves, linear and pitched memory.
#include "api_print.h"

static cudaArray_t plane, whole, bytes, box, surfaces, gathers;
static cudaMipmappedArray_t levels;
static char *device;

static cudaResourceDesc of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}
static cudaResourceDesc line(void *p, size_t size, cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>())
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = size;
    return r;
}
static cudaResourceDesc rows(void *p, size_t width, size_t height, size_t pitch, cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>())
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    return r;
}
static void attempt(const char *what, const cudaResourceDesc &resource, const cudaTextureDesc &desc, const cudaResourceViewDesc *view = nullptr)
{
    cudaTextureObject_t t = 0;
    const cudaError_t status = cudaCreateTextureObject(&t, &resource, &desc, view);
    printf("%s: %s\n", what, cudaGetErrorName(status));
    if (status != cudaSuccess) cudaGetLastError();
    else MUST(cudaDestroyTextureObject(t));
}
static cudaTextureDesc plain() { return cudaTextureDesc{}; }

static void refusals()
{
    printf("-- refusals\n");
    cudaTextureDesc d = plain();
    attempt("plain", of(plane), d);
    d.normalizedCoords = 5;
    attempt("normalized 5", of(plane), d);
    d = plain(), d.filterMode = cudaFilterModeLinear;
    attempt("linear floats", of(plane), d);
    attempt("linear integers", of(whole), d);
    attempt("linear bytes", of(bytes), d);
    d.readMode = cudaReadModeNormalizedFloat;
    attempt("linear normalized bytes", of(bytes), d);
    attempt("linear normalized floats", of(plane), d);
    attempt("linear normalized integers", of(whole), d);
    d.filterMode = cudaFilterModePoint;
    attempt("normalized integers", of(whole), d);
    attempt("normalized floats", of(plane), d);
    d = plain(), d.filterMode = (cudaTextureFilterMode)2;
    attempt("filter 2", of(plane), d);
    d = plain(), d.readMode = (cudaTextureReadMode)2;
    attempt("read mode 2", of(plane), d);
    for (int mode = -1; mode < 6; ++mode) {
        d = plain(), d.addressMode[0] = (cudaTextureAddressMode)mode;
        printf("mode %d: ", mode);
        attempt("address", of(plane), d);
    }
    d = plain(), d.addressMode[0] = d.addressMode[1] = cudaAddressModeMirror, d.normalizedCoords = 1;
    attempt("mirror, normalized", of(plane), d);
    d = plain(), d.sRGB = 1;
    attempt("sRGB floats", of(plane), d);
    attempt("sRGB bytes", of(bytes), d);
    d.readMode = cudaReadModeNormalizedFloat;
    attempt("sRGB normalized bytes", of(bytes), d);
    d = plain(), d.maxAnisotropy = 4;
    attempt("anisotropy 4", of(plane), d);
    d.maxAnisotropy = 99;
    attempt("anisotropy 99", of(plane), d);
    d = plain(), d.seamlessCubemap = 1;
    attempt("seamless on a plane", of(plane), d);
    d = plain(), d.mipmapFilterMode = cudaFilterModeLinear, d.maxMipmapLevelClamp = 3;
    attempt("levels of a plane", of(plane), d);
    d.normalizedCoords = 0;
    cudaResourceDesc many = {};
    many.resType = cudaResourceTypeMipmappedArray;
    many.res.mipmap.mipmap = levels;
    attempt("levels, not normalized", many, d);
    d.normalizedCoords = 1;
    attempt("levels, normalized", many, d);
    d.minMipmapLevelClamp = 4, d.maxMipmapLevelClamp = 1;
    attempt("levels, clamps crossed", many, d);
    many.res.mipmap.mipmap = nullptr;
    attempt("levels of nothing", many, d);
    attempt("array of nothing", of(nullptr), plain());
    cudaResourceDesc wrong = of(plane);
    wrong.resType = (cudaResourceType)9;
    attempt("resource type 9", wrong, plain());
    cudaTextureObject_t t = 0;
    const cudaResourceDesc good = of(plane);
    const cudaTextureDesc simple = plain();
    SHOW(cudaCreateTextureObject(nullptr, &good, &simple, nullptr));
    SHOW(cudaCreateTextureObject(&t, nullptr, &simple, nullptr));
    attempt("box", of(box), plain());
    attempt("gather", of(gathers), plain());
    attempt("surfaces", of(surfaces), plain());
}

static void memory()
{
    printf("-- memory\n");
    const cudaTextureDesc d = plain();
    const cudaChannelFormatDesc four = cudaCreateChannelDesc<float4>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned),
                                byte = cudaCreateChannelDesc<unsigned char>();
    cudaTextureDesc linear = plain(), normalized = plain(), wrap = plain(), border = plain(), read = plain();
    linear.filterMode = cudaFilterModeLinear;
    normalized.normalizedCoords = 1;
    wrap.addressMode[0] = cudaAddressModeWrap;
    border.addressMode[0] = border.addressMode[1] = cudaAddressModeBorder;
    read.readMode = cudaReadModeNormalizedFloat;
    attempt("line", line(device, 4096), d);
    attempt("line of null", line(nullptr, 4096), d);
    attempt("line of nothing", line(device, 0), d);
    attempt("line of 3 bytes", line(device, 3), d);
    attempt("line of 6 bytes", line(device, 6), d);
    attempt("line from byte 16", line(device + 16, 64), d);
    attempt("line from byte 256", line(device + 256, 64), d);
    attempt("line from byte 512", line(device + 512, 64), d);
    attempt("line of fours", line(device, 64, four), d);
    attempt("line of threes", line(device, 64, three), d);
    attempt("line, linear", line(device, 64), linear);
    attempt("line, normalized", line(device, 64), normalized);
    attempt("line, border", line(device, 64), border);
    attempt("line of bytes, as floats", line(device, 64, byte), read);
    attempt("line too long", line(device, (size_t)1 << 31), d);
    attempt("line beyond the limit", line(device, ((size_t)1 << 28) + 1, byte), d);
    attempt("line beyond the memory", line(device, 1 << 22), d);
    attempt("rows", rows(device, 8, 4, 512), d);
    attempt("rows of null", rows(nullptr, 8, 4, 512), d);
    attempt("rows without width", rows(device, 0, 4, 512), d);
    attempt("rows without height", rows(device, 8, 0, 512), d);
    attempt("rows, pitch 32", rows(device, 8, 4, 32), d);
    attempt("rows, pitch 48", rows(device, 8, 4, 48), d);
    attempt("rows, pitch 64", rows(device, 8, 4, 64), d);
    attempt("rows, pitch 0", rows(device, 8, 4, 0), d);
    attempt("rows, pitch less than width", rows(device, 16, 4, 32), d);
    attempt("one row, pitch 20", rows(device, 5, 1, 20), d);
    attempt("rows from byte 32", rows(device + 32, 8, 4, 64), d);
    attempt("rows from byte 256", rows(device + 256, 8, 4, 64), d);
    attempt("rows from byte 512", rows(device + 512, 8, 4, 64), d);
    attempt("rows of threes", rows(device, 8, 4, 64, three), d);
    attempt("rows, linear", rows(device, 8, 4, 64), linear);
    attempt("rows, normalized, wrap", rows(device, 8, 4, 64), [] { cudaTextureDesc w = plain(); w.normalizedCoords = 1; return w; }());
    attempt("rows, border", rows(device, 8, 4, 64), border);
    attempt("rows too wide", rows(device, 131073, 1, 1 << 20), d);
    attempt("rows too high", rows(device, 8, 65001, 64), d);
    attempt("rows, pitch too large", rows(device, 8, 2, 2097152), d);
}

static void answers()
{
    printf("-- answers\n");
    cudaTextureDesc d = plain(), found;
    d.addressMode[0] = cudaAddressModeClamp, d.addressMode[1] = cudaAddressModeBorder, d.addressMode[2] = cudaAddressModeMirror;
    d.filterMode = cudaFilterModeLinear, d.borderColor[0] = 1.5f, d.borderColor[3] = -2, d.normalizedCoords = 1;
    d.maxAnisotropy = 2, d.mipmapLevelBias = 0.5f, d.minMipmapLevelClamp = 1, d.maxMipmapLevelClamp = 2.5f;
    d.mipmapFilterMode = cudaFilterModeLinear;
    cudaResourceDesc r = of(plane), seen;
    cudaTextureObject_t t = 0;
    const auto print = [&] {
        memset(&found, 0x55, sizeof found);
        SHOW(cudaGetTextureObjectTextureDesc(&found, t));
        printf("modes %d %d %d, filter %d, read %d, sRGB %d, normalized %d, anisotropy %u, levels %d %g %g %g\n",
               (int)found.addressMode[0], (int)found.addressMode[1], (int)found.addressMode[2], (int)found.filterMode, (int)found.readMode,
               found.sRGB, found.normalizedCoords,
               found.maxAnisotropy, (int)found.mipmapFilterMode, found.mipmapLevelBias, found.minMipmapLevelClamp, found.maxMipmapLevelClamp);
        memset(&seen, 0x55, sizeof seen);
        SHOW(cudaGetTextureObjectResourceDesc(&seen, t));
    };
    SHOW(cudaCreateTextureObject(&t, &r, &d, nullptr));
    print();
    printf("type %d, the array %d\n", (int)seen.resType, seen.res.array.array == plane);
    cudaResourceViewDesc view;
    SHOW(cudaGetTextureObjectResourceViewDesc(&view, t));
    SHOW(cudaGetTextureObjectResourceDesc(nullptr, t));
    MUST(cudaDestroyTextureObject(t));
    cudaResourceDesc many = {};
    many.resType = cudaResourceTypeMipmappedArray;
    many.res.mipmap.mipmap = levels;
    SHOW(cudaCreateTextureObject(&t, &many, &d, nullptr));
    print();
    printf("type %d, the array %d\n", (int)seen.resType, seen.res.mipmap.mipmap == levels);
    MUST(cudaDestroyTextureObject(t));
    r = of(bytes);
    d = plain(), d.readMode = cudaReadModeNormalizedFloat, d.sRGB = 1;
    SHOW(cudaCreateTextureObject(&t, &r, &d, nullptr));
    print();
    MUST(cudaDestroyTextureObject(t));
    r = line(device, 100, cudaCreateChannelDesc<int2>());
    d = plain(), d.addressMode[0] = cudaAddressModeBorder;
    SHOW(cudaCreateTextureObject(&t, &r, &d, nullptr));
    print();
    printf("type %d, the memory %d, %zu bytes, %d %d %d %d kind %d\n", (int)seen.resType, seen.res.linear.devPtr == device,
           seen.res.linear.sizeInBytes, seen.res.linear.desc.x, seen.res.linear.desc.y, seen.res.linear.desc.z, seen.res.linear.desc.w,
           (int)seen.res.linear.desc.f);
    MUST(cudaDestroyTextureObject(t));
    r = rows(device, 7, 3, 64);
    d = plain();
    SHOW(cudaCreateTextureObject(&t, &r, &d, nullptr));
    print();
    printf("type %d, the memory %d, %zu x %zu, pitch %zu\n", (int)seen.resType, seen.res.pitch2D.devPtr == device, seen.res.pitch2D.width,
           seen.res.pitch2D.height, seen.res.pitch2D.pitchInBytes);
    MUST(cudaDestroyTextureObject(t));
    r = of(surfaces);
    cudaSurfaceObject_t s = 0;
    SHOW(cudaCreateSurfaceObject(&s, &r));
    SHOW(cudaGetSurfaceObjectResourceDesc(&seen, s));
    printf("type %d, the array %d\n", (int)seen.resType, seen.res.array.array == surfaces);
    SHOW(cudaDestroySurfaceObject(s));
}

static void surface_refusals()
{
    printf("-- surfaces\n");
    cudaSurfaceObject_t s = 0;
    const cudaResourceDesc good = of(surfaces), without = of(plane), none = of(nullptr), linear = line(device, 64);
    cudaResourceDesc many = {};
    many.resType = cudaResourceTypeMipmappedArray;
    many.res.mipmap.mipmap = levels;
    SHOW(cudaCreateSurfaceObject(&s, &without));
    SHOW(cudaCreateSurfaceObject(&s, &none));
    SHOW(cudaCreateSurfaceObject(&s, &linear));
    SHOW(cudaCreateSurfaceObject(&s, &many));
    SHOW(cudaCreateSurfaceObject(nullptr, &good));
    SHOW(cudaCreateSurfaceObject(&s, nullptr));
}

static void views()
{
    printf("-- views\n");
    cudaResourceViewDesc view = {};
    cudaTextureDesc d = plain();
    view.format = cudaResViewFormatFloat1;
    view.width = 8, view.height = 4;
    attempt("the same", of(plane), d, &view);
    view.format = cudaResViewFormatNone;
    attempt("no format", of(plane), d, &view);
    view.format = cudaResViewFormatUnsignedInt1;
    attempt("as integers", of(plane), d, &view);
    view.format = cudaResViewFormatHalf2;
    attempt("as halves", of(plane), d, &view);
    view.format = cudaResViewFormatFloat2;
    attempt("as pairs", of(plane), d, &view);
    view.format = cudaResViewFormatFloat1;
    view.width = 7;
    attempt("narrower", of(plane), d, &view);
    view.width = 8, view.height = 4, view.depth = 1;
    attempt("of a depth", of(plane), d, &view);
    view.depth = 0;
    attempt("of memory", line(device, 64), d, &view);
}

int main()
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>(), b = cudaCreateChannelDesc<uchar4>();
    MUST(cudaMallocArray(&plane, &f, 8, 4));
    MUST(cudaMallocArray(&whole, &i, 8, 4));
    MUST(cudaMallocArray(&bytes, &b, 8, 4));
    MUST(cudaMalloc3DArray(&box, &f, make_cudaExtent(8, 4, 2)));
    MUST(cudaMallocArray(&surfaces, &f, 8, 4, cudaArraySurfaceLoadStore));
    MUST(cudaMallocArray(&gathers, &f, 8, 4, cudaArrayTextureGather));
    MUST(cudaMallocMipmappedArray(&levels, &f, make_cudaExtent(8, 4, 0), 3));
    MUST(cudaMalloc(&device, 1 << 20));
    refusals();
    memory();
    answers();
    surface_refusals();
    views();
    SHOW(cudaGetLastError());
}
