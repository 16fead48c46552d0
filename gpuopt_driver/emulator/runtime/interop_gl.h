// The program's OpenGL: its functions, found when they are first needed, so that only programs that draw need it.
#ifndef GPUOPT_EMU_INTEROP_GL_H
#define GPUOPT_EMU_INTEROP_GL_H

#include <stddef.h>

#include "state.h"

namespace gpuopt_emu {

struct Gl {
  unsigned (*GetError)();
  void (*GetIntegerv)(unsigned name, int *value);
  void (*PixelStorei)(unsigned name, int value);
  unsigned char (*IsBuffer)(unsigned buffer);
  void (*BindBuffer)(unsigned target, unsigned buffer);
  void (*GetBufferParameteriv)(unsigned target, unsigned name, int *value);
  void (*GetBufferSubData)(unsigned target, ptrdiff_t offset, ptrdiff_t bytes, void *data);
  void (*BufferSubData)(unsigned target, ptrdiff_t offset, ptrdiff_t bytes, const void *data);
  unsigned char (*IsTexture)(unsigned texture);
  void (*BindTexture)(unsigned target, unsigned texture);
  void (*GetTexLevelParameteriv)(unsigned target, int level, unsigned name, int *value);
  void (*GetTexImage)(unsigned target, int level, unsigned format, unsigned type, void *pixels);
  void (*TexSubImage2D)(unsigned target, int level, int x, int y, int width, int height, unsigned format,
                        unsigned type, const void *pixels);
  void (*TexSubImage3D)(unsigned target, int level, int x, int y, int z, int width, int height, int depth,
                        unsigned format, unsigned type, const void *pixels);
};

// The functions, or null where the program has no OpenGL, or no context of it is current.
const Gl *current_gl();

inline int gl_integer(const Gl &gl, unsigned name) {
  int value = 0;
  gl.GetIntegerv(name, &value);
  return value;
}
// What OpenGL said since it was last asked, as one error.
cudaError_t gl_error(const Gl &gl);
// For a moment other settings of OpenGL than the program's: a binding, and a place in memory without gaps.
class Bound {
 public:
  Bound(void (*bind)(unsigned target, unsigned name), unsigned target, int before, unsigned name)
      : bind_(bind), target_(target), before_((unsigned)before) {
    bind_(target_, name);
  }
  ~Bound() { bind_(target_, before_); }
  Bound(const Bound &) = delete;
  Bound &operator=(const Bound &) = delete;

 private:
  void (*bind_)(unsigned target, unsigned name);
  unsigned target_, before_;
};

}  // namespace gpuopt_emu

#endif
