// flags: -std=c++17
// Mipmapped textures: levels by number and by gradients, filters between levels, bias and clamps.
#include "api_print.h"

enum { W = 16, H = 8, LEVELS = 4, N = 26 };
static float *out, *levels;

__global__ void by_level(cudaTextureObject_t t, const float *level, float *result, float x, float y)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex2DLod<float>(t, x, y, level[i]);
}
__global__ void by_level_1d(cudaTextureObject_t t, const float *level, float *result, float x)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex1DLod<float>(t, x, level[i]);
}
__global__ void by_level_3d(cudaTextureObject_t t, const float *level, float *result, float x, float y, float z)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex3DLod<float>(t, x, y, z, level[i]);
}
__global__ void of_bytes(cudaTextureObject_t t, const float *level, float4 *result, float x, float y)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex2DLod<float4>(t, x, y, level[i]);
}
__global__ void plain(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex2D<float>(t, i / (float)N, 0.3f);
}
// Gradients along one axis only, by powers of two: which level these mean is exact.
__global__ void by_gradient(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        const float size = exp2f((float)(i / 2) * 0.5f - 2);
        const float2 dx = make_float2(i & 1 ? 0 : size / W, 0), dy = make_float2(0, i & 1 ? size / H : 0);
        result[i] = tex2DGrad<float>(t, 0.4f, 0.6f, dx, dy);
    }
}
__global__ void by_gradient_1d(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex1DGrad<float>(t, 0.4f, exp2f((float)i * 0.25f - 2) / W, 0);
}
__global__ void by_gradient_3d(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        result[i] = tex3DGrad<float>(t, 0.4f, 0.6f, 0.5f, make_float4(exp2f((float)i * 0.25f - 2) / W, 0, 0, 0), make_float4(0, 0, 0, 0));
}

static void put(const char *what, int count)
{
    MUST(cudaDeviceSynchronize());
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %.9g", out[i]);
    printf("\n");
}
static cudaMipmappedArray_t image(size_t w, size_t h, size_t d)
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t many;
    MUST(cudaMallocMipmappedArray(&many, &desc, make_cudaExtent(w, h, d), LEVELS));
    static float values[W * H * 8];
    for (unsigned level = 0; level < LEVELS; ++level) {
        cudaArray_t array;
        cudaExtent extent;
        MUST(cudaGetMipmappedArrayLevel(&array, many, level));
        MUST(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
        for (int i = 0; i < W * H * 8; ++i) values[i] = (float)(1000 * (level + 1) + (i * 29) % 256);
        cudaMemcpy3DParms copy = {};
        const size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
        copy.srcPtr = make_cudaPitchedPtr(values, extent.width * sizeof(float), extent.width, height);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(extent.width, height, depth);
        copy.kind = cudaMemcpyHostToDevice;
        MUST(cudaMemcpy3D(&copy));
    }
    return many;
}
static cudaTextureDesc settings(cudaTextureFilterMode filter, cudaTextureFilterMode between, float bias = 0, float least = 0, float most = LEVELS - 1)
{
    cudaTextureDesc desc = {};
    for (auto &one : desc.addressMode) one = cudaAddressModeClamp;
    desc.filterMode = filter;
    desc.mipmapFilterMode = between;
    desc.normalizedCoords = 1;
    desc.mipmapLevelBias = bias;
    desc.minMipmapLevelClamp = least;
    desc.maxMipmapLevelClamp = most;
    return desc;
}
static cudaTextureObject_t texture(cudaMipmappedArray_t many, const cudaTextureDesc &desc, const cudaResourceViewDesc *view = nullptr)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = many;
    cudaTextureObject_t t = 0;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, view));
    return t;
}

static void planes()
{
    const cudaMipmappedArray_t many = image(W, H, 0);
    for (int way = 0; way < 4; ++way) {
        const cudaTextureObject_t t = texture(many, settings((cudaTextureFilterMode)(way & 1), (cudaTextureFilterMode)(way >> 1)));
        printf("-- filter %d, between levels %d\n", way & 1, way >> 1);
        by_level<<<1, 32>>>(t, levels, out, 0.3f, 0.7f);
        put("levels", N);
        by_level<<<1, 32>>>(t, levels, out, 0.99f, 0.01f);
        put("at a corner", N);
        by_gradient<<<1, 32>>>(t, out);
        put("gradients", N);
        plain<<<1, 32>>>(t, out);
        put("without level", N);
        MUST(cudaDestroyTextureObject(t));
    }
    const struct {
        const char *what;
        float bias, least, most;
    } all[] = {{"bias 0.5", 0.5f, 0, 3}, {"bias -1.25", -1.25f, 0, 3}, {"at least 1", 0, 1, 3}, {"at least 1.5", 0, 1.5f, 3}, {"at most 1", 0, 0, 1},
               {"at most 1.5", 0, 0, 1.5f}, {"at most 0", 0, 0, 0}, {"at most 99", 0, 0, 99}, {"2 to 2", 0, 2, 2}, {"bias 20", 20, 0, 3},
               {"bias of 1/256", 1.0f / 256, 0, 3}, {"at least -4", 0, -4, 3}};
    for (const auto &one : all)
        for (int between = 0; between < 2; ++between) {
            const cudaTextureObject_t t = texture(many, settings(cudaFilterModePoint, (cudaTextureFilterMode)between, one.bias, one.least, one.most));
            by_level<<<1, 32>>>(t, levels, out, 0.3f, 0.7f);
            put(one.what, N);
            MUST(cudaDestroyTextureObject(t));
        }
    cudaResourceViewDesc view = {};
    view.format = cudaResViewFormatFloat1;
    view.width = W, view.height = H, view.firstMipmapLevel = 1, view.lastMipmapLevel = 2;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = many;
    const cudaTextureDesc desc = settings(cudaFilterModePoint, cudaFilterModeLinear);
    cudaTextureObject_t t = 0;
    SHOW(cudaCreateTextureObject(&t, &resource, &desc, &view));
    if (t) {
        by_level<<<1, 32>>>(t, levels, out, 0.3f, 0.7f);
        put("levels 1 and 2", N);
        MUST(cudaDestroyTextureObject(t));
    }
    // A level alone, as an array.
    cudaArray_t second;
    MUST(cudaGetMipmappedArrayLevel(&second, many, 1));
    cudaResourceDesc single = {};
    single.resType = cudaResourceTypeArray;
    single.res.array.array = second;
    SHOW(cudaCreateTextureObject(&t, &single, &desc, nullptr));
    plain<<<1, 32>>>(t, out);
    put("a level alone", N);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeMipmappedArray(many));
}

static void others()
{
    const cudaMipmappedArray_t line = image(W, 0, 0), box = image(W, H, 4);
    for (int way = 0; way < 4; ++way) {
        const cudaTextureDesc desc = settings((cudaTextureFilterMode)(way & 1), (cudaTextureFilterMode)(way >> 1));
        const cudaTextureObject_t t = texture(line, desc), b = texture(box, desc);
        by_level_1d<<<1, 32>>>(t, levels, out, 0.45f);
        put("line", N);
        by_gradient_1d<<<1, 32>>>(t, out);
        put("line by gradients", N);
        if (way < 3) {
            by_level_3d<<<1, 32>>>(b, levels, out, 0.45f, 0.2f, 0.6f);
            put("box", N);
        }
        if (way < 2) {
            by_gradient_3d<<<1, 32>>>(b, out);
            put("box by gradients", N);
        }
        MUST(cudaDestroyTextureObject(t));
        MUST(cudaDestroyTextureObject(b));
    }
    MUST(cudaFreeMipmappedArray(line));
    MUST(cudaFreeMipmappedArray(box));
}

static void bytes()
{
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    cudaMipmappedArray_t many;
    MUST(cudaMallocMipmappedArray(&many, &desc, make_cudaExtent(8, 8, 0), 4));
    unsigned char values[256];
    for (unsigned level = 0; level < 4; ++level) {
        cudaArray_t array;
        MUST(cudaGetMipmappedArrayLevel(&array, many, level));
        for (int i = 0; i < 256; ++i) values[i] = (unsigned char)(i * 7 + level * 60);
        const size_t row = (8 >> level) * 4;
        MUST(cudaMemcpy2DToArray(array, 0, 0, values, row, row, 8 >> level, cudaMemcpyHostToDevice));
    }
    for (int way = 0; way < 4; ++way) {
        cudaTextureDesc d = settings((cudaTextureFilterMode)(way & 1), (cudaTextureFilterMode)(way >> 1));
        d.readMode = cudaReadModeNormalizedFloat;
        const cudaTextureObject_t t = texture(many, d);
        of_bytes<<<1, 32>>>(t, levels, (float4 *)out, 0.3f, 0.6f);
        put("bytes", N * 4);
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFreeMipmappedArray(many));
}

int main()
{
    MUST(cudaMallocManaged(&out, N * 4 * sizeof(float)));
    MUST(cudaMallocManaged(&levels, N * sizeof(float)));
    const float all[N] = {-1, -0.5f, 0, 0.001f, 0.002f, 0.1f, 0.25f, 0.499f, 0.5f, 0.501f, 0.6f, 0.75f, 0.9f,
                          0.998f, 0.999f, 1, 1.25f, 1.5f, 1.875f, 2, 2.49f, 2.5f, 2.9f, 3, 3.5f, 100};
    memcpy(levels, all, sizeof all);
    planes();
    others();
    bytes();
    SHOW(cudaGetLastError());
}
