// Finding the program's OpenGL.
#include "interop_gl.h"

#include <dlfcn.h>

namespace gpuopt_emu {

using Anything = void (*)();
using Finds = Anything (*)(const char *name);

// Libraries that a program, or its window toolkit, may have loaded; nothing is loaded here.
static const char *const gl_libraries[] = {"libGL.so.1", "libOpenGL.so.0", "libGL.so", "libGLX.so.0", "libEGL.so.1"};
static const char *const gl_finders[] = {"glXGetProcAddressARB", "glXGetProcAddress", "eglGetProcAddress"};

static void *loaded(const char *name) {
  if (void *const found = dlsym(RTLD_DEFAULT, name)) return found;
  for (const char *const library : gl_libraries) {
    void *const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) continue;
    void *const found = dlsym(handle, name);
    dlclose(handle);  // who loaded it still holds it
    if (found) return found;
  }
  return nullptr;
}

template <class Function> static bool find(Function *&function, const char *name) {
  void *found = loaded(name);
  for (const char *const finder : gl_finders)
    if (!found)
      if (const Finds finds = reinterpret_cast<Finds>(loaded(finder))) found = reinterpret_cast<void *>(finds(name));
  function = reinterpret_cast<Function *>(found);
  return found != nullptr;
}

static bool find_all(Gl &gl) {
  return find(gl.GetError, "glGetError") && find(gl.GetIntegerv, "glGetIntegerv") &&
         find(gl.PixelStorei, "glPixelStorei") && find(gl.IsBuffer, "glIsBuffer") &&
         find(gl.BindBuffer, "glBindBuffer") && find(gl.GetBufferParameteriv, "glGetBufferParameteriv") &&
         find(gl.GetBufferSubData, "glGetBufferSubData") && find(gl.BufferSubData, "glBufferSubData") &&
         find(gl.IsTexture, "glIsTexture") && find(gl.BindTexture, "glBindTexture") &&
         find(gl.GetTexLevelParameteriv, "glGetTexLevelParameteriv") && find(gl.GetTexImage, "glGetTexImage") &&
         find(gl.TexSubImage2D, "glTexSubImage2D") && find(gl.TexSubImage3D, "glTexSubImage3D");
}

enum : unsigned { GL_SAYS_MAX_TEXTURE_SIZE = 0x0D33, GL_SAYS_OUT_OF_MEMORY = 0x0505 };

const Gl *current_gl() {
  static Gl gl;
  static const bool found = find_all(gl);
  if (!found) return nullptr;
  int size = -1;
  gl.GetIntegerv(GL_SAYS_MAX_TEXTURE_SIZE, &size);  // without a context nothing is said
  if (size <= 0) return nullptr;
  gl_error(gl);  // errors of the program's own
  return &gl;
}

cudaError_t gl_error(const Gl &gl) {
  cudaError_t error = cudaSuccess;
  for (int most = 16; most > 0; --most) {
    const unsigned said = gl.GetError();
    if (!said) break;
    error = said == GL_SAYS_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : cudaErrorUnknown;
  }
  return error;
}

}  // namespace gpuopt_emu
