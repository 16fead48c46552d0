// flags: -std=c++17
// Surfaces of every dimension, element type and boundary mode; levels of mipmaps as surfaces. What a kernel writes, the next one
// reads: within one it need not be seen.
#include "api_print.h"

enum { W = 6, H = 4, D = 3 };

template <class T> struct Make;
template <class T> __device__ T made(int i);
template <> __device__ unsigned char made(int i) { return (unsigned char)(i * 3); }
template <> __device__ short made(int i) { return (short)(i * -7); }
template <> __device__ unsigned made(int i) { return i * 70001u; }
template <> __device__ float made(int i) { return i * 0.5f; }
template <> __device__ char2 made(int i) { return make_char2((char)i, (char)-i); }
template <> __device__ ushort4 made(int i) { return make_ushort4((unsigned short)i, (unsigned short)(i + 1), (unsigned short)(i * 9), 65535); }
template <> __device__ int2 made(int i) { return make_int2(i, -i); }
template <> __device__ float4 made(int i) { return make_float4(i, i + 0.5f, -i, 100); }
template <> __device__ long long made(int i) { return i * 10000000001ll; }

template <class T> __global__ void fill_line(cudaSurfaceObject_t s)
{
    const int x = threadIdx.x;
    surf1Dwrite(made<T>(x + 1), s, x * (int)sizeof(T));
}
template <class T> __global__ void lines(cudaSurfaceObject_t s, T *out, cudaSurfaceBoundaryMode mode)
{
    const int x = threadIdx.x;
    if (mode == cudaBoundaryModeZero) out[x] = surf1Dread<T>(s, (x - 2) * (int)sizeof(T), cudaBoundaryModeZero);
    else if (mode == cudaBoundaryModeClamp) surf1Dread(&out[x], s, (x - 2) * (int)sizeof(T), cudaBoundaryModeClamp);
    else if (x < W) out[x] = surf1Dread<T>(s, x * (int)sizeof(T));
}
template <class T> __global__ void fill_plane(cudaSurfaceObject_t s)
{
    for (int i = threadIdx.x; i < W * H; i += blockDim.x) surf2Dwrite(made<T>(i + 1), s, i % W * (int)sizeof(T), i / W);
}
template <class T> __global__ void read_plane(cudaSurfaceObject_t s, T *out, bool clamp)
{
    for (int i = threadIdx.x; i < (W + 2) * (H + 2); i += blockDim.x) {
        const int x = (i % (W + 2) - 1) * (int)sizeof(T), y = i / (W + 2) - 1;
        out[i] = clamp ? surf2Dread<T>(s, x, y, cudaBoundaryModeClamp) : surf2Dread<T>(s, x, y, cudaBoundaryModeZero);
    }
}
__global__ void write_beyond(cudaSurfaceObject_t s)
{
    surf2Dwrite(-1.0f, s, -4, 1, cudaBoundaryModeZero);
    surf2Dwrite(-2.0f, s, 0, 99, cudaBoundaryModeZero);
    surf2Dwrite(-3.0f, s, 4000, 0, cudaBoundaryModeClamp);
    surf2Dwrite(-4.0f, s, -4000, -5, cudaBoundaryModeClamp);
    surf2Dwrite(-5.0f, s, 8, H + 7, cudaBoundaryModeClamp);
}
__global__ void boxes(cudaSurfaceObject_t s, int *out, bool write)
{
    for (int i = threadIdx.x; write && i < W * H * D; i += blockDim.x) surf3Dwrite(i + 1, s, i % W * 4, i / W % H, i / W / H);
    if (write) return;
    const int n = (W + 2) * (H + 2) * (D + 2);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int x = (i % (W + 2) - 1) * 4, y = i / (W + 2) % (H + 2) - 1, z = i / (W + 2) / (H + 2) - 1;
        out[i] = surf3Dread<int>(s, x, y, z, cudaBoundaryModeZero);
        out[n + i] = surf3Dread<int>(s, x, y, z, cudaBoundaryModeClamp);
    }
}
__global__ void layers_1d(cudaSurfaceObject_t s, int *out, bool write)
{
    const int x = threadIdx.x % W, layer = threadIdx.x / W;
    if (write && layer < D) surf1DLayeredwrite((int)threadIdx.x + 1, s, x * 4, layer);
    if (write) return;
    out[threadIdx.x] = surf1DLayeredread<int>(s, (x - 1) * 4, layer - 1, cudaBoundaryModeZero);
    out[32 + threadIdx.x] = surf1DLayeredread<int>(s, (x - 1) * 4, layer - 1, cudaBoundaryModeClamp);
}
__global__ void layers_2d(cudaSurfaceObject_t s, int *out, bool write)
{
    for (int i = threadIdx.x; write && i < W * H * D; i += blockDim.x) surf2DLayeredwrite(i + 1, s, i % W * 4, i / W % H, i / W / H);
    if (write) return;
    for (int i = threadIdx.x; i < W * (D + 2); i += blockDim.x) {
        out[i] = surf2DLayeredread<int>(s, (i % W - 1) * 4, 2, i / W - 1, cudaBoundaryModeZero);
        out[W * (D + 2) + i] = surf2DLayeredread<int>(s, (i % W - 1) * 4, 9, i / W - 1, cudaBoundaryModeClamp);
    }
}
__global__ void cube(cudaSurfaceObject_t s, int *out, bool write)
{
    for (int i = threadIdx.x; write && i < 4 * 4 * 6; i += blockDim.x) surfCubemapwrite(i + 1, s, i % 4 * 4, i / 4 % 4, i / 16);
    if (write) return;
    for (int i = threadIdx.x; i < 32; i += blockDim.x) {
        out[i] = surfCubemapread<int>(s, (i % 4) * 4, 3, i / 4 - 1, cudaBoundaryModeZero);
        out[32 + i] = surfCubemapread<int>(s, (i % 4 - 1) * 4, 5, i / 4 - 1, cudaBoundaryModeClamp);
    }
}
__global__ void cubes(cudaSurfaceObject_t s, int *out, bool write)
{
    for (int i = threadIdx.x; write && i < 4 * 4 * 12; i += blockDim.x) surfCubemapLayeredwrite(i + 1, s, i % 4 * 4, i / 4 % 4, i / 16);
    if (write) return;
    for (int i = threadIdx.x; i < 56; i += blockDim.x) out[i] = surfCubemapLayeredread<int>(s, (i % 4) * 4, 1, i / 4 - 1, cudaBoundaryModeZero);
}

static void *memory;
template <class E> static void put(const char *what, int count)
{
    MUST(cudaDeviceSynchronize());
    printf("%s:", what);
    for (int i = 0; i < count; ++i) printf(" %g", (double)((E *)memory)[i]);
    printf("\n");
    memset(memory, 0, 1 << 16);
}
static cudaSurfaceObject_t surface(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t s = 0;
    MUST(cudaCreateSurfaceObject(&s, &resource));
    return s;
}
template <class T, class E> static void type(const char *what, cudaChannelFormatDesc desc)
{
    printf("-- %s\n", what);
    const int channels = sizeof(T) / sizeof(E);
    cudaArray_t line, plane;
    MUST(cudaMallocArray(&line, &desc, W, 0, cudaArraySurfaceLoadStore));
    MUST(cudaMallocArray(&plane, &desc, W, H, cudaArraySurfaceLoadStore));
    const cudaSurfaceObject_t l = surface(line), p = surface(plane);
    fill_line<T><<<1, W>>>(l);
    for (const auto mode : {cudaBoundaryModeTrap, cudaBoundaryModeZero, cudaBoundaryModeClamp}) {
        lines<T><<<1, W + 4>>>(l, (T *)memory, mode);
        put<E>("line", (W + 4) * channels);
    }
    fill_plane<T><<<1, 32>>>(p);
    for (int clamp = 0; clamp < 2; ++clamp) {
        read_plane<T><<<1, 32>>>(p, (T *)memory, clamp != 0);
        put<E>("plane", (W + 2) * (H + 2) * channels);
    }
    MUST(cudaDestroySurfaceObject(l));
    MUST(cudaDestroySurfaceObject(p));
    MUST(cudaFreeArray(line));
    MUST(cudaFreeArray(plane));
}

int main()
{
    MUST(cudaMallocManaged(&memory, 1 << 16));
    memset(memory, 0, 1 << 16);
    type<unsigned char, unsigned char>("unsigned char", cudaCreateChannelDesc<unsigned char>());
    type<short, short>("short", cudaCreateChannelDesc<short>());
    type<unsigned, unsigned>("unsigned", cudaCreateChannelDesc<unsigned>());
    type<float, float>("float", cudaCreateChannelDesc<float>());
    type<char2, signed char>("char2", cudaCreateChannelDesc<char2>());
    type<ushort4, unsigned short>("ushort4", cudaCreateChannelDesc<ushort4>());
    type<int2, int>("int2", cudaCreateChannelDesc<int2>());
    type<float4, float>("float4", cudaCreateChannelDesc<float4>());
    type<long long, long long>("long long", cudaCreateChannelDesc<int2>());
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &f, W, H, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t s = surface(array);
    printf("-- writes beyond\n");
    fill_plane<float><<<1, 32>>>(s);
    write_beyond<<<1, 1>>>(s);
    SHOW(cudaDeviceSynchronize());
    MUST(cudaMemcpy2DFromArray(memory, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    put<float>("plane", W * H);
    const struct {
        const char *what;
        cudaExtent extent;
        unsigned flags;
    } all[] = {{"box", {W, H, D}, 0}, {"lines", {W, 0, D}, cudaArrayLayered}, {"planes", {W, H, D}, cudaArrayLayered},
               {"cube", {4, 4, 6}, cudaArrayCubemap}, {"cubes", {4, 4, 12}, cudaArrayCubemap | cudaArrayLayered}};
    for (int way = 0; way < 5; ++way) {
        MUST(cudaMalloc3DArray(&array, &i, all[way].extent, all[way].flags | cudaArraySurfaceLoadStore));
        s = surface(array);
        int *const out = (int *)memory;
        for (int write = 1; write >= 0; --write)
            switch (way) {
            case 0: boxes<<<1, 32>>>(s, out, write != 0); break;
            case 1: layers_1d<<<1, 30>>>(s, out, write != 0); break;
            case 2: layers_2d<<<1, 32>>>(s, out, write != 0); break;
            case 3: cube<<<1, 32>>>(s, out, write != 0); break;
            case 4: cubes<<<1, 32>>>(s, out, write != 0); break;
            }
        printf("-- ");
        put<int>(all[way].what, way == 0 ? 2 * (W + 2) * (H + 2) * (D + 2) : 64);
        MUST(cudaDestroySurfaceObject(s));
        MUST(cudaFreeArray(array));
    }
    cudaMipmappedArray_t many;
    MUST(cudaMallocMipmappedArray(&many, &f, make_cudaExtent(W * 2, H * 2, 0), 2, cudaArraySurfaceLoadStore));
    MUST(cudaGetMipmappedArrayLevel(&array, many, 1));
    s = surface(array);
    fill_plane<float><<<1, 32>>>(s);
    SHOW(cudaDeviceSynchronize());
    MUST(cudaMemcpy2DFromArray(memory, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    put<float>("-- level", W * H);
    SHOW(cudaGetLastError());
}
