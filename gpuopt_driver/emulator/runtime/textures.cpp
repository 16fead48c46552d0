// The API of texture and surface objects, and of the references that came before them.
#include "textures.h"

#include <string.h>

#include "allocations.h"

namespace gpuopt_emu {

static Image image_of(const cudaArray &array) {
  return Image{array.data.get(), array.extent.width, array.rows, array.slices, array.pitch, array.pitch * array.rows};
}

// Fills in format and images; false where the resource is none.
static bool bind(const cudaResourceDesc &resource, Texture *texture) {
  const auto &r = resource.res;
  unsigned flags = 0;
  switch (resource.resType) {
    case cudaResourceTypeArray:
      if (!r.array.array) return false;
      texture->format = r.array.array->desc;
      texture->levels = {image_of(*r.array.array)};
      flags = r.array.array->flags;
      break;
    case cudaResourceTypeMipmappedArray:
      if (!r.mipmap.mipmap) return false;
      texture->format = r.mipmap.mipmap->desc;
      for (const auto &level : r.mipmap.mipmap->levels) texture->levels.push_back(image_of(*level));
      flags = r.mipmap.mipmap->flags;
      break;
    case cudaResourceTypeLinear: {
      texture->format = r.linear.desc;
      const size_t element = element_bytes(r.linear.desc);
      if (!r.linear.devPtr || !element || !fits(r.linear.devPtr, r.linear.sizeInBytes)) return false;
      const size_t width = r.linear.sizeInBytes / element;
      texture->levels = {Image{static_cast<char *>(r.linear.devPtr), width, 1, 1, 0, 0}};
      break;
    }
    case cudaResourceTypePitch2D: {
      const auto &p = r.pitch2D;
      texture->format = p.desc;
      if (!p.devPtr || !p.width || !p.height || p.pitchInBytes % 32 || (size_t)p.devPtr % 32) return false;
      texture->levels = {Image{static_cast<char *>(p.devPtr), p.width, p.height, 1, p.pitchInBytes, 0}};
      break;
    }
    default: return false;
  }
  texture->resource = resource;
  texture->layered = flags & cudaArrayLayered;
  texture->cubemap = flags & cudaArrayCubemap;
  texture->plain = !texture->layered && !texture->cubemap && texture->levels.size() == 1;
  texture->element = element_bytes(texture->format);
  if (!texture->element) return false;
  texture->channels = (unsigned)(texture->element * 8 / (size_t)texture->format.x);
  return true;
}

static cudaError_t check(const Texture &texture) {
  const cudaTextureDesc &desc = texture.desc;
  const bool is_float = texture.format.f == cudaChannelFormatKindFloat;
  const bool normalized = desc.readMode == cudaReadModeNormalizedFloat;
  if (normalized && !is_float && texture.format.x == 32) return cudaErrorInvalidNormSetting;
  if (desc.filterMode == cudaFilterModeLinear && !is_float && !normalized) return cudaErrorInvalidFilterSetting;
  return cudaSuccess;
}

static cudaError_t make(const cudaResourceDesc &resource, const cudaTextureDesc &desc, cudaTextureObject_t *object) {
  Texture texture = {};
  const bool is_array = resource.resType == cudaResourceTypeArray || resource.resType == cudaResourceTypeMipmappedArray;
  if (is_array && !resource.res.array.array) return cudaErrorInvalidResourceHandle;
  if (!bind(resource, &texture)) return cudaErrorInvalidValue;
  texture.desc = desc;
  const cudaError_t error = check(texture);
  if (error != cudaSuccess) return error;
  const bool is_float = texture.format.f == cudaChannelFormatKindFloat;
  texture.as_float = is_float || desc.readMode == cudaReadModeNormalizedFloat;
  if (!is_float) texture.largest = (float)((1ll << (texture.format.x - (texture.format.f == cudaChannelFormatKindSigned))) - 1);
  for (int i = 0; i < 4; ++i) {
    if (texture.as_float) texture.border.f[i] = desc.borderColor[i];
    else texture.border.i[i] = (int)desc.borderColor[i];
  }
  *object = reinterpret_cast<cudaTextureObject_t>(new Texture(std::move(texture)));
  return cudaSuccess;
}

static Texture *as_texture(cudaTextureObject_t object) { return reinterpret_cast<Texture *>(object); }

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
  const cudaError_t error = make(resource, texture, &object);
  if (error != cudaSuccess) return record(error);
  delete as_texture(r.gpuopt_object);
  r.gpuopt_object = object;
  if (desc) r.channelDesc = *desc;
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *desc, const cudaResourceViewDesc *) {
  GPUOPT_EMU_ENTER();
  if (!object || !resource || !desc) return record(cudaErrorInvalidValue);
  return record(make(*resource, *desc, object));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  delete as_texture(object);
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  if (!resource || !object) return record(cudaErrorInvalidValue);
  *resource = as_texture(object)->resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *desc, cudaTextureObject_t object) {
  GPUOPT_EMU_ENTER();
  if (!desc || !object) return record(cudaErrorInvalidValue);
  *desc = as_texture(object)->desc;
  return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  GPUOPT_EMU_ENTER();
  if (!object || !resource || resource->resType != cudaResourceTypeArray) return record(cudaErrorInvalidValue);
  Texture surface = {};
  if (!bind(*resource, &surface)) return record(cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaSurfaceObject_t>(new Texture(std::move(surface)));
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
  delete as_texture(r.gpuopt_object);
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
