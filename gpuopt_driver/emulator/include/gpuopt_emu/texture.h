// Texture and surface functions of device code; the reading itself is in the runtime (sampling.cpp).
#ifndef GPUOPT_EMU_TEXTURE_H
#define GPUOPT_EMU_TEXTURE_H

#include <string.h>

#include "../cuda_runtime_api.h"

#include "early.h"

namespace gpuopt_emu {

// Four channels as they are read: floats of float and normalized textures, else integers.
union Texel {
  float f[4];
  int i[4];
};

// `at`: coordinates. `layer`: of layered textures. `level`: of mipmapped ones.
void sample(unsigned long long object, unsigned dimensions, const float *at, int layer, float level, Texel *out);
void fetch(unsigned long long object, long index, Texel *out);
void gather(unsigned long long object, const float *at, int component, Texel *out);
float level_of(unsigned long long object, unsigned dimensions, const float *dx, const float *dy);
// Where a surface's element is; null where it is outside and reads give 0 and writes do nothing. x in bytes.
char *surface_at(unsigned long long object, long x, long y, long z, size_t bytes, cudaSurfaceBoundaryMode mode);

template <class Ee> struct Channel {
  static GPUOPT_EMU_EARLY(Ee) of(const Texel &texel, int c) { return (Ee)texel.i[c]; }
};
template <> struct Channel<float> {
  static GPUOPT_EMU_EARLY(float) of(const Texel &texel, int c) { return texel.f[c]; }
};

// T from a texel; Float is the type with as many channels that normalized reads give.
template <class T> struct TexelAs;
#define GPUOPT_EMU_TEXEL(name, Ee)                                                                                \
  template <> struct TexelAs<name##1> {                                                                          \
    typedef float1 Float;                                                                                        \
    static name##1 of(const Texel &t) { return name##1{Channel<Ee>::of(t, 0)}; }                                  \
  };                                                                                                             \
  template <> struct TexelAs<name##2> {                                                                          \
    typedef float2 Float;                                                                                        \
    static name##2 of(const Texel &t) { return name##2{Channel<Ee>::of(t, 0), Channel<Ee>::of(t, 1)}; }            \
  };                                                                                                             \
  template <> struct TexelAs<name##4> {                                                                          \
    typedef float4 Float;                                                                                        \
    static name##4 of(const Texel &t) {                                                                          \
      return name##4{Channel<Ee>::of(t, 0), Channel<Ee>::of(t, 1), Channel<Ee>::of(t, 2), Channel<Ee>::of(t, 3)};     \
    }                                                                                                            \
  };                                                                                                             \
  template <> struct TexelAs<Ee> {                                                                                \
    typedef float Float;                                                                                         \
    static GPUOPT_EMU_EARLY(Ee) of(const Texel &t) { return Channel<Ee>::of(t, 0); }                                                 \
  };
GPUOPT_EMU_TEXEL(char, signed char)
GPUOPT_EMU_TEXEL(uchar, unsigned char)
GPUOPT_EMU_TEXEL(short, short)
GPUOPT_EMU_TEXEL(ushort, unsigned short)
GPUOPT_EMU_TEXEL(int, int)
GPUOPT_EMU_TEXEL(uint, unsigned int)
GPUOPT_EMU_TEXEL(float, float)
#undef GPUOPT_EMU_TEXEL
template <> struct TexelAs<char> {
  typedef float Float;
  static GPUOPT_EMU_EARLY(char) of(const Texel &t) { return (char)t.i[0]; }
};

template <class T> static inline T sampled(unsigned long long object, unsigned dimensions, float x, float y, float z,
                                           int layer = 0, float level = 0) {
  const float at[3] = {x, y, z};
  Texel texel;
  sample(object, dimensions, at, layer, level, &texel);
  return TexelAs<T>::of(texel);
}
template <class T> static inline T fetched(unsigned long long object, long index) {
  Texel texel;
  fetch(object, index, &texel);
  return TexelAs<T>::of(texel);
}
template <class T> static inline T gathered(unsigned long long object, float x, float y, int component) {
  const float at[2] = {x, y};
  Texel texel;
  gather(object, at, component, &texel);
  return TexelAs<T>::of(texel);
}
static inline float level_1d(unsigned long long object, float dx, float dy) { return level_of(object, 1, &dx, &dy); }
static inline float level_2d(unsigned long long object, float2 dx, float2 dy) {
  const float x[2] = {dx.x, dx.y}, y[2] = {dy.x, dy.y};
  return level_of(object, 2, x, y);
}
static inline float level_3d(unsigned long long object, float4 dx, float4 dy) {
  const float x[3] = {dx.x, dx.y, dx.z}, y[3] = {dy.x, dy.y, dy.z};
  return level_of(object, 3, x, y);
}

template <class T> struct ChannelsOf;  // texture_templates.h
// A texture reference, as before CUDA 12; what reads of it give.
template <class T, int Type, cudaTextureReadMode Mode> struct texture_of : textureReference {
  typedef T type;
  explicit texture_of(int normalized_coordinates = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                      cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference() {
    normalized = normalized_coordinates;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    gpuopt_read_mode = Mode;
    const int bits = ChannelsOf<T>::bits, count = ChannelsOf<T>::count;
    channelDesc = cudaChannelFormatDesc{bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
                                        (cudaChannelFormatKind)ChannelsOf<T>::format};
  }
  texture_of(int normalized_coordinates, cudaTextureFilterMode filter, cudaTextureAddressMode address,
             cudaChannelFormatDesc desc)
      : texture_of(normalized_coordinates, filter, address) {
    channelDesc = desc;
  }
};
template <class T, cudaTextureReadMode Mode> struct ReadAs { typedef T type; };
template <class T> struct ReadAs<T, cudaReadModeNormalizedFloat> { typedef typename TexelAs<T>::Float type; };
// The names that older programs use; the rewriter puts them in (references.py).
template <class T, int Type = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
using texture_reference = texture_of<T, Type, Mode>;
template <class T = void, int Type = 1> struct surface_reference : surfaceReference {
  surface_reference() : surfaceReference() {}
};

}  // namespace gpuopt_emu

enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 0xC };
enum { cudaTextureType1DLayered = 0xF1, cudaTextureType2DLayered = 0xF2, cudaTextureTypeCubemapLayered = 0xFC };
enum { cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3, cudaSurfaceTypeCubemap = 0xC };
enum { cudaSurfaceType1DLayered = 0xF1, cudaSurfaceType2DLayered = 0xF2, cudaSurfaceTypeCubemapLayered = 0xFC };

// Every function in three forms: T from an object, through a pointer, and from a reference.
#define GPUOPT_EMU_TEX(name, parameters, expression, names)                                                      \
  template <class T> static inline T name(cudaTextureObject_t o, GPUOPT_EMU_LIST parameters) { return expression; } \
  template <class T> static inline void name(T *result, cudaTextureObject_t o, GPUOPT_EMU_LIST parameters) {     \
    *result = expression;                                                                                        \
  }                                                                                                              \
  template <class Ee, int Dd, cudaTextureReadMode Mm>                                                               \
  static inline typename gpuopt_emu::ReadAs<Ee, Mm>::type name(const gpuopt_emu::texture_of<Ee, Dd, Mm> &t,           \
                                                             GPUOPT_EMU_LIST parameters) {                       \
    return name<typename gpuopt_emu::ReadAs<Ee, Mm>::type>(t.gpuopt_object, GPUOPT_EMU_LIST names);                \
  }
#define GPUOPT_EMU_LIST(...) __VA_ARGS__
GPUOPT_EMU_TEX(tex1Dfetch, (int x), gpuopt_emu::fetched<T>(o, x), (x))
GPUOPT_EMU_TEX(tex1D, (float x), gpuopt_emu::sampled<T>(o, 1, x, 0, 0), (x))
GPUOPT_EMU_TEX(tex2D, (float x, float y), gpuopt_emu::sampled<T>(o, 2, x, y, 0), (x, y))
GPUOPT_EMU_TEX(tex3D, (float x, float y, float z), gpuopt_emu::sampled<T>(o, 3, x, y, z), (x, y, z))
GPUOPT_EMU_TEX(tex1DLayered, (float x, int layer), gpuopt_emu::sampled<T>(o, 1, x, 0, 0, layer), (x, layer))
GPUOPT_EMU_TEX(tex2DLayered, (float x, float y, int layer), gpuopt_emu::sampled<T>(o, 2, x, y, 0, layer), (x, y, layer))
GPUOPT_EMU_TEX(texCubemap, (float x, float y, float z), gpuopt_emu::sampled<T>(o, 3, x, y, z), (x, y, z))
GPUOPT_EMU_TEX(texCubemapLayered, (float x, float y, float z, int layer), gpuopt_emu::sampled<T>(o, 3, x, y, z, layer),
               (x, y, z, layer))
GPUOPT_EMU_TEX(tex1DLod, (float x, float level), gpuopt_emu::sampled<T>(o, 1, x, 0, 0, 0, level), (x, level))
GPUOPT_EMU_TEX(tex2DLod, (float x, float y, float level), gpuopt_emu::sampled<T>(o, 2, x, y, 0, 0, level), (x, y, level))
GPUOPT_EMU_TEX(tex3DLod, (float x, float y, float z, float level), gpuopt_emu::sampled<T>(o, 3, x, y, z, 0, level),
               (x, y, z, level))
GPUOPT_EMU_TEX(tex1DLayeredLod, (float x, int layer, float level), gpuopt_emu::sampled<T>(o, 1, x, 0, 0, layer, level),
               (x, layer, level))
GPUOPT_EMU_TEX(tex2DLayeredLod, (float x, float y, int layer, float level),
               gpuopt_emu::sampled<T>(o, 2, x, y, 0, layer, level), (x, y, layer, level))
GPUOPT_EMU_TEX(texCubemapLod, (float x, float y, float z, float level), gpuopt_emu::sampled<T>(o, 3, x, y, z, 0, level),
               (x, y, z, level))
GPUOPT_EMU_TEX(texCubemapLayeredLod, (float x, float y, float z, int layer, float level),
               gpuopt_emu::sampled<T>(o, 3, x, y, z, layer, level), (x, y, z, layer, level))
GPUOPT_EMU_TEX(tex1DGrad, (float x, float dx, float dy),
               gpuopt_emu::sampled<T>(o, 1, x, 0, 0, 0, gpuopt_emu::level_1d(o, dx, dy)), (x, dx, dy))
GPUOPT_EMU_TEX(tex1DLayeredGrad, (float x, int layer, float dx, float dy),
               gpuopt_emu::sampled<T>(o, 1, x, 0, 0, layer, gpuopt_emu::level_1d(o, dx, dy)), (x, layer, dx, dy))
GPUOPT_EMU_TEX(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
               gpuopt_emu::sampled<T>(o, 2, x, y, 0, layer, gpuopt_emu::level_2d(o, dx, dy)), (x, y, layer, dx, dy))
GPUOPT_EMU_TEX(tex2DGrad, (float x, float y, float2 dx, float2 dy),
               gpuopt_emu::sampled<T>(o, 2, x, y, 0, 0, gpuopt_emu::level_2d(o, dx, dy)), (x, y, dx, dy))
GPUOPT_EMU_TEX(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy),
               gpuopt_emu::sampled<T>(o, 3, x, y, z, 0, gpuopt_emu::level_3d(o, dx, dy)), (x, y, z, dx, dy))
#undef GPUOPT_EMU_TEX
#undef GPUOPT_EMU_LIST
template <class T> static inline T tex2Dgather(cudaTextureObject_t o, float x, float y, int component = 0) {
  return gpuopt_emu::gathered<T>(o, x, y, component);
}
template <class T> static inline void tex2Dgather(T *result, cudaTextureObject_t o, float x, float y, int component = 0) {
  *result = gpuopt_emu::gathered<T>(o, x, y, component);
}

namespace gpuopt_emu {
template <class T>
static inline T surface_read(unsigned long long o, long x, long y, long z, cudaSurfaceBoundaryMode mode) {
  T value;
  memset(&value, 0, sizeof value);
  if (const char *at = surface_at(o, x, y, z, sizeof value, mode)) memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
static inline void surface_write(T value, unsigned long long o, long x, long y, long z, cudaSurfaceBoundaryMode mode) {
  if (char *at = surface_at(o, x, y, z, sizeof value, mode)) memcpy(at, &value, sizeof value);
}
static inline unsigned long long handle(cudaSurfaceObject_t object) { return object; }
template <class T, int Type> static inline unsigned long long handle(const surface_reference<T, Type> &reference) {
  return reference.gpuopt_object;
}
}  // namespace gpuopt_emu

// Objects and references; x is in bytes.
#define GPUOPT_EMU_SURF(name, parameters, x, y, z)                                                                      \
  template <class T, class Ss>                                                                                           \
  static inline T name##read(Ss s, GPUOPT_EMU_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    return gpuopt_emu::surface_read<T>(gpuopt_emu::handle(s), x, y, z, mode);                                           \
  }                                                                                                                     \
  template <class T, class Ss>                                                                                           \
  static inline void name##read(T *result, Ss s, GPUOPT_EMU_LIST parameters,                                             \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                  \
    *result = gpuopt_emu::surface_read<T>(gpuopt_emu::handle(s), x, y, z, mode);                                        \
  }                                                                                                                     \
  template <class T, class Ss>                                                                                           \
  static inline void name##write(T value, Ss s, GPUOPT_EMU_LIST parameters,                                              \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                 \
    gpuopt_emu::surface_write<T>(value, gpuopt_emu::handle(s), x, y, z, mode);                                          \
  }
#define GPUOPT_EMU_LIST(...) __VA_ARGS__
GPUOPT_EMU_SURF(surf1D, (int x), x, 0, 0)
GPUOPT_EMU_SURF(surf2D, (int x, int y), x, y, 0)
GPUOPT_EMU_SURF(surf3D, (int x, int y, int z), x, y, z)
GPUOPT_EMU_SURF(surf1DLayered, (int x, int layer), x, 0, layer)
GPUOPT_EMU_SURF(surf2DLayered, (int x, int y, int layer), x, y, layer)
GPUOPT_EMU_SURF(surfCubemap, (int x, int y, int face), x, y, face)
GPUOPT_EMU_SURF(surfCubemapLayered, (int x, int y, int layer_face), x, y, layer_face)
#undef GPUOPT_EMU_SURF
#undef GPUOPT_EMU_LIST

#endif
