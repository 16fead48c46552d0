// The API of texture and surface objects, and of the references that came before them.
#include "textures.h"

#include <algorithm>
#include <math.h>
#include <mutex>
#include <set>
#include <string.h>

#include "allocations.h"
#include "gpuopt_emu/half.h"
#include "srgb_table.h"

namespace gpuopt_emu {

static Image image_of(const cudaArray &array) {
  return Image{array.data.get(), array.extent.width, array.rows, array.slices, array.pitch, array.pitch * array.rows};
}

static const size_t MEMORY_ALIGNMENT = 512;  // of textures in memory; cudaDevAttrTextureAlignment

static cudaError_t bind_line(const cudaResourceDesc &resource, Texture *texture) {
  const auto &r = resource.res.linear;
  const size_t element = element_bytes(r.desc);
  if (!element) return cudaErrorInvalidChannelDescriptor;
  if (!r.devPtr) return cudaErrorInvalidValue;
  Allocation found;
  size_t bytes = r.sizeInBytes;  // what is said to be beyond the memory cannot be read
  if (!fits(r.devPtr, bytes) && allocation_at(r.devPtr, &found)) bytes = (size_t)(found.base + found.bytes - static_cast<char *>(r.devPtr));
  texture->format = r.desc;
  texture->levels = {Image{static_cast<char *>(r.devPtr), bytes / element, 1, 1, 0, 0}};
  return cudaSuccess;
}

static cudaError_t bind_rows(const cudaResourceDesc &resource, Texture *texture) {
  const auto &p = resource.res.pitch2D;
  if (!element_bytes(p.desc)) return cudaErrorInvalidChannelDescriptor;
  if (!p.devPtr || p.pitchInBytes % 32 || p.pitchInBytes > 2097120 || p.width > 131072 || p.height > 65000) return cudaErrorInvalidValue;
  texture->format = p.desc;
  texture->levels = {Image{static_cast<char *>(p.devPtr), std::max(p.width, (size_t)1), std::max(p.height, (size_t)1), 1, p.pitchInBytes, 0}};
  return cudaSuccess;
}

// Fills in format and images.
static cudaError_t bind(const cudaResourceDesc &resource, Texture *texture) {
  const auto &r = resource.res;
  unsigned flags = 0;
  cudaError_t error = cudaSuccess;
  switch (resource.resType) {
    case cudaResourceTypeArray:
      if (!r.array.array) return cudaErrorInvalidResourceHandle;
      texture->format = r.array.array->desc;
      texture->levels = {image_of(*r.array.array)};
      flags = r.array.array->flags;
      break;
    case cudaResourceTypeMipmappedArray:
      if (!r.mipmap.mipmap) return cudaErrorInvalidResourceHandle;
      texture->format = r.mipmap.mipmap->desc;
      for (const auto &level : r.mipmap.mipmap->levels) texture->levels.push_back(image_of(*level));
      flags = r.mipmap.mipmap->flags;
      break;
    case cudaResourceTypeLinear: error = bind_line(resource, texture); break;
    case cudaResourceTypePitch2D: error = bind_rows(resource, texture); break;
    default: return cudaErrorInvalidValue;
  }
  texture->resource = resource;
  texture->layered = flags & cudaArrayLayered;
  texture->cubemap = flags & cudaArrayCubemap;
  return error;
}

// What a view's format has in place of the array's; no bits for formats of blocks and for none.
static cudaChannelFormatDesc channels_of(cudaResourceViewFormat format) {
  static const int sizes[] = {8, 8, 16, 16, 32, 32, 16, 32};
  const int at = format - cudaResViewFormatUnsignedChar1;
  if (at < 0 || format > cudaResViewFormatFloat4) return cudaChannelFormatDesc{};
  const int bits = sizes[at / 3], count = 1 << at % 3;
  const cudaChannelFormatKind kind = at / 3 > 5    ? cudaChannelFormatKindFloat
                                     : at / 3 % 2 ? cudaChannelFormatKindSigned
                                                  : cudaChannelFormatKindUnsigned;
  return cudaChannelFormatDesc{bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0, kind};
}

// Levels, layers and the format of arrays as a view has them.
static cudaError_t look(const cudaResourceViewDesc &view, Texture *texture) {
  const cudaResourceType type = texture->resource.resType;
  if (type != cudaResourceTypeArray && type != cudaResourceTypeMipmappedArray) return cudaSuccess;
  const cudaChannelFormatDesc format = channels_of(view.format);
  const Image &all = texture->levels[0];
  const cudaExtent extent = type == cudaResourceTypeArray ? texture->resource.res.array.array->extent : texture->resource.res.mipmap.mipmap->extent;
  const bool layers = texture->layered || texture->cubemap;
  if (!format.x || element_bytes(format) != element_bytes(texture->format)) return cudaErrorInvalidValue;
  if (view.width != extent.width || view.height != extent.height || view.depth != (layers ? view.depth : extent.depth)) return cudaErrorInvalidValue;
  if (view.lastMipmapLevel >= texture->levels.size() || view.firstMipmapLevel > view.lastMipmapLevel) return cudaErrorInvalidValue;
  if (layers && (view.firstLayer > view.lastLayer || view.lastLayer >= all.depth)) return cudaErrorInvalidValue;
  texture->format = format;
  texture->view = view;
  texture->levels = std::vector<Image>(texture->levels.begin() + view.firstMipmapLevel, texture->levels.begin() + view.lastMipmapLevel + 1);
  for (Image &level : texture->levels) {
    if (!layers) break;
    level.data += view.firstLayer * level.slice;
    level.depth = view.lastLayer - view.firstLayer + 1;
  }
  return cudaSuccess;
}

static cudaError_t check(const Texture &texture) {
  const cudaTextureDesc &desc = texture.desc;
  const bool is_float = texture.format.f == cudaChannelFormatKindFloat;
  const bool normalized = desc.readMode == cudaReadModeNormalizedFloat;
  if ((unsigned)desc.filterMode > cudaFilterModeLinear || (desc.seamlessCubemap && !texture.cubemap)) return cudaErrorInvalidValue;
  for (const auto mode : desc.addressMode)
    if ((unsigned)mode > cudaAddressModeBorder) return cudaErrorInvalidValue;
  if (desc.filterMode == cudaFilterModeLinear && !is_float && (!normalized || texture.format.x == 32)) return cudaErrorInvalidFilterSetting;
  return normalized && (is_float || texture.format.x == 32) ? cudaErrorInvalidNormSetting : cudaSuccess;
}

// Of formats that are normalized in themselves, elements are read as integers that are.
static bool make_plain(cudaChannelFormatDesc *format) {
  if (format->f <= cudaChannelFormatKindNone) return false;
  format->f = format->f >= cudaChannelFormatKindSignedNormalized8X1 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
  return true;
}

// The objects that there are.
static std::mutex textures_mutex;
static std::set<const Texture *> textures;

static Texture *as_texture(unsigned long long object) {
  std::lock_guard<std::mutex> lock(textures_mutex);
  const auto found = textures.find(reinterpret_cast<const Texture *>(object));
  return found == textures.end() ? nullptr : const_cast<Texture *>(*found);
}
static unsigned long long keep(Texture &&texture) {
  std::lock_guard<std::mutex> lock(textures_mutex);
  return reinterpret_cast<unsigned long long>(*textures.insert(new Texture(std::move(texture))).first);
}
static void destroy(unsigned long long object) {
  std::lock_guard<std::mutex> lock(textures_mutex);
  const Texture *const texture = reinterpret_cast<const Texture *>(object);
  if (textures.erase(texture)) delete texture;
}

static void complete(Texture *texture) {
  texture->plain = !texture->layered && !texture->cubemap && texture->levels.size() == 1;
  texture->element = element_bytes(texture->format);
  texture->channels = (unsigned)(texture->element * 8 / (size_t)texture->format.x);
}

// The border's colour as elements have it: integers cut off, normalized ones and halves rounded.
static float rounded_border(const Texture &texture, float value, bool curved) {
  if (texture.format.f == cudaChannelFormatKindFloat)
    return texture.format.x == 16 ? half_value(half_bits(std::min(std::max(value, -65504.0f), 65504.0f))) : value;
  const bool is_signed = texture.format.f == cudaChannelFormatKindSigned;
  const float inside = std::min(std::max(value, is_signed ? -1.0f : 0.0f), 1.0f);
  if (!curved) return copysignf(ceilf(fabsf(inside) * texture.largest - 0.5f), inside) / texture.largest;
  unsigned nearest = 0;
  while (nearest < 255 && (float)(SRGB[nearest] + SRGB[nearest + 1]) / 2 < inside * 65536) ++nearest;
  return (float)SRGB[nearest] / 65536;
}

static void set_border(Texture *texture) {
  for (int i = 0; i < 4; ++i) {
    const float value = texture->desc.borderColor[i];
    if (texture->as_float) {
      texture->border.f[i] = rounded_border(*texture, value, texture->desc.sRGB && i < 3 && texture->format.x == 8);
      continue;
    }
    int bits;
    memcpy(&bits, &value, sizeof bits);
    const bool is_signed = texture->format.f == cudaChannelFormatKindSigned;
    texture->border.i[i] = texture->format.x == 8    ? (is_signed ? (signed char)bits : (unsigned char)bits)
                           : texture->format.x == 16 ? (is_signed ? (short)bits : (unsigned short)bits)
                                                     : bits;
  }
}

static cudaError_t make(const cudaResourceDesc &resource, const cudaTextureDesc &desc, const cudaResourceViewDesc *view,
                        bool is_reference, cudaTextureObject_t *object) {
  Texture texture = {};
  cudaError_t error = bind(resource, &texture);
  if (error == cudaSuccess && view) error = look(*view, &texture);
  if (error != cudaSuccess) return error;
  const bool in_memory = resource.resType == cudaResourceTypeLinear || resource.resType == cudaResourceTypePitch2D;
  if (in_memory && !is_reference && (size_t)texture.levels[0].data % MEMORY_ALIGNMENT) return cudaErrorInvalidValue;
  complete(&texture);
  const bool normalized = make_plain(&texture.format);
  texture.desc = desc;
  if (normalized) texture.desc.readMode = cudaReadModeNormalizedFloat;
  error = check(texture);
  if (error != cudaSuccess) return error;
  const bool is_float = texture.format.f == cudaChannelFormatKindFloat;
  texture.as_float = is_float || texture.desc.readMode == cudaReadModeNormalizedFloat;
  if (!is_float) texture.largest = (float)((1ll << (texture.format.x - (texture.format.f == cudaChannelFormatKindSigned))) - 1);
  set_border(&texture);
  *object = keep(std::move(texture));
  return cudaSuccess;
}

// Binds a reference as it is set up now.
static cudaError_t bind_reference(const textureReference *reference, const cudaResourceDesc &resource,
                                  const cudaChannelFormatDesc *desc) {
  GPUOPT_EMU_ENTER();
  if (!reference) return record(cudaErrorInvalidTexture);
  textureReference &r = *const_cast<textureReference *>(reference);
  cudaTextureDesc texture = {};
  memcpy(texture.addressMode, r.addressMode, sizeof r.addressMode);
  texture.filterMode = r.filterMode;
  texture.readMode = r.gpuopt_read_mode;
  texture.sRGB = r.sRGB;
  texture.normalizedCoords = r.normalized;
  texture.mipmapFilterMode = r.mipmapFilterMode;
  texture.mipmapLevelBias = r.mipmapLevelBias;
  texture.minMipmapLevelClamp = r.minMipmapLevelClamp;
  texture.maxMipmapLevelClamp = r.maxMipmapLevelClamp;
  cudaTextureObject_t object;
  const cudaError_t error = make(resource, texture, nullptr, true, &object);
  if (error != cudaSuccess) return record(error);
  destroy(r.gpuopt_object);
  r.gpuopt_object = object;
  if (desc) r.channelDesc = *desc;
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *desc, const cudaResourceViewDesc *view) {
  GPUOPT_EMU_ENTER();
  if (!object || !resource || !desc) return record(cudaErrorInvalidValue);
  return record(make(*resource, *desc, view, false, object));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  destroy(object);
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  const Texture *const texture = as_texture(object);
  if (!resource || !texture) return record(cudaErrorInvalidValue);
  *resource = texture->resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *desc, cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  const Texture *const texture = as_texture(object);
  if (!desc || !texture) return record(cudaErrorInvalidValue);
  *desc = texture->desc;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *view, cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  const Texture *const texture = as_texture(object);
  if (!view || !texture) return record(cudaErrorInvalidValue);
  *view = texture->view;
  return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  GPUOPT_EMU_ENTER();
  if (!object || !resource || resource->resType != cudaResourceTypeArray) return record(cudaErrorInvalidValue);
  Texture surface = {};
  const cudaError_t error = bind(*resource, &surface);
  if (error != cudaSuccess) return record(error);
  complete(&surface);
  *object = keep(std::move(surface));
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaDestroyTextureObject(object); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t object) {
  return cudaGetTextureObjectResourceDesc(resource, object);
}

cudaError_t cudaBindTexture(size_t *offset, const textureReference *reference, const void *pointer,
                            const cudaChannelFormatDesc *desc, size_t bytes) {
  if (!desc) return record(cudaErrorInvalidValue);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void *>(pointer);
  resource.res.linear.desc = *desc;
  Allocation found;
  if (!fits(pointer, bytes) && allocation_at(pointer, &found))  // as the C++ form's default is: to the end
    bytes = found.bytes - (size_t)(static_cast<const char *>(pointer) - found.base);
  resource.res.linear.sizeInBytes = bytes;
  if (offset) *offset = 0;
  return bind_reference(reference, resource, desc);
}
cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *reference, const void *pointer,
                              const cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
  if (!desc) return record(cudaErrorInvalidValue);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<void *>(pointer);
  resource.res.pitch2D.desc = *desc;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  if (offset) *offset = 0;
  return bind_reference(reference, resource, desc);
}
cudaError_t cudaBindTextureToArray(const textureReference *reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *desc) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return bind_reference(reference, resource, desc);
}
cudaError_t cudaBindTextureToMipmappedArray(const textureReference *reference, cudaMipmappedArray_const_t array,
                                            const cudaChannelFormatDesc *desc) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(array);
  return bind_reference(reference, resource, desc);
}
cudaError_t cudaUnbindTexture(const textureReference *reference) {
  GPUOPT_EMU_ENTER();
  if (!reference) return record(cudaErrorInvalidTexture);
  textureReference &r = *const_cast<textureReference *>(reference);
  destroy(r.gpuopt_object);
  r.gpuopt_object = 0;
  return cudaSuccess;
}
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *reference) {
  GPUOPT_EMU_ENTER();
  if (!offset || !reference || !reference->gpuopt_object) return record(cudaErrorInvalidTextureBinding);
  *offset = 0;
  return cudaSuccess;
}
cudaError_t cudaGetTextureReference(const textureReference **reference, const void *symbol) {
  GPUOPT_EMU_ENTER();
  if (!reference || !symbol) return record(cudaErrorInvalidTexture);
  *reference = static_cast<const textureReference *>(symbol);
  return cudaSuccess;
}
cudaError_t cudaBindSurfaceToArray(const surfaceReference *reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *) {
  if (!reference) return record(cudaErrorInvalidSurface);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return cudaCreateSurfaceObject(&const_cast<surfaceReference *>(reference)->gpuopt_object, &resource);
}
cudaError_t cudaGetSurfaceReference(const surfaceReference **reference, const void *symbol) {
  if (!reference || !symbol) return record(cudaErrorInvalidSurface);
  *reference = static_cast<const surfaceReference *>(symbol);
  return cudaSuccess;
}
}
