// Copies and fills of memory and arrays, in up to three dimensions.
#include <string.h>

#include "allocations.h"
#include "arrays.h"
#include "check.h"
#include "graph.h"
#include "streams.h"

namespace gpuopt_emu {

// Where one side of a copy starts, and how far its rows and slices are apart.
struct Side {
  char *start;
  size_t pitch, slice;
};

// Bytes of what a copy counts in: an array's elements, if there is one on either side.
static size_t unit_of(const cudaMemcpy3DParms &copy) {
  const cudaArray_t array = copy.srcArray ? copy.srcArray : copy.dstArray;
  return array ? array->element : 1;
}

static Side side_of(cudaArray_t array, const cudaPos &at, const cudaPitchedPtr &pointer, size_t unit) {
  if (array) {
    const size_t slice = array->pitch * array->rows;
    return Side{array->data.get() + at.z * slice + at.y * array->pitch + at.x * array->element, array->pitch, slice};
  }
  const size_t slice = pointer.pitch * pointer.ysize;
  return Side{static_cast<char *>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x * unit, pointer.pitch, slice};
}

static size_t width_of(const cudaMemcpy3DParms &copy) { return copy.extent.width * unit_of(copy); }

// The bytes from the first to behind the last; where there are not so many, as many as there can be.
static size_t span(const Side &side, size_t width, const cudaExtent &extent) {
  size_t slices, rows, all;
  if (__builtin_mul_overflow(side.slice, extent.depth - 1, &slices)) return SIZE_MAX;
  if (__builtin_mul_overflow(side.pitch, extent.height - 1, &rows)) return SIZE_MAX;
  return __builtin_add_overflow(slices, rows, &all) || __builtin_add_overflow(all, width, &all) ? SIZE_MAX : all;
}

static bool inside(const cudaArray &array, const cudaPos &at, const cudaExtent &extent) {
  return at.x + extent.width <= array.extent.width && at.y + extent.height <= array.rows &&
         at.z + extent.depth <= array.slices;
}

static bool is_rows(const cudaExtent &extent) { return extent.height > 1 || extent.depth > 1; }

static cudaError_t check_pitch(const cudaPitchedPtr &pointer, const cudaExtent &extent) {
  const bool narrow = is_rows(extent) && pointer.pitch < extent.width;
  return narrow || (extent.depth > 1 && pointer.ysize < extent.height) ? cudaErrorInvalidPitchValue : cudaSuccess;
}

// A pitch or height of 0 in one row or slice is none at all.
static cudaError_t check_side(cudaArray_t array, const cudaPos &at, const cudaPitchedPtr &pointer,
                              const cudaMemcpy3DParms &copy) {
  if (array) return inside(*array, at, copy.extent) ? cudaSuccess : cudaErrorInvalidValue;
  const size_t width = width_of(copy);
  if (pointer.pitch && pointer.pitch < at.x * unit_of(copy) + width) return cudaErrorInvalidValue;
  if (pointer.ysize && pointer.ysize < at.y + copy.extent.height) return cudaErrorInvalidValue;
  const Side side = side_of(array, at, pointer, unit_of(copy));
  return fits(side.start, span(side, width, copy.extent)) ? cudaSuccess : cudaErrorInvalidValue;
}

// What a device is said to read or write must be its own, or be known to it; where both sides are the host's, anything goes.
static bool fits_kind(const cudaMemcpy3DParms &copy) {
  const bool from_device = copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
  const bool to_device = copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
  if (copy.kind == cudaMemcpyDefault) return true;
  if (copy.srcArray ? !from_device : from_device && !is_devices(copy.srcPtr.ptr)) return false;
  return copy.dstArray ? to_device : !to_device || is_devices(copy.dstPtr.ptr);
}

cudaError_t check_copy(const cudaMemcpy3DParms &copy) {
  if (!copy.extent.width || !copy.extent.height || !copy.extent.depth) return cudaSuccess;
  const bool both = (copy.srcArray && copy.srcPtr.ptr) || (copy.dstArray && copy.dstPtr.ptr);
  const bool none = (!copy.srcArray && !copy.srcPtr.ptr) || (!copy.dstArray && !copy.dstPtr.ptr);
  const bool is_flat = copy.extent.height == 1 && copy.extent.depth == 1;
  if (none && is_flat && (unsigned)copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (both || none) return cudaErrorInvalidValue;
  cudaError_t error = copy.dstArray ? cudaSuccess : check_pitch(copy.dstPtr, copy.extent);
  if (error == cudaSuccess && !copy.srcArray) error = check_pitch(copy.srcPtr, copy.extent);
  if (error != cudaSuccess) return error;
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.srcArray && copy.dstArray && copy.srcArray->element != copy.dstArray->element) return cudaErrorInvalidValue;
  error = check_side(copy.dstArray, copy.dstPos, copy.dstPtr, copy);
  if (error == cudaSuccess) error = check_side(copy.srcArray, copy.srcPos, copy.srcPtr, copy);
  return error == cudaSuccess && !fits_kind(copy) ? cudaErrorInvalidValue : error;
}

cudaError_t do_copy(const cudaMemcpy3DParms &copy) {
  const cudaExtent &extent = copy.extent;
  const size_t width = width_of(copy);
  if (!width || !extent.height || !extent.depth) return cudaSuccess;
  const Side to = side_of(copy.dstArray, copy.dstPos, copy.dstPtr, unit_of(copy));
  const Side from = side_of(copy.srcArray, copy.srcPos, copy.srcPtr, unit_of(copy));
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) {
      char *const target = to.start + z * to.slice + y * to.pitch;
      const char *const source = from.start + z * from.slice + y * from.pitch;
      memmove(target, source, width);
      if (checking) check_copied(target, source, width);
    }
  return cudaSuccess;
}

// A graph's memory that is not allocated now.
static bool is_gone(const void *pointer) {
  Allocation found;
  return pointer && !any_unfinished() && allocation_at(pointer, &found) && !found.live;
}

// The program's own memory, of which CUDA knows nothing.
static bool is_pageable(const void *pointer) {
  Allocation found;
  return pointer && !allocation_at(pointer, &found);
}

// A copy that is kept reads what is in the program's own memory now, and what it writes there is there when the call returns,
// as on a GPU, which copies such memory by way of its own.
static cudaError_t give_later(cudaMemcpy3DParms copy, cudaStream_t stream) {
  std::shared_ptr<std::vector<char>> kept;
  const size_t width = width_of(copy);
  const bool empty = !width || !copy.extent.height || !copy.extent.depth;
  if (!empty && !copy.srcArray && is_pageable(copy.srcPtr.ptr)) {
    const Side side = side_of(nullptr, copy.srcPos, copy.srcPtr, unit_of(copy));
    const char *const first = static_cast<const char *>(copy.srcPtr.ptr);
    kept = std::make_shared<std::vector<char>>(first, (const char *)side.start + span(side, width, copy.extent));
    copy.srcPtr.ptr = kept->data();
  }
  const CUstream_st *const object = stream_object(stream);
  const bool arrives = !empty && !copy.dstArray && is_pageable(copy.dstPtr.ptr) && object;
  const cudaError_t error = record(give_work(stream, [copy, kept] { return do_copy(copy); }));
  if (arrives) join(*object);
  return error;
}

cudaError_t give_copy(const cudaMemcpy3DParms &copy, cudaStream_t stream, bool waits) {
  if (waits) {
    if (any_unfinished()) join(*stream_object(stream));
    GPUOPT_EMU_ENTER();
  } else {
    GPUOPT_EMU_ENTER_QUIETLY();
  }
  const cudaError_t error = check_copy(copy);
  if (error != cudaSuccess) return record(error);
  const bool captured = captures_launch(stream);
  const bool empty = !copy.extent.width || !copy.extent.height || !copy.extent.depth;
  if (!empty && !stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  if (captured && empty) return cudaSuccess;
  if (!captured && !empty && (is_gone(copy.srcPtr.ptr) || is_gone(copy.dstPtr.ptr))) return record(cudaErrorInvalidValue);
  if (any_unfinished() && !captured) return give_later(copy, stream);
  return submit(
      stream, cudaGraphNodeTypeMemcpy, [=] { return do_copy(copy); }, [&](CUgraphNode_st &node) { node.copy = copy; });
}

cudaMemcpy3DParms rows_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy = {};
  copy.dstPtr = cudaPitchedPtr{to, to_pitch, 0, 0};
  copy.srcPtr = cudaPitchedPtr{const_cast<void *>(from), from_pitch, 0, 0};
  copy.extent = cudaExtent{width, height, 1};
  copy.kind = kind;
  return copy;
}

cudaMemcpy3DParms flat_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  const size_t pitch = kind == cudaMemcpyHostToHost ? bytes : 0;  // of one row; as nodes of graphs tell of it
  return rows_copy(to, pitch, from, pitch, bytes, 1, kind);
}

cudaMemsetParams rows_fill(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemsetParams{pointer, pitch, (unsigned)value & 255, 1, width, height};
}

cudaError_t check_fill(const cudaMemsetParams &fill) {
  size_t width, bytes;
  if (__builtin_mul_overflow(fill.width, (size_t)fill.elementSize, &width)) return cudaErrorInvalidValue;
  if (fill.elementSize != 1 && fill.elementSize != 2 && fill.elementSize != 4) return cudaErrorInvalidValue;
  if (!width || !fill.height) return cudaSuccess;
  if (!fill.dst || !is_devices(fill.dst)) return cudaErrorInvalidValue;
  if (fill.height > 1 && fill.pitch < width) return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(fill.pitch, fill.height - 1, &bytes)) return cudaErrorInvalidValue;
  if (__builtin_add_overflow(bytes, width, &bytes)) return cudaErrorInvalidValue;
  return fits(fill.dst, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t do_fill(const cudaMemsetParams &fill) {
  for (size_t y = 0; y < fill.height; ++y) {
    char *row = static_cast<char *>(fill.dst) + y * fill.pitch;
    if (checking) check_filled(row, fill.width * fill.elementSize);
    if (fill.elementSize == 1) memset(row, (int)fill.value, fill.width);
    else
      for (size_t x = 0; x < fill.width; ++x) memcpy(row + x * fill.elementSize, &fill.value, fill.elementSize);
  }
  return cudaSuccess;
}

cudaError_t give_fill(const cudaMemsetParams &fill, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  const cudaError_t error = check_fill(fill);
  if (error != cudaSuccess) return record(error);
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  if (captures_launch(stream) && (!fill.width || !fill.height)) return cudaSuccess;
  return submit(
      stream, cudaGraphNodeTypeMemset, [=] { return do_fill(fill); }, [&](CUgraphNode_st &node) { node.fill = fill; });
}

// Slice after slice; one node each where a stream captures.
static cudaError_t give_fill_3d(const cudaPitchedPtr &to, int value, const cudaExtent &extent, cudaStream_t stream) {
  if (extent.width && extent.depth && extent.height > to.ysize) return record(cudaErrorInvalidValue);
  for (size_t z = 0; z < extent.depth; ++z) {
    char *slice = static_cast<char *>(to.ptr) + z * to.pitch * to.ysize;
    const cudaError_t error = give_fill(rows_fill(slice, to.pitch, value, extent.width, extent.height), stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return give_copy(flat_copy(to, from, bytes, kind), nullptr, true);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return give_copy(flat_copy(to, from, bytes, kind), stream, false);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return give_copy(rows_copy(to, to_pitch, from, from_pitch, width, height, kind), nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return give_copy(rows_copy(to, to_pitch, from, from_pitch, width, height, kind), stream, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy) {
  return copy ? give_copy(*copy, nullptr, true) : record(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t stream) {
  return copy ? give_copy(*copy, stream, false) : record(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
  if (bytes && (to_device || from_device)) return record(cudaErrorInvalidDevice);
  return give_copy(flat_copy(to, from, bytes, cudaMemcpyDeviceToDevice), nullptr, true);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  if (bytes && (to_device || from_device)) return record(cudaErrorInvalidDevice);
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  return give_copy(flat_copy(to, from, bytes, cudaMemcpyDeviceToDevice), stream, false);
}
static cudaMemcpy3DParms of_peers(const cudaMemcpy3DPeerParms &p) {
  return cudaMemcpy3DParms{p.srcArray, p.srcPos, p.srcPtr, p.dstArray, p.dstPos, p.dstPtr, p.extent,
                           cudaMemcpyDeviceToDevice};
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *copy) {
  if (!copy) return record(cudaErrorInvalidValue);
  if (copy->srcDevice || copy->dstDevice) return record(cudaErrorInvalidDevice);
  return give_copy(of_peers(*copy), nullptr, true);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *copy, cudaStream_t stream) {
  if (!copy) return record(cudaErrorInvalidValue);
  if (copy->srcDevice || copy->dstDevice) return record(cudaErrorInvalidDevice);
  return give_copy(of_peers(*copy), stream, false);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return give_fill(rows_fill(pointer, pitch, value, width, height), nullptr);
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return give_fill(rows_fill(pointer, pitch, value, width, height), stream);
}
cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return give_fill(rows_fill(pointer, 0, value, bytes, 1), nullptr);
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
  return give_fill(rows_fill(pointer, 0, value, bytes, 1), stream);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return give_fill_3d(to, value, extent, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return give_fill_3d(to, value, extent, stream);
}
}
