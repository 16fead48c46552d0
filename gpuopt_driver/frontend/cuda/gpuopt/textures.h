// Textures and surfaces: objects, and the references that CUDA had before version 12.
#pragma once

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef unsigned long long CUtexObject, CUsurfObject;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3, cudaChannelFormatKindNV12 = 4, cudaChannelFormatKindUnsignedNormalized8X1 = 5,
    cudaChannelFormatKindUnsignedNormalized8X2 = 6, cudaChannelFormatKindUnsignedNormalized8X4 = 7,
    cudaChannelFormatKindUnsignedNormalized16X1 = 8, cudaChannelFormatKindUnsignedNormalized16X2 = 9,
    cudaChannelFormatKindUnsignedNormalized16X4 = 10, cudaChannelFormatKindSignedNormalized8X1 = 11,
    cudaChannelFormatKindSignedNormalized8X2 = 12, cudaChannelFormatKindSignedNormalized8X4 = 13,
    cudaChannelFormatKindSignedNormalized16X1 = 14, cudaChannelFormatKindSignedNormalized16X2 = 15,
    cudaChannelFormatKindSignedNormalized16X4 = 16, cudaChannelFormatKindUnsignedBlockCompressed1 = 17,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB = 18, cudaChannelFormatKindUnsignedBlockCompressed2 = 19,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB = 20, cudaChannelFormatKindUnsignedBlockCompressed3 = 21,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB = 22, cudaChannelFormatKindUnsignedBlockCompressed4 = 23,
    cudaChannelFormatKindSignedBlockCompressed4 = 24, cudaChannelFormatKindUnsignedBlockCompressed5 = 25,
    cudaChannelFormatKindSignedBlockCompressed5 = 26, cudaChannelFormatKindUnsignedBlockCompressed6H = 27,
    cudaChannelFormatKindSignedBlockCompressed6H = 28, cudaChannelFormatKindUnsignedBlockCompressed7 = 29,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB = 30, cudaChannelFormatKindUnsignedNormalized1010102 = 31
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
#define cudaTextureType1D 1
#define cudaTextureType2D 2
#define cudaTextureType3D 3
#define cudaTextureTypeCubemap 12
#define cudaTextureType1DLayered 241
#define cudaTextureType2DLayered 242
#define cudaTextureTypeCubemapLayered 252
#define cudaSurfaceType1D 1
#define cudaSurfaceType2D 2
#define cudaSurfaceType3D 3
#define cudaSurfaceTypeCubemap 12
#define cudaSurfaceType1DLayered 241
#define cudaSurfaceType2DLayered 242
#define cudaSurfaceTypeCubemapLayered 252

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
};
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType> struct texture : textureReference {};
template <class T, int D = 1> struct surface {};

template <class T, cudaTextureReadMode M> struct gpuopt_texel { typedef T type; };
template <> struct gpuopt_texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct gpuopt_texel<char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct gpuopt_texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct gpuopt_texel<short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct gpuopt_texel<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct gpuopt_texel<ushort4, cudaReadModeNormalizedFloat> { typedef float4 type; };

#define GPUOPT_TEXTURE(NAME) \
    template <class T, int D, cudaTextureReadMode M, class... A> \
    __device__ typename gpuopt_texel<T, M>::type NAME(texture<T, D, M>, A...); \
    template <class T, class... A> __device__ T NAME(cudaTextureObject_t, A...); \
    template <class T, class... A> __device__ void NAME(T*, cudaTextureObject_t, A...);
GPUOPT_TEXTURE(tex1Dfetch)
GPUOPT_TEXTURE(tex1D)
GPUOPT_TEXTURE(tex2D)
GPUOPT_TEXTURE(tex3D)
GPUOPT_TEXTURE(texCubemap)
GPUOPT_TEXTURE(tex1DLayered)
GPUOPT_TEXTURE(tex2DLayered)
GPUOPT_TEXTURE(tex1DLod)
GPUOPT_TEXTURE(tex2DLod)
GPUOPT_TEXTURE(tex3DLod)
GPUOPT_TEXTURE(tex2Dgather)
GPUOPT_TEXTURE(tex1DGrad)
GPUOPT_TEXTURE(tex2DGrad)
GPUOPT_TEXTURE(tex3DGrad)
GPUOPT_TEXTURE(tex1DLayeredLod)
GPUOPT_TEXTURE(tex1DLayeredGrad)
GPUOPT_TEXTURE(tex2DLayeredLod)
GPUOPT_TEXTURE(tex2DLayeredGrad)
GPUOPT_TEXTURE(texCubemapLod)
GPUOPT_TEXTURE(texCubemapGrad)
GPUOPT_TEXTURE(texCubemapLayered)
GPUOPT_TEXTURE(texCubemapLayeredLod)
GPUOPT_TEXTURE(texCubemapLayeredGrad)

#define GPUOPT_SURFACE_READ(NAME) \
    template <class T, class S, class... A> __device__ T NAME(S, A...); \
    template <class T, class S, class... A> __device__ void NAME(T*, S, A...);
GPUOPT_SURFACE_READ(surf1Dread)
GPUOPT_SURFACE_READ(surf2Dread)
GPUOPT_SURFACE_READ(surf3Dread)
GPUOPT_SURFACE_READ(surf1DLayeredread)
GPUOPT_SURFACE_READ(surf2DLayeredread)
GPUOPT_SURFACE_READ(surfCubemapread)
GPUOPT_SURFACE_READ(surfCubemapLayeredread)

#define GPUOPT_SURFACE_WRITE(NAME) template <class T, class S, class... A> __device__ void NAME(T, S, A...);
GPUOPT_SURFACE_WRITE(surf1Dwrite)
GPUOPT_SURFACE_WRITE(surf2Dwrite)
GPUOPT_SURFACE_WRITE(surf3Dwrite)
GPUOPT_SURFACE_WRITE(surf1DLayeredwrite)
GPUOPT_SURFACE_WRITE(surf2DLayeredwrite)
GPUOPT_SURFACE_WRITE(surfCubemapwrite)
GPUOPT_SURFACE_WRITE(surfCubemapLayeredwrite)
