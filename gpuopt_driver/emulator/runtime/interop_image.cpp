// OpenGL's textures for kernels: arrays with copies of their images, one per layer or face, with all levels.
#include <algorithm>
#include <vector>

#include "interop.h"
#include "interop_gl.h"

namespace gpuopt_emu {

enum : unsigned {
  GL_SAYS_2D = 0x0DE1,
  GL_SAYS_2D_BINDING = 0x8069,
  GL_SAYS_3D = 0x806F,
  GL_SAYS_3D_BINDING = 0x806A,
  GL_SAYS_RECTANGLE = 0x84F5,
  GL_SAYS_RECTANGLE_BINDING = 0x84F6,
  GL_SAYS_CUBE = 0x8513,
  GL_SAYS_CUBE_BINDING = 0x8514,
  GL_SAYS_CUBE_POSITIVE_X = 0x8515,
  GL_SAYS_2D_ARRAY = 0x8C1A,
  GL_SAYS_2D_ARRAY_BINDING = 0x8C1D,
  GL_SAYS_WIDTH = 0x1000,
  GL_SAYS_HEIGHT = 0x1001,
  GL_SAYS_DEPTH = 0x8071
};

struct ImageTarget {
  unsigned target, binding;
  unsigned images;  // arrays that an index chooses from; 0: one for each layer
};
static const ImageTarget image_targets[] = {{GL_SAYS_2D, GL_SAYS_2D_BINDING, 1},
                                 {GL_SAYS_RECTANGLE, GL_SAYS_RECTANGLE_BINDING, 1},
                                 {GL_SAYS_3D, GL_SAYS_3D_BINDING, 1},
                                 {GL_SAYS_CUBE, GL_SAYS_CUBE_BINDING, 6},
                                 {GL_SAYS_2D_ARRAY, GL_SAYS_2D_ARRAY_BINDING, 0}};

// A texel as OpenGL and as CUDA say it.
struct PixelFormat {
  unsigned format, type;
  cudaChannelFormatDesc desc;
};

static int level_parameter(const Gl &gl, unsigned face, int level, unsigned name) {
  int value = 0;
  gl.GetTexLevelParameteriv(face, level, name, &value);
  return value;
}

// False where CUDA has no such channels: three of them, or of different sizes.
static bool format_of_pixel(const Gl &gl, unsigned face, PixelFormat *pixel) {
  const auto asked = [&](unsigned name) { return level_parameter(gl, face, 0, name); };
  const int red = asked(0x805C), green = asked(0x805D), blue = asked(0x805E), alpha = asked(0x805F);
  const int luminance = asked(0x8060), intensity = asked(0x8061);
  int kind = 0;  // one of *_TYPE
  int bits[4] = {red, green, blue, alpha};
  unsigned plain = 0x1908, whole = 0x8D99;  // RGBA
  if (red) {
    kind = asked(0x8C10);
    if (!green && !blue && !alpha) plain = 0x1903, whole = 0x8D94;
    if (green && !blue && !alpha) plain = 0x8227, whole = 0x8228;
  } else if (luminance) {
    kind = asked(0x8C14);
    bits[0] = luminance, bits[1] = alpha, bits[3] = 0;
    plain = alpha ? 0x190A : 0x1909, whole = alpha ? 0x8D9D : 0x8D9C;
  } else if (intensity) {
    kind = asked(0x8C15), bits[0] = intensity, plain = 0x1903, whole = 0x8D94;
  } else {
    kind = asked(0x8C13), bits[0] = alpha, bits[3] = 0, plain = 0x1906, whole = 0x8D97;
  }
  const int channels = (int)std::count_if(bits, bits + 4, [](int each) { return each != 0; });
  if (channels == 0 || channels == 3 || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32)) return false;
  for (int i = 0; i < channels; ++i)
    if (bits[i] != bits[0]) return false;
  const int size = bits[0] == 8 ? 0 : bits[0] == 16 ? 1 : 2;
  static const unsigned with_sign[] = {0x1400, 0x1402, 0x1404}, without_sign[] = {0x1401, 0x1403, 0x1405};
  cudaChannelFormatKind said = cudaChannelFormatKindUnsigned;
  pixel->type = without_sign[size];
  if (kind == 0x1406) {  // FLOAT
    said = cudaChannelFormatKindFloat;
    pixel->type = size == 1 ? 0x140B : 0x1406;
  } else if (kind == 0x1404 || kind == 0x8F9C) {  // INT, SIGNED_NORMALIZED
    said = cudaChannelFormatKindSigned;
    pixel->type = with_sign[size];
  }
  pixel->format = kind == 0x1404 || kind == 0x1405 ? whole : plain;
  const auto of = [&](int channel) { return channel < channels ? bits[0] : 0; };
  pixel->desc = cudaChannelFormatDesc{of(0), of(1), of(2), of(3), said};
  return true;
}

// No gaps between rows and no buffer in the place of memory, for a moment.
class Gapless {
 public:
  explicit Gapless(const Gl &gl)
      : gl_(gl),
        packed_(gl.BindBuffer, 0x88EB, gl_integer(gl, 0x88ED), 0),
        unpacked_(gl.BindBuffer, 0x88EC, gl_integer(gl, 0x88EF), 0) {
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
      before_[i] = gl_integer(gl, names[i]);
      gl_.PixelStorei(names[i], names[i] == 0x0D05 || names[i] == 0x0CF5 ? 1 : 0);  // alignments of one byte
    }
  }
  ~Gapless() {
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) gl_.PixelStorei(names[i], before_[i]);
  }

 private:
  // Bytes swapped, row length, rows, pixels skipped, alignment; when packing, then when unpacking; images' height, skipped.
  static constexpr unsigned names[] = {0x0D00, 0x0D02, 0x0D03, 0x0D04, 0x0D05, 0x0CF0, 0x0CF2,
                                       0x0CF3, 0x0CF4, 0x0CF5, 0x806B, 0x806C, 0x806D, 0x806E};
  const Gl &gl_;
  Bound packed_, unpacked_;
  int before_[sizeof names / sizeof *names];
};
constexpr unsigned Gapless::names[];

class ImageResource : public cudaGraphicsResource {
 public:
  ImageResource(unsigned texture, const ImageTarget &target, unsigned given)
      : cudaGraphicsResource(given & cudaGraphicsRegisterFlagsSurfaceLoadStore ? 0 : given & 3),
        texture_(texture), target_(target) {
    if (given & cudaGraphicsRegisterFlagsSurfaceLoadStore) array_flags_ |= cudaArraySurfaceLoadStore;
    if (given & cudaGraphicsRegisterFlagsTextureGather) array_flags_ |= cudaArrayTextureGather;
  }
  ~ImageResource() override {
    for (const cudaMipmappedArray_t each : images_) cudaFreeMipmappedArray(each);
  }

  // Looks at the texture, and makes arrays for it.
  cudaError_t hold() {
    const Gl *const gl = current_gl();
    if (!gl) return cudaErrorInvalidGraphicsContext;
    if (!gl->IsTexture(texture_)) return cudaErrorInvalidResourceHandle;
    const Bound bound(gl->BindTexture, target_.target, gl_integer(*gl, target_.binding), texture_);
    const int width = level_parameter(*gl, face(0), 0, GL_SAYS_WIDTH);
    const int height = level_parameter(*gl, face(0), 0, GL_SAYS_HEIGHT);
    const int depth = std::max(1, level_parameter(*gl, face(0), 0, GL_SAYS_DEPTH));
    if (width <= 0 || height <= 0 || !format_of_pixel(*gl, face(0), &pixel_)) return cudaErrorInvalidValue;
    layers_ = target_.target == GL_SAYS_2D_ARRAY ? depth : 1;
    extent_ = cudaExtent{(size_t)width, (size_t)height, target_.target == GL_SAYS_3D ? (size_t)depth : 0};
    const int largest = std::max({width, height, target_.target == GL_SAYS_3D ? depth : 1});
    levels_ = 1;
    while (largest >> levels_ && level_parameter(*gl, face(0), (int)levels_, GL_SAYS_WIDTH) > 0) ++levels_;
    if (gl_error(*gl) != cudaSuccess && levels_ > 1) levels_ = 1;  // a rectangle has no second level to ask for
    for (unsigned i = 0; i < (target_.images ? target_.images : (unsigned)layers_); ++i) {
      cudaMipmappedArray_t made = nullptr;
      const cudaError_t error = cudaMallocMipmappedArray(&made, &pixel_.desc, extent_, levels_, array_flags_);
      if (error != cudaSuccess) return error;
      images_.push_back(made);
    }
    return cudaSuccess;
  }
  cudaError_t fetch() override { return exchange(true); }
  cudaError_t give_back() override {
    return flags & cudaGraphicsMapFlagsReadOnly ? cudaSuccess : exchange(false);
  }
  cudaError_t array(cudaArray_t *at, unsigned index, unsigned level) const override {
    if (index >= images_.size() || level >= levels_) return cudaErrorInvalidValue;
    return cudaGetMipmappedArrayLevel(at, images_[index], level);
  }
  cudaError_t mipmapped(cudaMipmappedArray_t *at) const override {
    if (images_.size() != 1) return cudaErrorNotSupported;  // layers and faces are arrays of their own here
    *at = images_[0];
    return cudaSuccess;
  }

 private:
  unsigned face(unsigned index) const {
    return target_.target == GL_SAYS_CUBE ? GL_SAYS_CUBE_POSITIVE_X + index : target_.target;
  }
  // Copies every image of every level, one way or the other.
  cudaError_t exchange(bool fetched) {
    const Gl *const gl = current_gl();
    if (!gl) return cudaErrorInvalidGraphicsContext;
    if (!gl->IsTexture(texture_)) return cudaErrorInvalidResourceHandle;
    const Bound bound(gl->BindTexture, target_.target, gl_integer(*gl, target_.binding), texture_);
    const Gapless gapless(*gl);
    for (unsigned level = 0; level < levels_; ++level) {
      const cudaError_t error = fetched ? fetch_level(*gl, level) : give_level_back(*gl, level);
      if (error != cudaSuccess) return error;
    }
    return gl_error(*gl) == cudaSuccess ? cudaSuccess : fetched ? cudaErrorMapBufferObjectFailed : cudaErrorUnmapBufferObjectFailed;
  }
  cudaExtent extent_of(unsigned level) const {
    const auto part = [&](size_t size) { return size ? std::max<size_t>(1, size >> level) : 0; };
    return cudaExtent{part(extent_.width), part(extent_.height), part(extent_.depth)};
  }
  size_t image_bytes(const cudaExtent &extent) const {
    const cudaChannelFormatDesc &d = pixel_.desc;
    return (size_t)(d.x + d.y + d.z + d.w) / 8 * extent.width * extent.height * std::max<size_t>(1, extent.depth);
  }
  cudaError_t copy(unsigned index, unsigned level, char *memory, bool to_array) const {
    const cudaExtent extent = extent_of(level);
    cudaArray_t at = nullptr;
    const cudaError_t error = cudaGetMipmappedArrayLevel(&at, images_[index], level);
    if (error != cudaSuccess) return error;
    cudaMemcpy3DParms copy = {};
    const size_t row = image_bytes(cudaExtent{extent.width, 1, 1});
    (to_array ? copy.dstArray : copy.srcArray) = at;
    (to_array ? copy.srcPtr : copy.dstPtr) = cudaPitchedPtr{memory, row, extent.width, extent.height};
    copy.extent = cudaExtent{extent.width, extent.height, std::max<size_t>(1, extent.depth)};
    copy.kind = to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    return cudaMemcpy3D(&copy);
  }
  cudaError_t fetch_level(const Gl &gl, unsigned level) {
    const size_t bytes = image_bytes(extent_of(level));
    std::vector<char> data(bytes * (size_t)layers_);
    for (unsigned i = 0; i < images_.size(); ++i) {
      if (i == 0 || layers_ == 1) gl.GetTexImage(face(i), (int)level, pixel_.format, pixel_.type, data.data());
      const cudaError_t error = copy(i, level, data.data() + (layers_ > 1 ? i * bytes : 0), true);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
  cudaError_t give_level_back(const Gl &gl, unsigned level) {
    const cudaExtent e = extent_of(level);
    const int width = (int)e.width, height = (int)e.height;
    std::vector<char> data(image_bytes(e));
    for (unsigned i = 0; i < images_.size(); ++i) {
      const cudaError_t error = copy(i, level, data.data(), false);
      if (error != cudaSuccess) return error;
      const int at = (int)level;
      if (target_.target == GL_SAYS_3D)
        gl.TexSubImage3D(face(0), at, 0, 0, 0, width, height, (int)e.depth, pixel_.format, pixel_.type, data.data());
      else if (target_.target == GL_SAYS_2D_ARRAY)
        gl.TexSubImage3D(face(0), at, 0, 0, (int)i, width, height, 1, pixel_.format, pixel_.type, data.data());
      else
        gl.TexSubImage2D(face(i), at, 0, 0, width, height, pixel_.format, pixel_.type, data.data());
    }
    return cudaSuccess;
  }

  unsigned texture_;
  const ImageTarget &target_;
  unsigned array_flags_ = 0, levels_ = 0;
  int layers_ = 1;
  cudaExtent extent_ = {};
  PixelFormat pixel_ = {};
  std::vector<cudaMipmappedArray_t> images_;
};

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource **resource, GLuint image, GLenum target,
                                                   unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!resource || flags > 15 || (flags & 3) == 3) return record(cudaErrorInvalidValue);
  const ImageTarget *found = nullptr;
  for (const ImageTarget &each : image_targets)
    if (each.target == target) found = &each;
  if (!found) return record(target == 0x8D41 ? cudaErrorNotSupported : cudaErrorInvalidValue);  // RENDERBUFFER
  ImageResource *const made = new ImageResource(image, *found, flags);
  const cudaError_t error = made->hold();
  if (error == cudaSuccess) return add_resource(made, resource);
  delete made;
  return record(error);
}
