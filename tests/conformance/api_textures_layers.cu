// flags: -std=c++17
// Layered textures and cubemaps: layers beyond the ends, filters and borders in a layer, faces, edges and layers of cubes.
#include "api_print.h"

enum { W = 5, H = 4, LAYERS = 3, N = 40 };
static float *places, *out;

__global__ void lines(cudaTextureObject_t t, const float *at, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex1DLayered<float>(t, at[3 * i], i % 6 - 1);
}
__global__ void planes(cudaTextureObject_t t, const float *at, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex2DLayered<float>(t, at[3 * i], at[3 * i + 1], i % 6 - 1);
}
__global__ void cube(cudaTextureObject_t t, const float *at, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = texCubemap<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
__global__ void cubes(cudaTextureObject_t t, const float *at, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = texCubemapLayered<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2], i % 5 - 1);
}
__global__ void levels(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex2DLayeredLod<float>(t, 0.3f, 0.7f, i & 1, i * 0.125f - 1);
}
__global__ void line_levels(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex1DLayeredLod<float>(t, 0.3f, i & 1, i * 0.125f - 1);
}
__global__ void gradients(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        result[i] = tex2DLayeredGrad<float>(t, 0.3f, 0.7f, i & 1, make_float2(exp2f(i * 0.125f - 1) / 8, 0), make_float2(0, 0));
}
__global__ void line_gradients(cudaTextureObject_t t, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = tex1DLayeredGrad<float>(t, 0.3f, i & 1, exp2f(i * 0.125f - 1) / 8, 0);
}
__global__ void cube_levels(cudaTextureObject_t t, const float *at, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) result[i] = texCubemapLod<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2], i * 0.1f - 0.5f);
}
__global__ void cubes_levels(cudaTextureObject_t t, const float *at, float *result)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        result[i] = texCubemapLayeredLod<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2], i & 1, i * 0.1f - 0.5f);
}

static void put(const char *what)
{
    MUST(cudaDeviceSynchronize());
    printf("%s:", what);
    for (int i = 0; i < N; ++i) printf(" %.9g", out[i]);
    printf("\n");
}
static cudaTextureDesc settings(int filter, cudaTextureAddressMode mode, bool normalized, bool seamless = false)
{
    cudaTextureDesc desc = {};
    for (auto &one : desc.addressMode) one = mode;
    desc.filterMode = (cudaTextureFilterMode)filter;
    desc.normalizedCoords = normalized;
    desc.borderColor[0] = -5;
    desc.seamlessCubemap = seamless;
    return desc;
}
static cudaTextureObject_t texture(cudaArray_t array, const cudaTextureDesc &desc)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t t = 0;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}
static float values[8 * 8 * 12];
static void fill(cudaArray_t array, size_t w, size_t h, size_t d, int seed)
{
    for (size_t i = 0; i < w * h * d; ++i) values[i] = (float)((i * 37 + seed * 11) % 128) + (float)(i / (w * h)) * 200;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(values, w * sizeof(float), w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
}

int main()
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    MUST(cudaMallocManaged(&places, N * 3 * sizeof(float)));
    MUST(cudaMallocManaged(&out, N * sizeof(float)));
    cudaArray_t a, b, c, d;
    MUST(cudaMalloc3DArray(&a, &f, make_cudaExtent(W, 0, LAYERS), cudaArrayLayered));
    MUST(cudaMalloc3DArray(&b, &f, make_cudaExtent(W, H, LAYERS), cudaArrayLayered));
    MUST(cudaMalloc3DArray(&c, &f, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
    MUST(cudaMalloc3DArray(&d, &f, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered));
    fill(a, W, 1, LAYERS, 1);
    fill(b, W, H, LAYERS, 2);
    fill(c, 4, 4, 6, 3);
    fill(d, 4, 4, 12, 4);
    for (int i = 0; i < N * 3; ++i) places[i] = (float)((i * 29) % 53) / 8 - 0.75f;
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror})
        for (int filter = 0; filter < 2; ++filter) {
            const bool normalized = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
            printf("-- mode %d, filter %d\n", (int)mode, filter);
            const cudaTextureObject_t t = texture(a, settings(filter, mode, normalized)), u = texture(b, settings(filter, mode, normalized));
            lines<<<1, 32>>>(t, places, out);
            put("lines");
            planes<<<1, 32>>>(u, places, out);
            put("planes");
            MUST(cudaDestroyTextureObject(t));
            MUST(cudaDestroyTextureObject(u));
        }
    // Directions through the middle of faces, then to their edges and corners, then anywhere.
    for (int i = 0; i < N; ++i) {
        float *const p = places + 3 * i;
        if (i < 12) {
            const float sign = i & 1 ? -1.0f : 1.0f;
            for (int k = 0; k < 3; ++k) p[k] = k == i / 2 % 3 ? sign * 2 : i < 6 ? 0.2f : -0.6f;
        } else {
            for (int k = 0; k < 3; ++k) p[k] = (float)((i * 31 + k * 17) % 33) / 16 - 1.03f;
        }
    }
    for (int way = 0; way < 3; ++way) {
        printf("-- cubes, filter %d, seamless %d\n", way > 0, way == 2);
        const cudaTextureDesc desc = settings(way > 0, cudaAddressModeClamp, true, way == 2);
        const cudaTextureObject_t t = texture(c, desc), u = texture(d, desc);
        cube<<<1, 32>>>(t, places, out);
        put("cube");
        cubes<<<1, 32>>>(u, places, out);
        put("cubes");
        MUST(cudaDestroyTextureObject(t));
        MUST(cudaDestroyTextureObject(u));
    }
    printf("-- levels\n");
    const struct {
        size_t w, h, d;
        unsigned flags;
    } all[] = {{8, 8, 2, cudaArrayLayered}, {8, 0, 2, cudaArrayLayered}, {8, 8, 6, cudaArrayCubemap}, {8, 8, 12, cudaArrayCubemap | cudaArrayLayered}};
    for (const auto &one : all) {
        cudaMipmappedArray_t many;
        MUST(cudaMallocMipmappedArray(&many, &f, make_cudaExtent(one.w, one.h, one.d), 3, one.flags));
        for (unsigned level = 0; level < 3; ++level) {
            cudaArray_t array;
            MUST(cudaGetMipmappedArrayLevel(&array, many, level));
            fill(array, one.w >> level, one.h ? one.h >> level : 1, one.d, (int)level * 7);
        }
        for (int way = 0; way < (one.flags & cudaArrayCubemap ? 3 : 4); ++way) {
            cudaTextureDesc desc = settings(way & 1, cudaAddressModeClamp, true);
            desc.mipmapFilterMode = (cudaTextureFilterMode)(way >> 1);
            desc.maxMipmapLevelClamp = 2;
            cudaResourceDesc resource = {};
            resource.resType = cudaResourceTypeMipmappedArray;
            resource.res.mipmap.mipmap = many;
            cudaTextureObject_t t;
            MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
            if (one.flags == cudaArrayCubemap) cube_levels<<<1, 32>>>(t, places, out);
            else if (one.flags & cudaArrayCubemap) cubes_levels<<<1, 32>>>(t, places, out);
            else if (one.h) levels<<<1, 32>>>(t, out);
            else line_levels<<<1, 32>>>(t, out);
            put("levels");
            if (one.flags == cudaArrayLayered && way < 2) {
                if (one.h) gradients<<<1, 32>>>(t, out);
                else line_gradients<<<1, 32>>>(t, out);
                put("gradients");
            }
            MUST(cudaDestroyTextureObject(t));
        }
        MUST(cudaFreeMipmappedArray(many));
    }
    SHOW(cudaGetLastError());
}
