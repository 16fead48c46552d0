// What a linear filter makes of neighbours of very different sizes: hashes of 4096 random places for each kind of numbers.
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vector>

static const int N = 4096, WIDTH = 64, HEIGHT = 64, DEPTH = 16;

__global__ void line(cudaTextureObject_t texture, const float2 *places, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(texture, places[i].x, 0.5f);
}
__global__ void plane(cudaTextureObject_t texture, const float2 *places, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(texture, places[i].x, places[i].y);
}
__global__ void space(cudaTextureObject_t texture, const float2 *places, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 at = places[i];
    out[i] = tex3D<float>(texture, at.x, at.y, at.x * 0.25f + at.y * 0.5f);
}

static unsigned seed = 7;

static unsigned random_bits()
{
    return seed = seed * 1664525u + 1013904223u;
}
static float random_part()
{
    return (float)(random_bits() >> 8) / 16777216.0f;
}

enum Kind { UNIT, SIGNED, FAR_APART, BYTES, ALIKE, TINY };

static float number(int kind)
{
    const float part = random_part();
    switch (kind) {
        case SIGNED: return (part - 0.5f) * 2000.0f;
        case FAR_APART: return ldexpf(part - 0.5f, (int)(random_bits() >> 26) - 32);
        case BYTES: return (float)(random_bits() >> 24) / 255.0f;
        case ALIKE: return 1.0f + part * 0.001f;
        case TINY: return ldexpf(part - 0.5f, -120 - (int)(random_bits() >> 27));
        default: return part;
    }
}

static cudaArray_t array_of(const std::vector<float> &data, int dimensions)
{
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    if (dimensions < 3) {
        cudaMallocArray(&array, &desc, WIDTH, HEIGHT);
        cudaMemcpy2DToArray(array, 0, 0, data.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice);
        return array;
    }
    const cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    cudaMalloc3DArray(&array, &desc, extent);
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float *>(data.data()), WIDTH * 4, WIDTH, HEIGHT);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return array;
}

static unsigned long long hash_of(const float *values)
{
    unsigned long long hash = 1469598103934665603ull;
    for (size_t i = 0; i < N * sizeof(float); ++i) hash = (hash ^ ((const unsigned char *)values)[i]) * 1099511628211ull;
    return hash;
}

int main()
{
    float2 *places = nullptr;
    float *out = nullptr;
    cudaMallocManaged(&places, N * sizeof(float2));
    cudaMallocManaged(&out, N * sizeof(float));
    for (int kind = UNIT; kind <= TINY; ++kind)
        for (int dimensions = 1; dimensions < 4; ++dimensions) {
            std::vector<float> data(WIDTH * HEIGHT * DEPTH);
            for (float &value : data) value = number(kind);
            const cudaArray_t array = array_of(data, dimensions);
            cudaResourceDesc resource;
            memset(&resource, 0, sizeof resource);
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = array;
            cudaTextureDesc desc;
            memset(&desc, 0, sizeof desc);
            for (cudaTextureAddressMode &mode : desc.addressMode) mode = cudaAddressModeClamp;
            desc.filterMode = cudaFilterModeLinear;
            cudaTextureObject_t texture = 0;
            cudaCreateTextureObject(&texture, &resource, &desc, 0);
            for (int i = 0; i < N; ++i) {
                places[i].x = random_part() * WIDTH;
                places[i].y = random_part() * (dimensions == 3 ? DEPTH : HEIGHT);
            }
            (dimensions == 1 ? line : dimensions == 2 ? plane : space)<<<N / 256, 256>>>(texture, places, out);
            const cudaError_t error = cudaDeviceSynchronize();
            // not compared: the last bits between planes of numbers far apart, and the signs of zeros
            if (!(kind == FAR_APART && dimensions == 3) && !(kind == TINY && dimensions > 1))
                printf("kind %d in %d dimensions: %d %016llx\n", kind, dimensions, (int)error, hash_of(out));
            cudaDestroyTextureObject(texture);
            cudaFreeArray(array);
        }
    return 0;
}
