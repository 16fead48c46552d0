// Texture objects: every resource, address mode, filter and read mode, printed to the last bit.
#include "api_print.h"

__global__ void read_1d(cudaTextureObject_t t, const float *x, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex1D<float>(t, x[i]);
}
__global__ void read_2d(cudaTextureObject_t t, const float *x, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex2D<float>(t, x[2 * i], x[2 * i + 1]);
}
__global__ void read_3d(cudaTextureObject_t t, const float *x, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex3D<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}
__global__ void read_layers(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, (int)threadIdx.x - 1);
}
__global__ void read_linear(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x - 2);
}
__global__ void read_four(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.25f, 0.5f);
}
__global__ void read_bytes(cudaTextureObject_t t, uchar4 *out)
{
    out[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x + 0.25f, 0.5f);
}
__global__ void read_gather(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex2Dgather<float4>(t, 1.0f + threadIdx.x, 1.0f, 0);
}
__global__ void read_cube(cudaTextureObject_t t, const float *x, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = texCubemap<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

static float *managed(size_t count)
{
    float *p;
    MUST(cudaMallocManaged(&p, count * sizeof(float)));
    memset(p, 0, count * sizeof(float));
    return p;
}
static void show(const char *what, const float *values, int count)
{
    MUST(cudaDeviceSynchronize());
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %a", values[i]);
    printf("\n");
}
static cudaTextureObject_t texture(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                                   bool normalized, cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    for (auto &one : desc.addressMode) one = mode;
    desc.filterMode = filter;
    desc.normalizedCoords = normalized;
    desc.readMode = read;
    desc.borderColor[0] = 100;
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}

static void one_dimension()
{
    const float data[4] = {1, 10, 100, 1000};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &desc, 4));
    MUST(cudaMemcpy2DToArray(array, 0, 0, data, sizeof data, sizeof data, 1, cudaMemcpyHostToDevice));
    float *x = managed(64), *out = managed(64);
    const float places[] = {-5, -1, -0.51f, -0.5f, -0.25f, 0, 0.25f, 0.5f, 0.501f, 0.502f, 0.503f, 0.504f, 0.75f, 1, 1.5f,
                            1.9f, 2, 2.3333f, 3, 3.49f, 3.5f, 3.75f, 3.999f, 4, 4.25f, 4.5f, 5, 7.5f, 100};
    const int n = sizeof places / sizeof places[0];
    memcpy(x, places, sizeof places);
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (int normalized = 0; normalized < 2; ++normalized) {
        if (normalized)
            for (int i = 0; i < n; ++i) x[i] = places[i] / 4;
        for (int filter = 0; filter < 2; ++filter)
            for (const auto mode : modes) {
                const cudaTextureObject_t t = texture(array, (cudaTextureFilterMode)filter, mode, normalized != 0);
                read_1d<<<1, 32>>>(t, x, out, n);
                char what[64];
                snprintf(what, sizeof what, "1D normalized %d linear %d mode %d", normalized, filter, (int)mode);
                show(what, out, n);
                MUST(cudaDestroyTextureObject(t));
            }
    }
    MUST(cudaFreeArray(array));
}

static void more_dimensions()
{
    enum { W = 4, H = 3, D = 2 };
    float data[D][H][W];
    for (int i = 0; i < W * H * D; ++i) data[i / (W * H)][i / W % H][i % W] = (float)((i * 37) % 64);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t plane, box, layers;
    MUST(cudaMallocArray(&plane, &desc, W, H, cudaArrayTextureGather));
    MUST(cudaMemcpy2DToArray(plane, 0, 0, data, sizeof data[0][0], sizeof data[0][0], H, cudaMemcpyHostToDevice));
    float *x = managed(96), *out = managed(32);
    for (int i = 0; i < 96; ++i) x[i] = (float)((i * 29) % 41) / 8 - 0.25f;
    for (int filter = 0; filter < 2; ++filter) {
        const cudaTextureObject_t t = texture(plane, (cudaTextureFilterMode)filter, cudaAddressModeClamp, false);
        read_2d<<<1, 32>>>(t, x, out, 32);
        show(filter ? "2D linear" : "2D point", out, 32);
        MUST(cudaDestroyTextureObject(t));
    }
    const cudaTextureObject_t g = texture(plane, cudaFilterModePoint, cudaAddressModeClamp, false);
    read_gather<<<1, 3>>>(g, (float4 *)out);
    show("gather", out, 12);
    MUST(cudaDestroyTextureObject(g));
    MUST(cudaMalloc3DArray(&box, &desc, make_cudaExtent(W, H, D)));
    MUST(cudaMalloc3DArray(&layers, &desc, make_cudaExtent(W, H, D), cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data, W * sizeof(float), W, H);
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    copy.dstArray = box;
    MUST(cudaMemcpy3D(&copy));
    copy.dstArray = layers;
    MUST(cudaMemcpy3D(&copy));
    for (int filter = 0; filter < 2; ++filter) {
        const cudaTextureObject_t t = texture(box, (cudaTextureFilterMode)filter, cudaAddressModeClamp, false);
        read_3d<<<1, 32>>>(t, x, out, 32);
        show(filter ? "3D linear" : "3D point", out, 32);
        MUST(cudaDestroyTextureObject(t));
    }
    const cudaTextureObject_t l = texture(layers, cudaFilterModePoint, cudaAddressModeClamp, false);
    read_layers<<<1, 4>>>(l, out);
    show("layers", out, 4);
    MUST(cudaDestroyTextureObject(l));

    float faces[6][2][2];
    for (int i = 0; i < 24; ++i) faces[i / 4][i / 2 % 2][i % 2] = (float)i;
    cudaArray_t cube;
    MUST(cudaMalloc3DArray(&cube, &desc, make_cudaExtent(2, 2, 6), cudaArrayCubemap));
    copy.srcPtr = make_cudaPitchedPtr(faces, 2 * sizeof(float), 2, 2);
    copy.extent = make_cudaExtent(2, 2, 6);
    copy.dstArray = cube;
    MUST(cudaMemcpy3D(&copy));
    const float directions[] = {1, 0.3f, 0.2f, -1, 0.3f, 0.2f, 0.3f, 1, 0.2f, 0.3f, -1, 0.2f, 0.3f, 0.2f, 1, 0.3f, 0.2f, -1,
                                1, -0.3f, -0.2f, -0.3f, -0.2f, -1};
    memcpy(x, directions, sizeof directions);
    const cudaTextureObject_t c = texture(cube, cudaFilterModePoint, cudaAddressModeClamp, true);
    read_cube<<<1, 8>>>(c, x, out, 8);
    show("cube", out, 8);
    MUST(cudaDestroyTextureObject(c));
}

static void formats()
{
    unsigned char bytes[8] = {0, 1, 2, 127, 128, 129, 254, 255};
    short words[8] = {0, 1, -1, 32767, -32768, 100, -100, 5000};
    float *out = managed(64);
    const struct {
        const char *name;
        cudaChannelFormatDesc desc;
        const void *data;
        int width;
    } all[] = {{"unsigned bytes", cudaCreateChannelDesc<unsigned char>(), bytes, 8},
               {"signed bytes", cudaCreateChannelDesc<signed char>(), bytes, 8},
               {"signed words", cudaCreateChannelDesc<short>(), words, 8},
               {"unsigned words", cudaCreateChannelDesc<unsigned short>(), words, 8}};
    float *x = managed(16);
    for (int i = 0; i < 8; ++i) x[i] = i + 0.5f;
    for (int i = 0; i < 8; ++i) x[8 + i] = i + 0.7f;
    for (const auto &one : all) {
        cudaArray_t array;
        const size_t width = one.width * one.desc.x / 8;
        MUST(cudaMallocArray(&array, &one.desc, one.width));
        MUST(cudaMemcpy2DToArray(array, 0, 0, one.data, width, width, 1, cudaMemcpyHostToDevice));
        for (int filter = 0; filter < 2; ++filter) {
            const cudaTextureObject_t t =
                texture(array, (cudaTextureFilterMode)filter, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat);
            read_1d<<<1, 32>>>(t, x + 8 * filter, out, 8);
            show(one.name, out, 8);
            MUST(cudaDestroyTextureObject(t));
        }
    }
    cudaArray_t four;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    MUST(cudaMallocArray(&four, &desc, 2, 1));
    MUST(cudaMemcpy2DToArray(four, 0, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice));
    const cudaTextureObject_t t =
        texture(four, cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat);
    read_four<<<1, 2>>>(t, (float4 *)out);
    show("four channels", out, 8);
    const cudaTextureObject_t u = texture(four, cudaFilterModePoint, cudaAddressModeClamp, false);
    read_bytes<<<1, 2>>>(u, (uchar4 *)out);
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < 8; ++i) printf("%d ", ((unsigned char *)out)[i]);
    printf("\n");
}

static void linear()
{
    int *data, *out;
    MUST(cudaMallocManaged(&data, 64));
    MUST(cudaMallocManaged(&out, 64));
    for (int i = 0; i < 16; ++i) data[i] = i + 1;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 40;
    cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    read_linear<<<1, 16>>>(t, out);
    MUST(cudaDeviceSynchronize());
    printf("linear:");
    for (int i = 0; i < 16; ++i) printf(" %d", out[i]);
    printf("\n");
    float *plane, *x = managed(64), *result = managed(32);
    size_t pitch;
    MUST(cudaMallocPitch(&plane, &pitch, 16, 3));
    const float rows[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}};
    MUST(cudaMemcpy2D(plane, pitch, rows, 16, 16, 3, cudaMemcpyHostToDevice));
    resource = cudaResourceDesc();
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = plane;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 3;
    resource.res.pitch2D.pitchInBytes = pitch;
    desc.filterMode = cudaFilterModeLinear;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    for (int i = 0; i < 64; ++i) x[i] = (float)((i * 23) % 37) / 8;
    read_2d<<<1, 32>>>(t, x, result, 32);
    show("pitch 2D", result, 32);
    resource.res.pitch2D.pitchInBytes = 20;
    SHOW(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
}

static void mistakes()
{
    cudaArray_t array;
    const cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>();
    MUST(cudaMallocArray(&array, &whole, 4, 4));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    desc.filterMode = cudaFilterModeLinear;
    SHOW(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    desc.filterMode = cudaFilterModePoint;
    desc.readMode = cudaReadModeNormalizedFloat;
    SHOW(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    desc.readMode = cudaReadModeElementType;
    SHOW(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    SHOW(cudaDestroyTextureObject(t));
    SHOW(cudaCreateTextureObject(nullptr, &resource, &desc, nullptr));
    cudaSurfaceObject_t s;
    SHOW(cudaCreateSurfaceObject(&s, &resource));
    resource.res.array.array = nullptr;
    SHOW(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
}

int main()
{
    one_dimension();
    more_dimensions();
    formats();
    linear();
    mistakes();
}
