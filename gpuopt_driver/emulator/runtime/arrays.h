// CUDA arrays: rows one after another, without CUDA's reordering, which no program can see.
#ifndef GPUOPT_EMU_ARRAYS_H
#define GPUOPT_EMU_ARRAYS_H

#include <memory>
#include <vector>

#include "living.h"
#include "state.h"

struct cudaArray : gpuopt_emu::Living<cudaArray> {
  cudaChannelFormatDesc desc;
  cudaExtent extent;  // as the program gave it: height and depth may be 0
  unsigned flags;
  size_t element;  // bytes
  size_t pitch;    // bytes from row to row
  size_t rows, slices;
  std::unique_ptr<char[]> data;

  ~cudaArray();
};
struct cudaMipmappedArray {
  cudaChannelFormatDesc desc;
  cudaExtent extent;
  unsigned flags;
  std::vector<std::unique_ptr<cudaArray>> levels;
};

namespace gpuopt_emu {

size_t element_bytes(const cudaChannelFormatDesc &desc);  // 0 where there is no such format
// Pointers and arrays, pitches and extents of one copy.
cudaMemcpy3DParms flat_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaMemcpy3DParms rows_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            cudaMemcpyKind kind);
cudaMemsetParams rows_fill(void *pointer, size_t pitch, int value, size_t width, size_t height);
cudaError_t check_copy(const cudaMemcpy3DParms &copy);  // what is wrong with it
// Copies for the API: checked, and given to a stream. `waits`: the call returns when it is done.
cudaError_t give_copy(const cudaMemcpy3DParms &copy, cudaStream_t stream, bool waits);

}  // namespace gpuopt_emu

#endif
