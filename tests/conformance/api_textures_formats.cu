// flags: -std=c++17
// What textures read from every format of elements: integers, normalized ones, halves, sRGB; with filters, borders and gather.
#include "api_print.h"
#include <cuda_fp16.h>

enum { W = 5, H = 3, N = 24 };
static float *places, *out;

template <class T> __global__ void read_2d(cudaTextureObject_t t, const float *at, T *result, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) result[i] = tex2D<T>(t, at[2 * i], at[2 * i + 1]);
}
template <class T> __global__ void read_line(cudaTextureObject_t t, T *result, int n, int first)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) result[i] = tex1Dfetch<T>(t, i + first);
}
template <class T> __global__ void read_gather(cudaTextureObject_t t, const float *at, T *result, int n, int component)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float x = at[2 * i], y = at[2 * i + 1];
        switch (component) {
        case 0: result[i] = tex2Dgather<T>(t, x, y, 0); break;
        case 1: result[i] = tex2Dgather<T>(t, x, y, 1); break;
        case 2: result[i] = tex2Dgather<T>(t, x, y, 2); break;
        default: result[i] = tex2Dgather<T>(t, x, y, 3); break;
        }
    }
}

static void put(const char *what, int count)
{
    MUST(cudaDeviceSynchronize());
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %.9g", out[i]);
    printf("\n");
}
template <class E> static void put_whole(const char *what, int count)
{
    MUST(cudaDeviceSynchronize());
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %lld", (long long)((E *)out)[i]);
    printf("\n");
}
static cudaTextureObject_t texture(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode, cudaTextureReadMode read,
                                   bool srgb = false, bool normalized = false)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    for (auto &one : desc.addressMode) one = mode;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.sRGB = srgb;
    desc.normalizedCoords = normalized;
    const float border[4] = {0.25f, 0.5f, -0.75f, 3};
    memcpy(desc.borderColor, border, sizeof border);
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}
static unsigned char image[W * H * 16];
static cudaArray_t array_of(cudaChannelFormatDesc desc, unsigned flags = 0)
{
    cudaArray_t array;
    const size_t row = W * (desc.x + desc.y + desc.z + desc.w) / 8;
    MUST(cudaMallocArray(&array, &desc, W, H, flags));
    MUST(cudaMemcpy2DToArray(array, 0, 0, image, row, row, H, cudaMemcpyHostToDevice));
    return array;
}

// T: what is read of elements; F: what is read of normalized ones; E: a channel. Filtered signed bytes differ in their last bit.
template <class T, class F, class E> static void integers(const char *what)
{
    printf("-- %s\n", what);
    for (unsigned i = 0; i < sizeof image; ++i) image[i] = (unsigned char)(i * 89 + i / 7 * 13 + 3);
    image[0] = 0x80, image[1] = 0x80, image[2] = 0xff, image[3] = 0x7f;
    const int channels = sizeof(T) / sizeof(E);
    const cudaArray_t array = array_of(cudaCreateChannelDesc<T>());
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
        const cudaTextureObject_t t = texture(array, cudaFilterModePoint, mode, cudaReadModeElementType);
        read_2d<T><<<1, 32>>>(t, places, (T *)out, N);
        put_whole<E>(mode == cudaAddressModeClamp ? "elements" : "elements with a border", N * channels);
        MUST(cudaDestroyTextureObject(t));
        for (int way = 0; way < (sizeof(E) == 4 ? 0 : sizeof(T) == 2 && sizeof(E) == 1 ? 1 : 2); ++way) {
            const auto filter = (cudaTextureFilterMode)way;
            const cudaTextureObject_t f = texture(array, filter, mode, cudaReadModeNormalizedFloat);
            read_2d<F><<<1, 32>>>(f, places, (F *)out, N);
            put(filter == cudaFilterModePoint ? "normalized" : "normalized and filtered", N * channels);
            MUST(cudaDestroyTextureObject(f));
        }
    }
    MUST(cudaFreeArray(array));
}
template <class T> static void floats(const char *what, cudaChannelFormatDesc desc)
{
    printf("-- %s\n", what);
    const int channels = sizeof(T) / 4;
    for (int i = 0; i < W * H * 4; ++i) {
        const float value = (float)((i * 37) % 61) / 8 - 3;
        if (desc.x == 16) ((__half *)image)[i] = __float2half(value);
        else ((float *)image)[i] = value;
    }
    const cudaArray_t array = array_of(desc);
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder})
        for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
            const cudaTextureObject_t t = texture(array, filter, mode, cudaReadModeElementType);
            read_2d<T><<<1, 32>>>(t, places, (T *)out, N);
            put(filter == cudaFilterModePoint ? "point" : "linear", N * channels);
            MUST(cudaDestroyTextureObject(t));
        }
    MUST(cudaFreeArray(array));
}

static void srgb()
{
    printf("-- sRGB\n");
    for (unsigned i = 0; i < sizeof image; ++i) image[i] = (unsigned char)(i * 17);
    const cudaArray_t array = array_of(cudaCreateChannelDesc<uchar4>());
    const cudaTextureObject_t p = texture(array, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeNormalizedFloat, true);
    read_2d<float4><<<1, 32>>>(p, places, (float4 *)out, N);
    put("point", N * 4);
    MUST(cudaDestroyTextureObject(p));
    MUST(cudaFreeArray(array));
    const cudaArray_t single = array_of(cudaCreateChannelDesc<unsigned char>());
    const cudaTextureObject_t t = texture(single, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeNormalizedFloat, true);
    read_2d<float><<<1, 32>>>(t, places, out, N);
    put("one channel", N);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(single));
}

static void gathers()
{
    printf("-- gather\n");
    for (unsigned i = 0; i < sizeof image; ++i) image[i] = (unsigned char)(i * 3);
    const cudaArray_t array = array_of(cudaCreateChannelDesc<uchar4>(), cudaArrayTextureGather);
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder})
        for (int component = 0; component < 4; ++component) {
            const cudaTextureObject_t t = texture(array, cudaFilterModePoint, mode, cudaReadModeElementType);
            read_gather<uchar4><<<1, 32>>>(t, places, (uchar4 *)out, N, component);
            put_whole<unsigned char>("bytes", N * 4);
            MUST(cudaDestroyTextureObject(t));
        }
    const cudaTextureObject_t t = texture(array, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeNormalizedFloat);
    read_gather<float4><<<1, 32>>>(t, places, (float4 *)out, N, 1);
    put("normalized", N * 4);
    MUST(cudaDestroyTextureObject(t));
    const cudaTextureObject_t l = texture(array, cudaFilterModeLinear, cudaAddressModeWrap, cudaReadModeNormalizedFloat, false, true);
    read_gather<float4><<<1, 32>>>(l, places, (float4 *)out, N, 2);
    put("wrapped, normalized coordinates", N * 4);
    MUST(cudaDestroyTextureObject(l));
    MUST(cudaFreeArray(array));
}

template <class T, class E> static void line(const char *what, cudaTextureReadMode read, bool as_float)
{
    unsigned char *memory;
    MUST(cudaMallocManaged(&memory, 512));
    for (int i = 0; i < 512; ++i) memory[i] = (unsigned char)(i * 11 + 5);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = 16 * sizeof(T);
    cudaTextureDesc desc = {};
    desc.readMode = read;
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    const int channels = sizeof(T) / sizeof(E);
    if (as_float) {
        read_line<float><<<1, 32>>>(t, out, 20, -2);
        put(what, 20);
    } else {
        read_line<T><<<1, 32>>>(t, (T *)out, 20, -2);
        put_whole<E>(what, 20 * channels);
    }
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFree(memory));
}
static void lines()
{
    printf("-- linear memory\n");
    line<unsigned char, unsigned char>("bytes", cudaReadModeElementType, false);
    line<short2, short>("pairs of words", cudaReadModeElementType, false);
    line<uint4, unsigned>("fours", cudaReadModeElementType, false);
    line<signed char, signed char>("normalized signed bytes", cudaReadModeNormalizedFloat, true);
    line<unsigned short, unsigned short>("normalized words", cudaReadModeNormalizedFloat, true);
}

int main()
{
    MUST(cudaMallocManaged(&places, N * 2 * sizeof(float)));
    MUST(cudaMallocManaged(&out, N * 4 * sizeof(float)));
    for (int i = 0; i < N; ++i) {
        places[2 * i] = (float)((i * 29) % 53) / 8 - 0.75f;
        places[2 * i + 1] = (float)((i * 17) % 37) / 8 - 0.6875f;
    }
    integers<unsigned char, float, unsigned char>("unsigned char");
    integers<char2, float2, signed char>("char2");
    integers<uchar4, float4, unsigned char>("uchar4");
    integers<ushort2, float2, unsigned short>("ushort2");
    integers<short4, float4, short>("short4");
    integers<int2, float2, int>("int2");
    integers<uint4, float4, unsigned>("uint4");
    floats<float2>("float2", cudaCreateChannelDesc<float2>());
    floats<float4>("float4", cudaCreateChannelDesc<float4>());
    floats<float>("half", cudaCreateChannelDescHalf());
    floats<float2>("half2", cudaCreateChannelDescHalf2());
    srgb();
    gathers();
    lines();
    SHOW(cudaGetLastError());
}
