// What a texture or surface object is bound to, and how it is read.
#ifndef GPUOPT_EMU_TEXTURES_H
#define GPUOPT_EMU_TEXTURES_H

#include <vector>

#include "arrays.h"
#include "gpuopt_emu/texture.h"

namespace gpuopt_emu {

// One level of an image: rows of elements.
struct Image {
  const char *data;
  size_t width, height, depth;  // elements, at least 1
  size_t pitch, slice;          // bytes
};

struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc desc;
  cudaResourceViewDesc view;  // as it was given, or zeros
  cudaChannelFormatDesc format;
  size_t element;  // bytes
  unsigned channels;
  bool layered, cubemap;
  bool plain;                 // neither, and of one level
  bool as_float;              // elements are floats, or read as normalized ones
  float largest;              // value of an element, which is read as 1 where elements are normalized
  std::vector<Image> levels;
  Texel border;
};

}  // namespace gpuopt_emu

#endif
