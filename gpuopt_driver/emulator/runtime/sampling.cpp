// Reading textures: addressing, filtering and conversion as the CUDA programming guide defines them.
#include <math.h>
#include <string.h>

#include <algorithm>

#include "cube.h"
#include "gpuopt_emu/block.h"
#include "gpuopt_emu/half.h"
#include "model_gpu.h"
#include "model_touch.h"
#include "srgb_table.h"
#include "textures.h"
#include "weighted_sum.h"

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
      const bool curved = texture.desc.sRGB && c < 3 && bits == 8 && kind == cudaChannelFormatKindUnsigned;
      out->f[c] = curved ? (float)SRGB[value] / 65536 : (float)value / texture.largest;
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

static long floor_of(double x) { return (long)floor(std::min(1e15, std::max(-1e15, x))); }

// A normalized coordinate is cut off to 21 bits behind the point before it is multiplied; large textures have more. (Fitted
// to what an H200 reads of 28 sizes from 7 to 131072: every one of 2048 coordinates, all address modes, both filters.)
static double in_elements(float x, size_t size, bool wraps) {
  const double all = (double)x - (wraps ? floor((double)x) : 0);
  const double unit = size <= 1 << 13 ? 1 << 21 : size <= 1 << 16 ? 1 << 22 : 1 << 23;
  return floor(all * unit) / unit * (double)size;
}

static Coordinate place(const Texture &texture, float given, size_t size, int axis, bool filter) {
  cudaTextureAddressMode mode = texture.desc.addressMode[axis];
  double x = given;
  if (texture.desc.normalizedCoords)
    x = in_elements(given, size, mode == cudaAddressModeWrap);
  else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)
    mode = cudaAddressModeClamp;
  const long n = (long)size;
  if (!filter) {
    const long at = inside(floor_of(x), n, mode);
    return Coordinate{at, at, 0};
  }
  // Weights have eight bits.
  const long fixed = floor_of((x - 0.5) * 256 + 0.5), low = fixed >> 8;
  const long first = inside(low, n, mode), second = inside(low + 1, n, mode);
  return Coordinate{first, second, first == second ? 0 : (float)(fixed & 255) / 256.0f};
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
  const bool is_signed = texture.format.f == cudaChannelFormatKindSigned;
  for (float &value : texel->f) value = is_signed && texture.format.x == 8 ? value * 32767 : rintf(value * (is_signed ? 32767.0f : 65535.0f));
}

// What is read without a filter: one element.
static void read_element(const Texture &texture, const Image &image, unsigned dimensions, const float *at, long layer, Texel *out) {
  const Coordinate x = place(texture, at[0], image.width, 0, false);
  const Coordinate y = dimensions > 1 ? place(texture, at[1], image.height, 1, false) : Coordinate{0, 0, 0};
  const Coordinate z = dimensions > 2 ? place(texture, at[2], image.depth, 2, false) : Coordinate{layer, layer, 0};
  element_at(texture, image, x.low, y.low, z.low, out);
  keep_in_range(texture, out);
}

// Weights have eight bits: of `share` 256ths, the part of the second of two neighbours. Halves go to the second one, or to
// the first where `down` says so.
static int second_part(int share, float weight, bool down = false) {
  const float part = (float)share * weight;
  return (int)(down ? ceilf(part - 0.5f) : floorf(part + 0.5f));
}

// Sums up to eight neighbours of each level with their weights, `share` 256ths in all.
class Filter {
 public:
  explicit Filter(const Texture &texture) : texture_(texture) {
    integers_ = texture.format.f != cudaChannelFormatKindFloat && !texture.desc.sRGB;
  }
  void look_at(const Image &image) { image_ = &image; }
  void add_nearest(unsigned dimensions, const float *at, long layer, int share) {
    const Coordinate x = place(texture_, at[0], image_->width, 0, false);
    const Coordinate y = dimensions > 1 ? place(texture_, at[1], image_->height, 1, false) : Coordinate{0, 0, 0};
    add_element(x.low, y.low, dimensions > 2 ? place(texture_, at[2], image_->depth, 2, false).low : layer, share);
    end_plane();
  }
  void add(unsigned dimensions, const float *at, long layer, int share) {
    const Coordinate x = place(texture_, at[0], image_->width, 0, true);
    const Coordinate y = dimensions > 1 ? place(texture_, at[1], image_->height, 1, true) : Coordinate{0, 0, 0};
    if (dimensions < 3) return add_plane(x, y, layer, share);
    const Coordinate z = place(texture_, at[2], image_->depth, 2, true);
    const int behind = second_part(share, z.weight);
    add_plane(x, y, z.low, share - behind);
    add_plane(x, y, z.high, behind);
  }
  // A face of a cube, with what is behind its edges where the texture says so.
  void add_face(unsigned face, const float *at, long first, int share) {
    const long size = (long)image_->width;
    const float x = floorf((at[0] * (float)size - 0.5f) * 256 + 0.5f), y = floorf((at[1] * (float)size - 0.5f) * 256 + 0.5f);
    const long left = (long)floorf(x / 256), top = (long)floorf(y / 256);
    int weights[4];
    split(x / 256 - (float)left, y / 256 - (float)top, share, weights);
    unsigned faces[4];
    long columns[4], rows[4];
    int missing = -1;
    for (int i = 0; i < 4; ++i) {
      faces[i] = face, columns[i] = left + i % 2, rows[i] = top + i / 2;
      if (!cross_edge(size, &faces[i], &columns[i], &rows[i])) missing = i;
    }
    if (missing >= 0) {  // three faces meet here: they share what is missing
      const int third = (2 * weights[missing] + 3) / 6;  // rounded
      weights[missing ^ 1] += third;
      weights[missing ^ 2] += third;
      weights[missing ^ 3] += weights[missing] - 2 * third;
      weights[missing] = 0;
    }
    for (int i = 0; i < 4; ++i) add_element(columns[i], rows[i], first + (long)faces[i], weights[i]);
    end_plane();
  }
  void result(Texel *out) const {
    for (unsigned c = 0; c < 4; ++c) out->f[c] = sums_[c].result();
    const float top = texture_.format.f == cudaChannelFormatKindSigned ? 32767.0f : 65535.0f;
    if (integers_)
      for (float &value : out->f) value = std::max(floorf(value + 0.5f), -top) / top;
    else if (texture_.format.x == 16)
      for (float &value : out->f) value = half_value(half_bits(value));
  }

 private:
  static void split(float x, float y, int share, int *weights) {
    const int right = second_part(share, x), left = share - right;
    weights[3] = second_part(right, y);
    weights[1] = right - weights[3];
    weights[2] = second_part(left, y, true);
    weights[0] = left - weights[2];
  }
  void add_plane(const Coordinate &x, const Coordinate &y, long z, int share) {
    int weights[4];
    split(x.weight, y.weight, share, weights);
    for (int i = 0; i < 4; ++i) add_element(i % 2 ? x.high : x.low, i / 2 ? y.high : y.low, z, weights[i]);
    end_plane();
  }
  void end_plane() {
    for (WeightedSum &sum : sums_) sum.end_plane();
  }
  void add_element(long x, long y, long z, int weight) {
    if (!weight) return;
    Texel one;
    element_at(texture_, *image_, x, y, z, &one);
    if (integers_) scale_to_16_bits(texture_, &one);
    for (unsigned c = 0; c < 4; ++c) sums_[c].add(one.f[c], weight);
  }

  const Texture &texture_;
  const Image *image_ = nullptr;
  bool integers_;
  WeightedSum sums_[4];
};

// Layers beyond the last, and negative ones, are the last.
static long layer_in(int layer, long layers) { return std::min((long)(unsigned)layer, layers - 1); }

// Where a texture is read: of a layered one the slice, of a cubemap the face and the first face of its layer.
struct TexturePlace {
  unsigned dimensions;
  const float *at;
  long slice, first;
  unsigned face;
};

static void add_level(const Texture &texture, Filter &filter, const TexturePlace &site, int share) {
  if (texture.cubemap && texture.desc.seamlessCubemap) return filter.add_face(site.face, site.at, site.first, share);
  // A line is a plane of one row to the hardware, with borders above and below.
  const bool with_borders = site.dimensions == 1 && texture.plain && texture.desc.addressMode[1] == cudaAddressModeBorder;
  filter.add(with_borders ? 2 : site.dimensions, site.at, site.slice, share);
}

static void sample_level(const Texture &texture, const Image &image, const TexturePlace &site, Texel *out) {
  if (texture.desc.filterMode != cudaFilterModeLinear || !texture.as_float)
    return read_element(texture, image, site.dimensions, site.at, site.slice, out);
  Filter filter(texture);
  filter.look_at(image);
  add_level(texture, filter, site, 256);
  filter.result(out);
}

// Between two levels: the weight of the farther one has eight bits, cut off.
static void sample_between(const Texture &texture, float level, const TexturePlace &site, Texel *out) {
  const size_t low = (size_t)level, high = std::min(low + 1, texture.levels.size() - 1);
  const int far = (int)((level - (float)low) * 256);
  const size_t levels[2] = {low, high};
  const int shares[2] = {256 - far, far};
  Filter filter(texture);
  for (int i = 0; i < 2; ++i) {
    if (!shares[i]) continue;
    filter.look_at(texture.levels[levels[i]]);
    if (texture.desc.filterMode == cudaFilterModeLinear) add_level(texture, filter, site, shares[i]);
    else filter.add_nearest(site.dimensions, site.at, site.slice, shares[i]);
  }
  filter.result(out);
}

void sample(unsigned long long object, unsigned dimensions, const float *at, int layer, float level, Texel *out) {
  begin_fetch();
  const Texture &texture = bound(object);
  TexturePlace site = {dimensions, at, 0, 0, 0};
  if (texture.plain) {
    sample_level(texture, texture.levels[0], site, out);
    return;
  }
  const long layers = (long)texture.levels[0].depth;
  float where[3] = {at[0], dimensions > 1 ? at[1] : 0, dimensions > 2 ? at[2] : 0};
  site.at = where;
  site.slice = texture.layered ? layer_in(layer, layers) : 0;
  if (texture.cubemap) {
    site.face = face_of(at, where);
    site.first = texture.layered ? layer_in(layer, layers / 6) * 6 : 0;
    site.slice = site.first + (long)site.face;
    site.dimensions = 2;
  }
  const long count = (long)texture.levels.size();
  if (count == 1) {
    sample_level(texture, texture.levels[0], site, out);
    return;
  }
  level = std::min(std::max(level + texture.desc.mipmapLevelBias, texture.desc.minMipmapLevelClamp),
                   texture.desc.maxMipmapLevelClamp);
  level = std::min(std::max(level, 0.0f), (float)(count - 1));
  if (texture.desc.mipmapFilterMode == cudaFilterModePoint || !texture.as_float) {
    sample_level(texture, texture.levels[(size_t)(level + 0.5f)], site, out);
    return;
  }
  sample_between(texture, level, site, out);
}

// The hardware's estimate of a vector's length: the largest component, 11/32 of the next, a quarter of the least.
static float length_of(const float *v) {
  float sizes[3] = {fabsf(v[0]), fabsf(v[1]), fabsf(v[2])};
  std::sort(sizes, sizes + 3);
  return sizes[2] + sizes[1] * (11.0f / 32) + sizes[0] / 4;
}

// The longer of both gradients, or 11/16 of their sum or difference, where that is longer.
float level_of(unsigned long long object, unsigned dimensions, const float *dx, const float *dy) {
  const Image &image = bound(object).levels[0];
  const float size[3] = {(float)image.width, (float)image.height, (float)image.depth};
  float x[3] = {}, y[3] = {}, sum[3], difference[3];
  for (unsigned i = 0; i < 3; ++i) {
    if (i < dimensions) x[i] = dx[i] * size[i], y[i] = dy[i] * size[i];
    sum[i] = x[i] + y[i], difference[i] = x[i] - y[i];
  }
  const float both = std::max(length_of(sum), length_of(difference)) * (11.0f / 16);
  return rintf(log2f(std::max(both, std::max(length_of(x), length_of(y)))) * 256) / 256;  // to the weights of levels
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
  if (x % (long)bytes)
    fail(cudaErrorMisalignedAddress, "surface access of %zu bytes at byte %ld of a row", bytes, x);
  const bool in = x >= 0 && x + (long)bytes <= width && y >= 0 && y < height && z >= 0 && z < depth;
  if (!in && mode == cudaBoundaryModeZero) return nullptr;
  if (!in && mode == cudaBoundaryModeTrap)
    fail(cudaErrorIllegalAddress, "surface access at byte %ld of row %ld of slice %ld is outside %ld x %ld x %ld", x, y, z,
         width, height, depth);
  const auto clamp = [](long at, long last) { return std::min(std::max(at, 0l), last); };
  x = clamp(x, width - (long)bytes);
  y = clamp(y, height - 1);
  z = surface.layered || surface.cubemap ? layer_in((int)z, depth) : clamp(z, depth - 1);
  return const_cast<char *>(image.data) + (size_t)z * image.slice + (size_t)y * image.pitch + (size_t)x;
}

}  // namespace gpuopt_emu
