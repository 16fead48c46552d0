// Where a normalized coordinate is in a texture: elements are multiples of 256, so what a linear filter makes of two
// neighbours tells the place in 256ths of an element. Hashes of all that is read, by size, address mode and filter.
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

#include <vector>

static const int N = 2048;

__global__ void read(cudaTextureObject_t texture, const float *places, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(texture, places[i], 0.5f);
}

static unsigned seed = 1;

static float random_part()
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 16777216.0f;
}

static unsigned long long hash_of(const float *values)
{
    unsigned long long hash = 1469598103934665603ull;
    for (size_t i = 0; i < N * sizeof(float); ++i) hash = (hash ^ ((const unsigned char *)values)[i]) * 1099511628211ull;
    return hash;
}

static float place(int i, int size)
{
    if (i < 256) return ((float)(i % size) + 0.5f) * (1.0f / (float)size) + 2.0f / (float)size;  // near the middles
    if (i < 1024) return random_part();
    return random_part() * (i < 1536 ? 5.0f : 200.0f) - 2.0f;
}

static void look(cudaArray_t array, int size, cudaTextureFilterMode filter, cudaTextureAddressMode mode, float *places, float *out)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.addressMode[0] = desc.addressMode[1] = mode;
    desc.filterMode = filter;
    desc.normalizedCoords = 1;
    cudaTextureObject_t texture = 0;
    if (cudaCreateTextureObject(&texture, &resource, &desc, 0) != cudaSuccess) printf("no texture\n");
    for (int i = 0; i < N; ++i) places[i] = place(i, size);
    read<<<N / 256, 256>>>(texture, places, out);
    const cudaError_t error = cudaDeviceSynchronize();
    static const char *const modes[] = {"wrap", "clamp", "mirror"};
    printf("%d %s %s: %d %016llx\n", size, filter == cudaFilterModeLinear ? "linear" : "point", modes[mode], (int)error, hash_of(out));
    cudaDestroyTextureObject(texture);
}

int main()
{
    float *places = nullptr, *out = nullptr;
    cudaMallocManaged(&places, N * sizeof(float));
    cudaMallocManaged(&out, N * sizeof(float));
    for (int size : {7, 200, 1023, 1024, 1025, 1500, 2047, 2048, 2049, 3000, 4095, 4096, 4097, 6000, 8191, 8192, 8193, 12000,
                     16383, 16384, 16385, 20000, 32767, 32768, 40000, 65000, 100000, 131072}) {
        std::vector<float> data(size);
        for (int i = 0; i < size; ++i) data[i] = 256.0f * (float)(i % 8191);
        cudaArray_t array = nullptr;
        const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
        cudaMallocArray(&array, &desc, size, 1);
        cudaMemcpy2DToArray(array, 0, 0, data.data(), size * 4, size * 4, 1, cudaMemcpyHostToDevice);
        for (cudaTextureAddressMode mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror})
            for (cudaTextureFilterMode filter : {cudaFilterModeLinear, cudaFilterModePoint}) look(array, size, filter, mode, places, out);
        cudaFreeArray(array);
    }
    return 0;
}
