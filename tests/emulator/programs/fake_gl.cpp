// As much of an OpenGL as buffers and textures for kernels need, for machines that have none: contents in memory.
#include <stddef.h>
#include <string.h>

#include <map>
#include <vector>

namespace {

struct Image {
  int width, height;
  std::vector<unsigned char> texels;
};
struct Texture {
  unsigned target;
  bool floats;  // of one channel; else four bytes
  std::vector<std::vector<Image>> levels;  // by face or layer
};
bool current = true;
unsigned pending;  // error
std::map<unsigned, std::vector<char>> buffers;
std::map<unsigned, Texture> textures;
std::map<unsigned, unsigned> bound;    // by target
std::map<unsigned, int> stored;        // pixel storage
const unsigned BINDINGS[][2] = {{0x8894, 0x8892}, {0x88ED, 0x88EB}, {0x88EF, 0x88EC}, {0x8069, 0x0DE1},
                                {0x8514, 0x8513}, {0x8C1D, 0x8C1A}, {0x806A, 0x806F}, {0x84F6, 0x84F5}};

bool is_face(unsigned target) { return target >= 0x8515 && target < 0x851B; }
Texture &texture_at(unsigned target) { return textures[bound[is_face(target) ? 0x8513 : target]]; }
std::vector<Image> *levels_at(unsigned target) {
  Texture &texture = texture_at(target);
  const unsigned index = is_face(target) ? target - 0x8515 : 0;
  return index < texture.levels.size() ? &texture.levels[index] : nullptr;
}
// Memory as the pixel storage has it: alignment alone is looked at, and a buffer must not be in its place.
size_t pitch(const Texture &texture, int width, unsigned alignment, unsigned buffer) {
  if (bound[buffer]) pending = 0x0502;
  const size_t bytes = (size_t)width * 4, to = (size_t)(stored.count(alignment) ? stored[alignment] : 4);
  (void)texture;
  return (bytes + to - 1) / to * to;
}
void put(Image &image, const Texture &texture, int width, int height, const void *pixels) {
  const size_t row = pitch(texture, width, 0x0CF5, 0x88EC);
  if (width != image.width || height != image.height) pending = 0x0501;
  for (int y = 0; y < height && !pending; ++y)
    memcpy(&image.texels[(size_t)(y * width) * 4], static_cast<const char *>(pixels) + y * row, (size_t)width * 4);
}
void check_format(const Texture &texture, unsigned format, unsigned type) {
  if (texture.floats ? format != 0x1903 || type != 0x1406 : format != 0x1908 || type != 0x1401) pending = 0x0500;
}

}  // namespace

extern "C" {

// What the test asks for.
void fake_current(int is) { current = is != 0; }
unsigned fake_buffer(unsigned name, const char *data, size_t bytes) {
  buffers[name].assign(data, data + bytes);
  return name;
}
const char *fake_contents(unsigned name) { return buffers[name].data(); }
unsigned fake_texture(unsigned name, unsigned target, int width, int height, int faces, int levels, int floats) {
  Texture texture{target, floats != 0, {}};
  for (int i = 0; i < faces; ++i) {
    texture.levels.emplace_back();
    for (int level = 0; level < levels; ++level) {
      const int w = width >> level ? width >> level : 1, h = height >> level ? height >> level : 1;
      texture.levels.back().push_back(Image{w, h, std::vector<unsigned char>((size_t)(w * h) * 4, (unsigned char)i)});
    }
  }
  textures[name] = texture;
  return name;
}
unsigned char *fake_texels(unsigned name, int face, int level) { return textures[name].levels[face][level].texels.data(); }
void fake_bind(unsigned target, unsigned name) { bound[target] = name; }
unsigned fake_bound(unsigned target) { return bound[target]; }

unsigned glGetError() {
  const unsigned said = pending;
  pending = 0;
  return said;
}
void glGetIntegerv(unsigned name, int *value) {
  if (!current) return;
  if (name == 0x0D33) *value = 4096;
  for (const auto &each : BINDINGS)
    if (each[0] == name) *value = (int)bound[each[1]];
  if (stored.count(name)) *value = stored[name];
  if ((name == 0x0D05 || name == 0x0CF5) && !stored.count(name)) *value = 4;
}
void glPixelStorei(unsigned name, int value) { stored[name] = value; }
unsigned char glIsBuffer(unsigned buffer) { return buffers.count(buffer) != 0; }
void glBindBuffer(unsigned target, unsigned buffer) { bound[target] = buffer; }
void glGetBufferParameteriv(unsigned target, unsigned, int *value) { *value = (int)buffers[bound[target]].size(); }
void glGetBufferSubData(unsigned target, ptrdiff_t offset, ptrdiff_t bytes, void *data) {
  memcpy(data, buffers[bound[target]].data() + offset, (size_t)bytes);
}
void glBufferSubData(unsigned target, ptrdiff_t offset, ptrdiff_t bytes, const void *data) {
  memcpy(buffers[bound[target]].data() + offset, data, (size_t)bytes);
}
unsigned char glIsTexture(unsigned texture) { return textures.count(texture) != 0; }
void glBindTexture(unsigned target, unsigned texture) { bound[target] = texture; }
void glGetTexLevelParameteriv(unsigned target, int level, unsigned name, int *value) {
  const Texture &texture = texture_at(target);
  const std::vector<Image> *const levels = levels_at(target);
  *value = 0;
  if (!levels || level >= (int)levels->size()) return;
  const bool layered = texture.target == 0x8C1A;
  if (name == 0x1000) *value = (*levels)[(size_t)level].width;
  if (name == 0x1001) *value = (*levels)[(size_t)level].height;
  if (name == 0x8071) *value = layered ? (int)texture.levels.size() : 1;
  if (name == 0x805C) *value = texture.floats ? 32 : 8;
  if (name > 0x805C && name <= 0x805F) *value = texture.floats ? 0 : 8;
  if (name == 0x8C10) *value = texture.floats ? 0x1406 : 0x8C17;
}
void glGetTexImage(unsigned target, int level, unsigned format, unsigned type, void *pixels) {
  Texture &texture = texture_at(target);
  check_format(texture, format, type);
  const size_t layers = texture.target == 0x8C1A ? texture.levels.size() : 1;
  char *at = static_cast<char *>(pixels);
  for (size_t i = 0; i < layers && !pending; ++i) {
    const Image &image = layers > 1 ? texture.levels[i][(size_t)level] : (*levels_at(target))[(size_t)level];
    const size_t row = pitch(texture, image.width, 0x0D05, 0x88EB);
    for (int y = 0; y < image.height; ++y, at += row)
      memcpy(at, &image.texels[(size_t)(y * image.width) * 4], (size_t)image.width * 4);
  }
}
void glTexSubImage2D(unsigned target, int level, int, int, int width, int height, unsigned format, unsigned type,
                     const void *pixels) {
  Texture &texture = texture_at(target);
  check_format(texture, format, type);
  put((*levels_at(target))[(size_t)level], texture, width, height, pixels);
}
void glTexSubImage3D(unsigned target, int level, int, int, int z, int width, int height, int, unsigned format,
                     unsigned type, const void *pixels) {
  Texture &texture = texture_at(target);
  check_format(texture, format, type);
  put(texture.levels[(size_t)z][(size_t)level], texture, width, height, pixels);
}
}
