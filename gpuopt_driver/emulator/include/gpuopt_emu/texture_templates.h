// Texture functions with types: channel descriptions by type, references of any kind.
#ifndef GPUOPT_EMU_TEXTURE_TEMPLATES_H
#define GPUOPT_EMU_TEXTURE_TEMPLATES_H

#include "../cuda_runtime_api.h"

namespace gpuopt_emu {
// A type that no texture has: no channels.
template <class T> struct ChannelsOf { enum { bits = 0, count = 0, format = cudaChannelFormatKindNone }; };
#define GPUOPT_EMU_CHANNELS(name, Ee, kind)                                                                             \
  template <> struct ChannelsOf<Ee> { enum { bits = 8 * sizeof(Ee), count = 1, format = kind }; };                      \
  template <> struct ChannelsOf<name##1> { enum { bits = 8 * sizeof(Ee), count = 1, format = kind }; };                \
  template <> struct ChannelsOf<name##2> { enum { bits = 8 * sizeof(Ee), count = 2, format = kind }; };                \
  template <> struct ChannelsOf<name##4> { enum { bits = 8 * sizeof(Ee), count = 4, format = kind }; };
GPUOPT_EMU_CHANNELS(char, signed char, cudaChannelFormatKindSigned)
GPUOPT_EMU_CHANNELS(uchar, unsigned char, cudaChannelFormatKindUnsigned)
GPUOPT_EMU_CHANNELS(short, short, cudaChannelFormatKindSigned)
GPUOPT_EMU_CHANNELS(ushort, unsigned short, cudaChannelFormatKindUnsigned)
GPUOPT_EMU_CHANNELS(int, int, cudaChannelFormatKindSigned)
GPUOPT_EMU_CHANNELS(uint, unsigned int, cudaChannelFormatKindUnsigned)
GPUOPT_EMU_CHANNELS(float, float, cudaChannelFormatKindFloat)
#undef GPUOPT_EMU_CHANNELS
template <> struct ChannelsOf<char> { enum { bits = 8, count = 1, format = cudaChannelFormatKindSigned }; };
}  // namespace gpuopt_emu

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef gpuopt_emu::ChannelsOf<T> Of;
  const int bits = Of::bits, count = Of::count;
  return cudaCreateChannelDesc(count > 0 ? bits : 0, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
                               (cudaChannelFormatKind)Of::format);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#ifdef __CUDACC__
#include "texture.h"

template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaBindTexture(size_t *offset, const gpuopt_emu::texture_of<T, Dd, Mm> &reference,
                                          const void *pointer, const cudaChannelFormatDesc &desc,
                                          size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, (const textureReference *)&reference, pointer, &desc, bytes);
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaBindTexture(size_t *offset, const gpuopt_emu::texture_of<T, Dd, Mm> &reference,
                                          const void *pointer, size_t bytes = UINT_MAX) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
  return cudaBindTexture(offset, (const textureReference *)&reference, pointer, &desc, bytes);
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const gpuopt_emu::texture_of<T, Dd, Mm> &reference,
                                            const void *pointer, const cudaChannelFormatDesc &desc, size_t width,
                                            size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, (const textureReference *)&reference, pointer, &desc, width, height, pitch);
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const gpuopt_emu::texture_of<T, Dd, Mm> &reference,
                                            const void *pointer, size_t width, size_t height, size_t pitch) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
  return cudaBindTexture2D(offset, (const textureReference *)&reference, pointer, &desc, width, height, pitch);
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaBindTextureToArray(const gpuopt_emu::texture_of<T, Dd, Mm> &reference, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc) {
  return cudaBindTextureToArray((const textureReference *)&reference, array, &desc);
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaBindTextureToArray(const gpuopt_emu::texture_of<T, Dd, Mm> &reference,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  const cudaError_t error = cudaGetChannelDesc(&desc, array);
  return error == cudaSuccess ? cudaBindTextureToArray((const textureReference *)&reference, array, &desc) : error;
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaUnbindTexture(const gpuopt_emu::texture_of<T, Dd, Mm> &reference) {
  return cudaUnbindTexture((const textureReference *)&reference);
}
template <class T, int Dd, cudaTextureReadMode Mm>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                        const gpuopt_emu::texture_of<T, Dd, Mm> &reference) {
  return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&reference);
}
template <class T, int Dd>
static inline cudaError_t cudaBindSurfaceToArray(const gpuopt_emu::surface_reference<T, Dd> &reference,
                                                 cudaArray_const_t array) {
  return cudaBindSurfaceToArray((const surfaceReference *)&reference, array, nullptr);
}
template <class T, int Dd>
static inline cudaError_t cudaBindSurfaceToArray(const gpuopt_emu::surface_reference<T, Dd> &reference,
                                                 cudaArray_const_t array, const cudaChannelFormatDesc &desc) {
  return cudaBindSurfaceToArray((const surfaceReference *)&reference, array, &desc);
}
#endif

#endif
