// CUDA arrays: making them, asking for what they are, and copies to and from them.
#include "arrays.h"

#include <algorithm>
#include <new>
#include <string.h>

#include "allocations.h"
#include "model.h"
#include "streams.h"

cudaArray::~cudaArray() {
  using namespace gpuopt_emu;
  if (modelling && data) model_released(Allocation{data.get(), 0, cudaMemoryTypeDevice, 0, 0, false, false});
}

namespace gpuopt_emu {

// Bits of a channel and their number, for kinds that say so themselves; 0 bits for others.
static void channels_of(cudaChannelFormatKind kind, int *bits, int *channels) {
  const int of_normalized = kind - cudaChannelFormatKindUnsignedNormalized8X1;
  const bool normalized = of_normalized >= 0 && kind <= cudaChannelFormatKindSignedNormalized16X4;
  *bits = normalized ? of_normalized / 3 % 2 ? 16 : 8 : 0;
  *channels = normalized ? 1 << of_normalized % 3 : 0;
}

size_t element_bytes(const cudaChannelFormatDesc &d) {
  const int bits[] = {d.x, d.y, d.z, d.w};
  int channels = 0, bits_of_kind, channels_of_kind;
  while (channels < 4 && bits[channels]) ++channels;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? d.x : 0)) return 0;
  if (channels == 0 || channels == 3 || (d.x != 8 && d.x != 16 && d.x != 32)) return 0;
  channels_of(d.f, &bits_of_kind, &channels_of_kind);
  if (bits_of_kind ? d.x != bits_of_kind || channels != channels_of_kind : d.f > cudaChannelFormatKindFloat) return 0;
  if (d.f == cudaChannelFormatKindFloat && d.x == 8) return 0;
  return (size_t)(d.x / 8 * channels);
}

static Allocation in_model(const cudaArray &array, size_t bytes) {
  return Allocation{array.data.get(), bytes, cudaMemoryTypeDevice, 0, 0, false, true};
}

// Null where there is not that much memory.
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
  if (bytes <= capacity()) array->data.reset(new (std::nothrow) char[bytes]());
  if (!array->data) {
    delete array;
    return nullptr;
  }
  if (modelling) model_allocated(in_model(*array, bytes));
  return array;
}

// The limits of textures and surfaces on an H200 (attributes.def).
static bool makes_sense(const cudaExtent &e, unsigned flags, bool levels) {
  const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap, gather = flags & cudaArrayTextureGather;
  const auto within = [&e](size_t width, size_t height, size_t depth) {
    return e.width <= width && e.height <= height && e.depth <= depth;
  };
  if (!e.width || flags & ~(unsigned)(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather))
    return false;
  if (gather && (layered || cube || !e.height || e.depth)) return false;
  if (cube) return e.width == e.height && (layered ? e.depth && e.depth % 6 == 0 && within(32768, 32768, 2046) : e.depth == 6 && within(32768, 32768, 6));
  if (layered) return e.depth && within(32768, 32768, 2048);
  if (e.depth) return e.height && (within(16384, 16384, 16384) || within(8192, 8192, 32768));
  if (gather || levels || (!e.height && flags & cudaArraySurfaceLoadStore)) return within(32768, 32768, 0);
  return within(131072, 65536, 0);
}

// A place in an array by bytes, which need not be where an element begins.
static char *place_in(const cudaArray &array, size_t x, size_t y) { return array.data.get() + y * array.pitch + x; }
static bool inside_rows(const cudaArray &array, size_t x, size_t y, size_t width, size_t height) {
  const size_t row = array.extent.width * array.element;
  return width <= row && x <= row - width && height <= array.rows && y <= array.rows - height;
}

static cudaError_t check_rows(const cudaArray *array, size_t x, size_t y, const void *pointer, size_t pitch, size_t width,
                              size_t height, bool to_array, cudaMemcpyKind kind) {
  if (!array) return cudaErrorInvalidResourceHandle;
  if (!width || !height) return cudaSuccess;
  if (!pointer) return cudaErrorInvalidValue;
  if (height > 1 && pitch < width) return cudaErrorInvalidPitchValue;
  const bool there = to_array ? kind == cudaMemcpyHostToDevice : kind == cudaMemcpyDeviceToHost;
  if (!there && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  return inside_rows(*array, x, y, width, height) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t give_rows(cudaArray_t array, size_t x, size_t y, void *pointer, size_t pitch, size_t width,
                             size_t height, bool to_array, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  const cudaError_t error = check_rows(array, x, y, pointer, pitch, width, height, to_array, kind);
  if (error != cudaSuccess || !width || !height) return record(error);
  if (x % array->element || width % array->element) {
    char *const place = place_in(*array, x, y);
    return give_copy(to_array ? rows_copy(place, array->pitch, pointer, pitch, width, height, cudaMemcpyDefault)
                              : rows_copy(pointer, pitch, place, array->pitch, width, height, cudaMemcpyDefault),
                     stream, waits);
  }
  cudaMemcpy3DParms copy = {};
  (to_array ? copy.dstArray : copy.srcArray) = array;
  (to_array ? copy.dstPos : copy.srcPos) = cudaPos{x / array->element, y, 0};
  (to_array ? copy.srcPtr : copy.dstPtr) = cudaPitchedPtr{pointer, pitch, 0, 0};
  copy.extent = cudaExtent{width / array->element, height, 1};
  copy.kind = kind;
  return give_copy(copy, stream, waits);
}

// The flat copies of older programs run on into the next rows. Those before what is outside are copied.
static cudaError_t give_flat(cudaArray_t array, size_t x, size_t y, void *pointer, size_t bytes, bool to_array,
                             cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  if (!array) return record(cudaErrorInvalidResourceHandle);
  const size_t row = array->extent.width * array->element;
  char *at = static_cast<char *>(pointer);
  while (bytes) {
    y += x / row;
    x %= row;
    if (!pointer || y >= array->rows) return record(cudaErrorInvalidValue);
    // Whole rows together, the parts before and after them alone.
    const size_t rows = x == 0 && bytes >= row ? std::min(bytes / row, array->rows - y) : 1;
    const size_t width = std::min(bytes, row - x);
    const cudaError_t error = give_rows(array, x, y, at, width, width, rows, to_array, kind, stream, waits);
    if (error != cudaSuccess) return error;
    at += width * rows;
    bytes -= width * rows;
    y += rows;
    x = 0;
  }
  return cudaSuccess;
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
  if (!makes_sense(extent, flags, false)) return record(cudaErrorInvalidValue);
  cudaArray *const made = new_array(*desc, extent, flags);
  if (!made) return record(cudaErrorMemoryAllocation);
  *array = made;
  return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags) {
  return cudaMalloc3DArray(array, desc, cudaExtent{width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  join_all();
  GPUOPT_EMU_ENTER();
  if (array && !lives(array)) return record(cudaErrorContextIsDestroyed);  // a GPU's answer to a second time
  delete array;
  return cudaSuccess;
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *made, const cudaChannelFormatDesc *desc, cudaExtent extent,
                                     unsigned int levels, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!made || !desc) return record(cudaErrorInvalidValue);
  if (!element_bytes(*desc)) return record(cudaErrorInvalidChannelDescriptor);
  if (!makes_sense(extent, flags, true)) return record(cudaErrorInvalidValue);
  const bool is_box = !(flags & (cudaArrayLayered | cudaArrayCubemap));
  size_t largest = std::max(extent.width, std::max(extent.height, is_box ? extent.depth : 0));
  unsigned most = 1;  // down to one element
  while (largest >>= 1) ++most;
  levels = std::min(std::max(levels, 1u), most);
  std::unique_ptr<cudaMipmappedArray> all(new cudaMipmappedArray{*desc, extent, flags, {}});
  const auto half = [](size_t size) { return size > 1 ? size / 2 : size; };
  for (unsigned i = 0; i < levels; ++i) {
    cudaArray *const level = new_array(*desc, extent, flags);
    if (!level) return record(cudaErrorMemoryAllocation);
    all->levels.emplace_back(level);
    extent.width = half(extent.width);
    extent.height = half(extent.height);
    if (is_box) extent.depth = half(extent.depth);
  }
  *made = all.release();
  return cudaSuccess;
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmapped, unsigned int level) {
  GPUOPT_EMU_ENTER();
  if (!mipmapped) return record(cudaErrorInvalidResourceHandle);
  if (!array || level >= mipmapped->levels.size()) return record(cudaErrorInvalidValue);
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
  if (desc) *desc = array ? array->desc : cudaChannelFormatDesc{};
  if (extent) *extent = array ? array->extent : cudaExtent{};
  if (flags) *flags = array ? array->flags : 0;
  return array ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  GPUOPT_EMU_ENTER();
  if (!array) return record(cudaErrorInvalidResourceHandle);
  if (!desc) return record(cudaErrorInvalidValue);
  *desc = array->desc;
  return cudaSuccess;
}
// There are no arrays of several planes, and no sparse ones or ones to be mapped later.
cudaError_t cudaArrayGetPlane(cudaArray_t *, cudaArray_t array, unsigned int) {
  GPUOPT_EMU_ENTER();
  return record(array ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties *, cudaArray_t array) {
  return cudaArrayGetPlane(nullptr, array, 0);
}
cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties *, cudaMipmappedArray_t array) {
  GPUOPT_EMU_ENTER();
  return record(array ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *, cudaArray_t array, int) {
  return cudaArrayGetPlane(nullptr, array, 0);
}
cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements *, cudaMipmappedArray_t array, int) {
  return cudaMipmappedArrayGetSparseProperties(nullptr, array);
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
  if (!to || !from) return record(cudaErrorInvalidValue);
  if (!width || !height) return cudaSuccess;
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return record(cudaErrorInvalidMemcpyDirection);
  if (!inside_rows(*to, to_x, to_y, width, height) || !inside_rows(*from, from_x, from_y, width, height))
    return record(cudaErrorInvalidValue);
  return give_copy(rows_copy(place_in(*to, to_x, to_y), to->pitch, place_in(*from, from_x, from_y), from->pitch, width, height,
                             cudaMemcpyDefault),
                   nullptr, true);
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
  if (!to || !from) return record(cudaErrorInvalidResourceHandle);
  const size_t row = from->extent.width * from->element;
  const size_t rows = bytes > row ? bytes / row : 1;
  return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes / rows, rows, kind);
}
}
