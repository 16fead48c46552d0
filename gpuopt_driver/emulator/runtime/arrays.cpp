// CUDA arrays: making them, asking for what they are, and copies to and from them.
#include "arrays.h"

#include <string.h>

#include "allocations.h"
#include "model.h"
#include "streams.h"

cudaArray::~cudaArray() {
  using namespace gpuopt_emu;
  if (modelling && data) model_released(Allocation{data.get(), 0, cudaMemoryTypeDevice, 0, 0, false, false});
}

namespace gpuopt_emu {

size_t element_bytes(const cudaChannelFormatDesc &d) {
  const int bits[] = {d.x, d.y, d.z, d.w};
  int channels = 0;
  while (channels < 4 && bits[channels]) ++channels;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? d.x : 0)) return 0;
  if (channels == 0 || channels == 3 || (d.x != 8 && d.x != 16 && d.x != 32)) return 0;
  if (d.f == cudaChannelFormatKindFloat && d.x == 8) return 0;
  return (size_t)(d.x / 8 * channels);
}

static Allocation in_model(const cudaArray &array, size_t bytes) {
  return Allocation{array.data.get(), bytes, cudaMemoryTypeDevice, 0, 0, false, true};
}

static cudaArray *new_array(const cudaChannelFormatDesc &desc, const cudaExtent &extent, unsigned flags) {
  cudaArray *const array = new cudaArray();
  array->desc = desc;
  array->extent = extent;
  array->flags = flags;
  array->element = element_bytes(desc);
  array->pitch = (extent.width * array->element + 31) / 32 * 32;
  array->rows = extent.height ? extent.height : 1;
  array->slices = extent.depth ? extent.depth : 1;
  const size_t bytes = array->pitch * array->rows * array->slices;
  array->data.reset(new char[bytes]());
  if (modelling) model_allocated(in_model(*array, bytes));
  return array;
}

static bool makes_sense(const cudaExtent &e, unsigned flags) {
  if (!e.width || e.width > (1u << 27) || e.height > (1u << 17) || e.depth > (1u << 14)) return false;
  if (flags & cudaArrayCubemap) {
    const bool six = flags & cudaArrayLayered ? e.depth && e.depth % 6 == 0 : e.depth == 6;
    return six && e.width == e.height;
  }
  return flags & cudaArrayLayered ? e.depth != 0 : !e.depth || e.height;
}

// The rows of an array from an offset on as one copy, for the flat copies of older programs: these run on into the
// next rows.
static cudaError_t give_flat(cudaArray_t array, size_t x, size_t y, void *pointer, size_t bytes, bool to_array,
                             cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (!array || !pointer) return record(cudaErrorInvalidValue);
  const size_t row = array->extent.width * array->element;
  char *at = static_cast<char *>(pointer);
  while (bytes) {
    if (x >= row || y >= array->rows) return record(cudaErrorInvalidValue);
    // Whole rows together, the parts before and after them alone.
    const size_t rows = x == 0 && bytes >= row ? bytes / row : 1, width = bytes < row - x ? bytes : row - x;
    cudaMemcpy3DParms copy = {};
    const cudaPitchedPtr memory = {at, width, width, rows};
    const cudaPos place = {x / array->element, y, 0};
    if (x % array->element || width % array->element) return record(cudaErrorInvalidValue);
    (to_array ? copy.dstArray : copy.srcArray) = array;
    (to_array ? copy.dstPos : copy.srcPos) = place;
    (to_array ? copy.srcPtr : copy.dstPtr) = memory;
    copy.extent = cudaExtent{width / array->element, rows, 1};
    copy.kind = kind;
    const cudaError_t error = give_copy(copy, stream, waits);
    if (error != cudaSuccess) return error;
    at += width * rows;
    bytes -= width * rows;
    y += rows;
    x = 0;
  }
  return cudaSuccess;
}

static cudaError_t give_rows(cudaArray_t array, size_t x, size_t y, void *pointer, size_t pitch, size_t width,
                             size_t height, bool to_array, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (!array || !pointer || x % array->element || width % array->element) return record(cudaErrorInvalidValue);
  cudaMemcpy3DParms copy = {};
  (to_array ? copy.dstArray : copy.srcArray) = array;
  (to_array ? copy.dstPos : copy.srcPos) = cudaPos{x / array->element, y, 0};
  (to_array ? copy.srcPtr : copy.dstPtr) = cudaPitchedPtr{pointer, pitch, 0, 0};
  copy.extent = cudaExtent{width / array->element, height, 1};
  copy.kind = kind;
  return give_copy(copy, stream, waits);
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, cudaExtent extent,
                              unsigned int flags) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  if (!array || !desc) return record(cudaErrorInvalidValue);
  if (!element_bytes(*desc)) return record(cudaErrorInvalidChannelDescriptor);
  if (!makes_sense(extent, flags)) return record(cudaErrorInvalidValue);
  *array = new_array(*desc, extent, flags);
  return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags) {
  return cudaMalloc3DArray(array, desc, cudaExtent{width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  join_all();
  GPUOPT_EMU_ENTER();
  delete array;
  return cudaSuccess;
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *made, const cudaChannelFormatDesc *desc, cudaExtent extent,
                                     unsigned int levels, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!made || !desc || !levels || !makes_sense(extent, flags)) return record(cudaErrorInvalidValue);
  if (!element_bytes(*desc)) return record(cudaErrorInvalidChannelDescriptor);
  *made = new cudaMipmappedArray{*desc, extent, flags, {}};
  const auto half = [](size_t size) { return size > 1 ? size / 2 : size; };
  for (unsigned i = 0; i < levels; ++i) {
    (*made)->levels.emplace_back(new_array(*desc, extent, flags));
    extent.width = half(extent.width);
    extent.height = half(extent.height);
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap))) extent.depth = half(extent.depth);
  }
  return cudaSuccess;
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmapped, unsigned int level) {
  GPUOPT_EMU_ENTER();
  if (!array || !mipmapped || level >= mipmapped->levels.size()) return record(cudaErrorInvalidValue);
  *array = mipmapped->levels[level].get();
  return cudaSuccess;
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmapped) {
  join_all();
  GPUOPT_EMU_ENTER();
  delete mipmapped;
  return cudaSuccess;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned int *flags, cudaArray_t array) {
  GPUOPT_EMU_ENTER();
  if (!array) return record(cudaErrorInvalidResourceHandle);
  if (desc) *desc = array->desc;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  GPUOPT_EMU_ENTER();
  if (!desc || !array) return record(cudaErrorInvalidValue);
  *desc = array->desc;
  return cudaSuccess;
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return cudaChannelFormatDesc{x, y, z, w, kind};
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return give_rows(array, x, y, const_cast<void *>(from), pitch, width, height, true, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return give_rows(array, x, y, const_cast<void *>(from), pitch, width, height, true, kind, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return give_rows(const_cast<cudaArray_t>(array), x, y, to, pitch, width, height, false, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return give_rows(const_cast<cudaArray_t>(array), x, y, to, pitch, width, height, false, kind, stream, false);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  if (!to || !from || from->element != to->element) return record(cudaErrorInvalidValue);
  cudaMemcpy3DParms copy = {};
  copy.dstArray = to;
  copy.dstPos = cudaPos{to_x / to->element, to_y, 0};
  copy.srcArray = const_cast<cudaArray_t>(from);
  copy.srcPos = cudaPos{from_x / from->element, from_y, 0};
  copy.extent = cudaExtent{width / to->element, height, 1};
  copy.kind = kind;
  return give_copy(copy, nullptr, true);
}
cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t bytes,
                              cudaMemcpyKind kind) {
  return give_flat(array, x, y, const_cast<void *>(from), bytes, true, kind, nullptr, true);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return give_flat(array, x, y, const_cast<void *>(from), bytes, true, kind, stream, false);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return give_flat(const_cast<cudaArray_t>(array), x, y, to, bytes, false, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return give_flat(const_cast<cudaArray_t>(array), x, y, to, bytes, false, kind, stream, false);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t bytes, cudaMemcpyKind kind) {
  if (!to || !from) return record(cudaErrorInvalidValue);
  const size_t row = from->extent.width * from->element;
  const size_t rows = bytes > row ? bytes / row : 1;
  return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes / rows, rows, kind);
}
}
