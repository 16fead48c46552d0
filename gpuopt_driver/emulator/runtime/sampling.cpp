// Reading textures: addressing, filtering and conversion as the CUDA programming guide defines them.
#include <math.h>
#include <string.h>

#include <algorithm>

#include "gpuopt_emu/block.h"
#include "gpuopt_emu/half.h"
#include "model_gpu.h"
#include "model_touch.h"
#include "textures.h"

namespace gpuopt_emu {

// In model mode each texel that is read is an access through L1, as of read-only data. Which line of the source asked
// is not known here; `fetching` is the code.
static Spot texture_place = {"(texture)", nullptr, nullptr, 0, (unsigned)Operator::nc << OPERATOR_SHIFT, 0, 0};
static const void *fetching;

static void see_texel(const Texture &texture, const char *element) {
  if (modelling) touch(element, (unsigned)texture.element, Access::read, &texture_place, fetching);
}

static inline __attribute__((always_inline)) void begin_fetch() {
  if (modelling) fetching = __builtin_return_address(0);
}

static const Texture &bound(unsigned long long object) {
  if (!object) fail(cudaErrorInvalidTexture, "read of a texture that is not bound");
  return *reinterpret_cast<const Texture *>(object);
}

static float from_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static void decode(const Texture &texture, const char *element, Texel *out) {
  *out = Texel{};
  const int bits = texture.format.x;
  if (bits == 32) {
    memcpy(out, element, texture.element);
    return;
  }
  const cudaChannelFormatKind kind = texture.format.f;
  for (unsigned c = 0; c < texture.channels; ++c) {
    const char *at = element + c * (unsigned)bits / 8;
    int value;
    if (bits == 16) {
      unsigned short half;
      memcpy(&half, at, 2);
      if (kind == cudaChannelFormatKindFloat) {
        out->f[c] = half_value(half);
        continue;
      }
      value = kind == cudaChannelFormatKindSigned ? (short)half : half;
    } else {
      value = kind == cudaChannelFormatKindSigned ? (signed char)*at : (unsigned char)*at;
    }
    out->i[c] = value;
    if (texture.as_float && kind != cudaChannelFormatKindFloat) {
      const float scaled = (float)value / texture.largest;
      out->f[c] = texture.desc.sRGB && c < 3 && bits == 8 ? from_srgb(scaled) : scaled;
    }
  }
}

// An index made one inside [0, size), or -1 where the border colour is meant.
static long inside(long index, long size, cudaTextureAddressMode mode) {
  if (index >= 0 && index < size) return index;
  switch (mode) {
    case cudaAddressModeWrap: return (index % size + size) % size;
    case cudaAddressModeMirror: {
      const long turn = (index % (2 * size) + 2 * size) % (2 * size);
      return turn < size ? turn : 2 * size - 1 - turn;
    }
    case cudaAddressModeBorder: return -1;
    default: return index < 0 ? 0 : size - 1;
  }
}

// One coordinate: the elements on both sides, and how near the second is. Without filter both are the one it is in.
struct Coordinate {
  long low, high;
  float weight;
};

static long floor_of(float x) { return (long)floorf(std::min(std::max(x, -1e9f), 1e9f)); }

static Coordinate place(const Texture &texture, float x, size_t size, int axis, bool filter) {
  cudaTextureAddressMode mode = texture.desc.addressMode[axis];
  if (texture.desc.normalizedCoords) {
    if (mode == cudaAddressModeWrap) x -= floorf(x);
    x *= (float)size;
  } else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
    mode = cudaAddressModeClamp;
  }
  const long n = (long)size;
  if (!filter) {
    const long at = inside(floor_of(x), n, mode);
    return Coordinate{at, at, 0};
  }
  // Weights have eight bits.
  const float shifted = floorf((x - 0.5f) * 256 + 0.5f);
  const long fixed = floor_of(shifted), low = fixed >> 8;
  return Coordinate{inside(low, n, mode), inside(low + 1, n, mode), (float)(fixed & 255) / 256.0f};
}

static void element_at(const Texture &texture, const Image &image, long x, long y, long z, Texel *out) {
  if (x < 0 || y < 0 || z < 0) {
    *out = texture.border;
    return;
  }
  const char *element = image.data + (size_t)z * image.slice + (size_t)y * image.pitch + (size_t)x * texture.element;
  see_texel(texture, element);
  decode(texture, element, out);
}

// The least of the signed normalized numbers is -1, as the next one is.
static void keep_in_range(const Texture &texture, Texel *texel) {
  if (texture.as_float && texture.format.f == cudaChannelFormatKindSigned)
    for (float &value : texel->f) value = std::max(value, -1.0f);
}

// Normalized integers are filtered as integers of 16 bits, and only then become floats.
static void scale_to_16_bits(const Texture &texture, Texel *texel) {
  const float top = texture.format.f == cudaChannelFormatKindSigned ? 32767.0f : 65535.0f;
  for (float &value : texel->f) value = rintf(value * top);
}

static void sample_level(const Texture &texture, const Image &image, unsigned dimensions, const float *at, long layer,
                         Texel *out) {
  const bool filter = texture.desc.filterMode == cudaFilterModeLinear && texture.as_float;
  // A line is a plane of one row to the hardware, with borders above and below.
  if (dimensions == 1 && filter && texture.desc.addressMode[1] == cudaAddressModeBorder) dimensions = 2;
  const Coordinate x = place(texture, at[0], image.width, 0, filter);
  const Coordinate y = dimensions > 1 ? place(texture, at[1], image.height, 1, filter) : Coordinate{0, 0, 0};
  const Coordinate z = dimensions > 2 ? place(texture, at[2], image.depth, 2, filter) : Coordinate{layer, layer, 0};
  if (!filter) {
    element_at(texture, image, x.low, y.low, z.low, out);
    keep_in_range(texture, out);
    return;
  }
  const bool integers = texture.format.f != cudaChannelFormatKindFloat && !texture.desc.sRGB;
  const float top = texture.format.f == cudaChannelFormatKindSigned ? 32767.0f : 65535.0f;
  const float both = floorf(x.weight * y.weight * 256 + 0.5f) / 256;  // weights in a plane have eight bits too
  Texel sum = {};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    const bool right = corner & 1, lower = corner & 2, behind = corner & 4;
    float weight = lower ? (right ? both : y.weight - both) : (right ? x.weight - both : 1 - x.weight - y.weight + both);
    if (dimensions > 2) weight *= behind ? z.weight : 1 - z.weight;
    if (weight == 0) continue;
    const long i = right ? x.high : x.low, j = lower ? y.high : y.low, k = behind ? z.high : z.low;
    Texel one;
    element_at(texture, image, i, j, k, &one);
    if (integers) scale_to_16_bits(texture, &one);
    for (unsigned c = 0; c < 4; ++c) sum.f[c] += weight * one.f[c];
  }
  if (integers)
    for (float &value : sum.f) value = std::max(rintf(value), -top) / top;
  *out = sum;
}

// The face of a cube that a direction meets, and where: coordinates in [0, 1].
static unsigned face_of(const float *at, float *where) {
  const float x = at[0], y = at[1], z = at[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  float m, s, t;
  unsigned face;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1;
    m = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3;
    m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5;
    m = az, s = z >= 0 ? x : -x, t = -y;
  }
  where[0] = (s / m + 1) / 2;
  where[1] = (t / m + 1) / 2;
  return face;
}

// Layers beyond the last, and negative ones, are the last.
static long layer_in(int layer, long layers) { return std::min((long)(unsigned)layer, layers - 1); }

void sample(unsigned long long object, unsigned dimensions, const float *at, int layer, float level, Texel *out) {
  begin_fetch();
  const Texture &texture = bound(object);
  if (texture.plain) {
    sample_level(texture, texture.levels[0], dimensions, at, 0, out);
    return;
  }
  const long layers = (long)texture.levels[0].depth;
  float where[3] = {at[0], dimensions > 1 ? at[1] : 0, dimensions > 2 ? at[2] : 0};
  long slice = texture.layered ? layer_in(layer, layers) : 0;
  if (texture.cubemap) {
    const unsigned face = face_of(at, where);
    slice = (texture.layered ? layer_in(layer, layers / 6) * 6 : 0) + (long)face;
    dimensions = 2;
  }
  const long count = (long)texture.levels.size();
  if (count == 1) {
    sample_level(texture, texture.levels[0], dimensions, where, slice, out);
    return;
  }
  level = std::min(std::max(level + texture.desc.mipmapLevelBias, texture.desc.minMipmapLevelClamp),
                   texture.desc.maxMipmapLevelClamp);
  level = std::min(std::max(level, 0.0f), (float)(count - 1));
  if (texture.desc.mipmapFilterMode == cudaFilterModePoint) {
    sample_level(texture, texture.levels[(size_t)(level + 0.5f)], dimensions, where, slice, out);
    return;
  }
  const long low = (long)level;
  const float weight = floorf((level - (float)low) * 256 + 0.5f) / 256;
  Texel near, far;
  sample_level(texture, texture.levels[(size_t)low], dimensions, where, slice, &near);
  sample_level(texture, texture.levels[(size_t)std::min(low + 1, count - 1)], dimensions, where, slice, &far);
  for (unsigned c = 0; c < 4; ++c) out->f[c] = near.f[c] * (1 - weight) + far.f[c] * weight;
}

float level_of(unsigned long long object, unsigned dimensions, const float *dx, const float *dy) {
  const Image &image = bound(object).levels[0];
  const float size[3] = {(float)image.width, (float)image.height, (float)image.depth};
  float x = 0, y = 0;
  for (unsigned i = 0; i < dimensions; ++i) {
    x += dx[i] * size[i] * dx[i] * size[i];
    y += dy[i] * size[i] * dy[i] * size[i];
  }
  return 0.5f * log2f(std::max(x, y));
}

void fetch(unsigned long long object, long index, Texel *out) {
  begin_fetch();
  const Texture &texture = bound(object);
  const Image &image = texture.levels[0];
  if (index < 0 || index >= (long)image.width) {
    *out = Texel{};
    return;
  }
  element_at(texture, image, index, 0, 0, out);
  keep_in_range(texture, out);
}

void gather(unsigned long long object, const float *at, int component, Texel *out) {
  begin_fetch();
  const Texture &texture = bound(object);
  const Image &image = texture.levels[0];
  const Coordinate x = place(texture, at[0], image.width, 0, true), y = place(texture, at[1], image.height, 1, true);
  const long columns[4] = {x.low, x.high, x.high, x.low}, rows[4] = {y.high, y.high, y.low, y.low};
  for (unsigned i = 0; i < 4; ++i) {
    Texel one;
    element_at(texture, image, columns[i], rows[i], 0, &one);
    out->i[i] = one.i[component];
  }
}

char *surface_at(unsigned long long object, long x, long y, long z, size_t bytes, cudaSurfaceBoundaryMode mode) {
  if (!object) fail(cudaErrorInvalidSurface, "access to a surface that is not bound");
  const Texture &surface = *reinterpret_cast<const Texture *>(object);
  const Image &image = surface.levels[0];
  const long width = (long)(image.width * surface.element), height = (long)image.height, depth = (long)image.depth;
  const bool in = x >= 0 && x + (long)bytes <= width && y >= 0 && y < height && z >= 0 && z < depth;
  if (!in && mode == cudaBoundaryModeZero) return nullptr;
  if (!in && mode == cudaBoundaryModeTrap)
    fail(cudaErrorLaunchFailure, "surface access at byte %ld of row %ld of slice %ld is outside %ld x %ld x %ld", x, y, z,
         width, height, depth);
  const auto clamp = [](long at, long last) { return std::min(std::max(at, 0l), last); };
  x = clamp(x, width - (long)bytes);
  y = clamp(y, height - 1);
  z = clamp(z, depth - 1);
  return const_cast<char *>(image.data) + (size_t)z * image.slice + (size_t)y * image.pitch + (size_t)x;
}

}  // namespace gpuopt_emu
