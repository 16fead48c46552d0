// OpenGL's buffers for kernels: device memory with a copy of what is in them.
#include <map>
#include <mutex>
#include <vector>

#include "interop.h"
#include "interop_gl.h"

namespace gpuopt_emu {

enum : unsigned { GL_SAYS_ARRAY_BUFFER = 0x8892, GL_SAYS_ARRAY_BUFFER_BINDING = 0x8894, GL_SAYS_BUFFER_SIZE = 0x8764 };

class BufferResource : public cudaGraphicsResource {
 public:
  BufferResource(unsigned buffer, unsigned given) : cudaGraphicsResource(given), buffer_(buffer) {}
  ~BufferResource() override { give_memory_back(); }

  // Memory of the buffer's size, and where the program made it anew with another size, that size.
  cudaError_t hold() {
    const Gl *const gl = current_gl();
    if (!gl) return cudaErrorInvalidGraphicsContext;
    if (!gl->IsBuffer(buffer_)) return cudaErrorInvalidResourceHandle;
    const Bound bound(gl->BindBuffer, GL_SAYS_ARRAY_BUFFER, gl_integer(*gl, GL_SAYS_ARRAY_BUFFER_BINDING), buffer_);
    int bytes = 0;
    gl->GetBufferParameteriv(GL_SAYS_ARRAY_BUFFER, GL_SAYS_BUFFER_SIZE, &bytes);
    if (bytes <= 0) return cudaErrorInvalidValue;
    if ((size_t)bytes == bytes_) return cudaSuccess;
    give_memory_back();
    const cudaError_t error = cudaMalloc(&memory_, (size_t)bytes);
    bytes_ = error == cudaSuccess ? (size_t)bytes : 0;
    return error;
  }
  cudaError_t fetch() override {
    const cudaError_t held = hold();
    if (held != cudaSuccess) return held;
    const Gl &gl = *current_gl();
    std::vector<char> data(bytes_);
    {
      const Bound bound(gl.BindBuffer, GL_SAYS_ARRAY_BUFFER, gl_integer(gl, GL_SAYS_ARRAY_BUFFER_BINDING), buffer_);
      gl.GetBufferSubData(GL_SAYS_ARRAY_BUFFER, 0, (ptrdiff_t)bytes_, data.data());
    }
    const cudaError_t error = gl_error(gl);
    if (error != cudaSuccess) return cudaErrorMapBufferObjectFailed;
    return cudaMemcpy(memory_, data.data(), bytes_, cudaMemcpyHostToDevice);
  }
  cudaError_t give_back() override {
    if (flags & cudaGraphicsMapFlagsReadOnly) return cudaSuccess;
    const Gl *const gl = current_gl();
    if (!gl) return cudaErrorInvalidGraphicsContext;
    std::vector<char> data(bytes_);
    const cudaError_t error = cudaMemcpy(data.data(), memory_, bytes_, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return error;
    const Bound bound(gl->BindBuffer, GL_SAYS_ARRAY_BUFFER, gl_integer(*gl, GL_SAYS_ARRAY_BUFFER_BINDING), buffer_);
    gl->BufferSubData(GL_SAYS_ARRAY_BUFFER, 0, (ptrdiff_t)bytes_, data.data());
    return gl_error(*gl) == cudaSuccess ? cudaSuccess : cudaErrorUnmapBufferObjectFailed;
  }
  cudaError_t pointer(void **at, size_t *bytes) const override {
    *at = memory_;
    *bytes = bytes_;
    return cudaSuccess;
  }

 private:
  void give_memory_back() {
    if (memory_) cudaFree(memory_);
    memory_ = nullptr;
    bytes_ = 0;
  }

  unsigned buffer_;
  void *memory_ = nullptr;
  size_t bytes_ = 0;
};

// Buffers that were registered by name, as before CUDA 3.0.
static std::mutex named_lock;
static std::map<unsigned, cudaGraphicsResource_t> *buffers_by_name;

static cudaGraphicsResource_t by_name(unsigned buffer) {
  const std::lock_guard<std::mutex> held(named_lock);
  const auto found = buffers_by_name ? buffers_by_name->find(buffer) : std::map<unsigned, cudaGraphicsResource_t>::iterator();
  return buffers_by_name && found != buffers_by_name->end() ? found->second : nullptr;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource **resource, GLuint buffer, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!resource || flags > cudaGraphicsRegisterFlagsWriteDiscard) return record(cudaErrorInvalidValue);
  BufferResource *const made = new BufferResource(buffer, flags);
  const cudaError_t error = made->hold();
  if (error == cudaSuccess) return add_resource(made, resource);
  delete made;
  return record(error);
}

cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int most, cudaGLDeviceList list) {
  GPUOPT_EMU_ENTER();
  if (list < cudaGLDeviceListAll || list > cudaGLDeviceListNextFrame) return record(cudaErrorInvalidValue);
  if (!current_gl()) return record(cudaErrorInvalidGraphicsContext);
  if (count) *count = 1;
  if (devices && most) devices[0] = 0;
  return cudaSuccess;
}
cudaError_t cudaGLSetGLDevice(int device) { return cudaSetDevice(device); }
cudaError_t cudaGLRegisterBufferObject(GLuint buffer) {
  if (by_name(buffer)) return record(cudaErrorInvalidValue);
  cudaGraphicsResource_t resource = nullptr;
  const cudaError_t error = cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone);
  if (error != cudaSuccess) return error;
  const std::lock_guard<std::mutex> held(named_lock);
  if (!buffers_by_name) buffers_by_name = new std::map<unsigned, cudaGraphicsResource_t>;
  (*buffers_by_name)[buffer] = resource;
  return cudaSuccess;
}
cudaError_t cudaGLMapBufferObjectAsync(void **pointer, GLuint buffer, cudaStream_t stream) {
  if (!pointer) return record(cudaErrorInvalidValue);
  cudaGraphicsResource_t resource = by_name(buffer);
  const cudaError_t error = cudaGraphicsMapResources(1, &resource, stream);
  return error == cudaSuccess ? cudaGraphicsResourceGetMappedPointer(pointer, nullptr, resource) : error;
}
cudaError_t cudaGLMapBufferObject(void **pointer, GLuint buffer) {
  return cudaGLMapBufferObjectAsync(pointer, buffer, nullptr);
}
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream) {
  cudaGraphicsResource_t resource = by_name(buffer);
  return cudaGraphicsUnmapResources(1, &resource, stream);
}
cudaError_t cudaGLUnmapBufferObject(GLuint buffer) { return cudaGLUnmapBufferObjectAsync(buffer, nullptr); }
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer) {
  const cudaGraphicsResource_t resource = by_name(buffer);
  const cudaError_t error = cudaGraphicsUnregisterResource(resource);
  if (error != cudaSuccess) return error;
  const std::lock_guard<std::mutex> held(named_lock);
  buffers_by_name->erase(buffer);
  return cudaSuccess;
}
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned int flags) {
  return cudaGraphicsResourceSetMapFlags(by_name(buffer), flags);
}
}
