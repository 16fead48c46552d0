// A graphics API's buffers and textures while kernels use them: copies, fetched when mapped, given back when unmapped.
#ifndef GPUOPT_EMU_INTEROP_H
#define GPUOPT_EMU_INTEROP_H

#include "cuda_gl_interop.h"
#include "state.h"

struct cudaGraphicsResource {
  unsigned flags;  // whether kernels only read or only write
  bool mapped = false;

  explicit cudaGraphicsResource(unsigned given) : flags(given) {}
  virtual ~cudaGraphicsResource() {}
  virtual cudaError_t fetch() = 0;      // from the graphics API
  virtual cudaError_t give_back() = 0;  // to it
  virtual cudaError_t pointer(void **at, size_t *bytes) const;
  virtual cudaError_t array(cudaArray_t *at, unsigned index, unsigned level) const;
  virtual cudaError_t mipmapped(cudaMipmappedArray_t *at) const;
};

namespace gpuopt_emu {

// Takes the resource over, and gives it to the program.
cudaError_t add_resource(cudaGraphicsResource *made, cudaGraphicsResource_t *resource);

}  // namespace gpuopt_emu

#endif
