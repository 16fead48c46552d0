// Surface objects: reads and writes, boundary modes, layers; what was written, read through a texture.
#include "api_print.h"

__global__ void fill(cudaSurfaceObject_t s, int w)
{
    const int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite((float)(x + w * y), s, x * (int)sizeof(float), y);
}
__global__ void shift(cudaSurfaceObject_t s, float *zero, float *clamp)
{
    const int x = threadIdx.x - 2, y = blockIdx.x - 1, i = threadIdx.x + blockDim.x * blockIdx.x;
    zero[i] = surf2Dread<float>(s, x * (int)sizeof(float), y, cudaBoundaryModeZero);
    clamp[i] = surf2Dread<float>(s, x * (int)sizeof(float), y, cudaBoundaryModeClamp);
    surf2Dwrite(-1.0f, s, x * (int)sizeof(float) + 400, y, cudaBoundaryModeZero);
}
__global__ void sample(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}
__global__ void fill_1d(cudaSurfaceObject_t s)
{
    surf1Dwrite(make_uchar4(threadIdx.x, 2 * threadIdx.x, 3, 4), s, threadIdx.x * 4);
}
__global__ void read_1d(cudaSurfaceObject_t s, uchar4 *out) { surf1Dread(&out[threadIdx.x], s, threadIdx.x * 4); }
__global__ void layers(cudaSurfaceObject_t s, int *out)
{
    surf2DLayeredwrite((int)(threadIdx.x * 100), s, 4, 1, threadIdx.x);
    out[threadIdx.x] = surf2DLayeredread<int>(s, 4, 1, threadIdx.x) + surf2DLayeredread<int>(s, 0, 0, threadIdx.x);
}

static cudaSurfaceObject_t surface(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t s;
    MUST(cudaCreateSurfaceObject(&s, &resource));
    return s;
}

int main()
{
    enum { W = 8, H = 3 };
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    float *zero, *clamp;
    MUST(cudaMallocManaged(&zero, 4 * 12 * 5));
    MUST(cudaMallocManaged(&clamp, 4 * 12 * 5));
    MUST(cudaMallocArray(&array, &desc, W, H, cudaArraySurfaceLoadStore));
    const cudaSurfaceObject_t s = surface(array);
    fill<<<H, W>>>(s, W);
    shift<<<5, 12>>>(s, zero, clamp);
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < 60; ++i) printf("%g/%g%s", zero[i], clamp[i], i % 12 == 11 ? "\n" : " ");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
    sample<<<1, W>>>(t, zero);
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < W; ++i) printf("%g ", zero[i]);
    printf("\n");

    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
    cudaArray_t line;
    MUST(cudaMallocArray(&line, &bytes, 16, 0, cudaArraySurfaceLoadStore));
    const cudaSurfaceObject_t l = surface(line);
    uchar4 *four;
    MUST(cudaMallocManaged(&four, 64));
    fill_1d<<<1, 16>>>(l);
    read_1d<<<1, 16>>>(l, four);
    MUST(cudaDeviceSynchronize());
    printf("%d %d %d %d\n", four[15].x, four[15].y, four[15].z, four[15].w);

    const cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>();
    cudaArray_t stack;
    MUST(cudaMalloc3DArray(&stack, &whole, make_cudaExtent(4, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
    int *out;
    MUST(cudaMallocManaged(&out, 64));
    layers<<<1, 3>>>(surface(stack), out);
    MUST(cudaDeviceSynchronize());
    printf("%d %d %d\n", out[0] >= 0, out[1] - out[0] >= 0, out[2] > 0);
    SHOW(cudaDestroySurfaceObject(s));
    SHOW(cudaDestroyTextureObject(t));
}
