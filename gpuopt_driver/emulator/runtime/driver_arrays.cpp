// The driver API's arrays and copies of rectangles and boxes, as calls of the runtime API.
#include <stdint.h>

#include "arrays.h"
#include "driver.h"

namespace gpuopt_emu {

static cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

// A format's bits and kind; 0 bits where there is no such format.
static cudaChannelFormatDesc channels_of(CUarray_format format, unsigned count) {
  int bits = 0;
  cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
    case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16; break;
    case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32; break;
    case CU_AD_FORMAT_SIGNED_INT8: bits = 8, kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT16: bits = 16, kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT32: bits = 32, kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_HALF: bits = 16, kind = cudaChannelFormatKindFloat; break;
    case CU_AD_FORMAT_FLOAT: bits = 32, kind = cudaChannelFormatKindFloat; break;
  }
  const auto of = [&](unsigned channel) { return channel < count ? bits : 0; };
  return cudaChannelFormatDesc{of(0), of(1), of(2), of(3), kind};
}

static CUarray_format format_of(const cudaChannelFormatDesc &d) {
  if (d.f == cudaChannelFormatKindFloat) return d.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const int by_size = d.x == 8 ? 0 : d.x == 16 ? 1 : 2;
  return (CUarray_format)((d.f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8) + by_size);
}

// One side of a copy: an array with a place in it, or where it begins in memory.
struct CopySide {
  cudaArray_t array = nullptr;
  cudaPos place = {};
  cudaPitchedPtr memory = {};
};

static bool side_of(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array, size_t x, size_t y, size_t z,
                    size_t pitch, size_t height, const CUDA_MEMCPY3D &copy, CopySide *side) {
  if (type == CU_MEMORYTYPE_ARRAY) {
    side->array = array_of(array);
    if (!array || x % side->array->element || copy.WidthInBytes % side->array->element) return false;
    side->place = cudaPos{x / side->array->element, y, z};
    return true;
  }
  if (type < CU_MEMORYTYPE_HOST || type > CU_MEMORYTYPE_UNIFIED) return false;
  const char *const start = type == CU_MEMORYTYPE_HOST ? static_cast<const char *>(host) : reinterpret_cast<const char *>((uintptr_t)device);
  if (!pitch) pitch = x + copy.WidthInBytes;  // rows one after another
  if (!height) height = y + copy.Height;
  if (!start || pitch < x + copy.WidthInBytes || height < copy.Height) return false;
  side->memory = cudaPitchedPtr{const_cast<char *>(start) + (z * height + y) * pitch + x, pitch, pitch, height};
  return true;
}

static CUresult give_box(const CUDA_MEMCPY3D &c, cudaStream_t stream, bool waits) {
  CopySide from, to;
  if (c.srcLOD || c.dstLOD) return CUDA_ERROR_INVALID_VALUE;  // arrays of one level
  if (!c.WidthInBytes || !c.Height || !c.Depth) return CUDA_SUCCESS;
  if (!side_of(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, c.srcHeight, c, &from) ||
      !side_of(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, c.dstHeight, c, &to))
    return CUDA_ERROR_INVALID_VALUE;
  if (from.array && to.array && from.array->element != to.array->element) return CUDA_ERROR_INVALID_VALUE;
  const cudaArray_t array = from.array ? from.array : to.array;
  cudaMemcpy3DParms copy = {};
  copy.srcArray = from.array, copy.srcPos = from.place, copy.srcPtr = from.memory;
  copy.dstArray = to.array, copy.dstPos = to.place, copy.dstPtr = to.memory;
  copy.extent = cudaExtent{array ? c.WidthInBytes / array->element : c.WidthInBytes, c.Height, c.Depth};
  copy.kind = cudaMemcpyDefault;
  return (CUresult)give_copy(copy, stream, waits);
}

static CUDA_MEMCPY3D box_of(const CUDA_MEMCPY2D &c) {
  CUDA_MEMCPY3D box = {};
  box.srcXInBytes = c.srcXInBytes, box.srcY = c.srcY, box.srcMemoryType = c.srcMemoryType, box.srcHost = c.srcHost;
  box.srcDevice = c.srcDevice, box.srcArray = c.srcArray, box.srcPitch = c.srcPitch;
  box.dstXInBytes = c.dstXInBytes, box.dstY = c.dstY, box.dstMemoryType = c.dstMemoryType, box.dstHost = c.dstHost;
  box.dstDevice = c.dstDevice, box.dstArray = c.dstArray, box.dstPitch = c.dstPitch;
  box.WidthInBytes = c.WidthInBytes, box.Height = c.Height, box.Depth = 1;
  return box;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!array || !wanted || (wanted->NumChannels != 1 && wanted->NumChannels != 2 && wanted->NumChannels != 4)) return CUDA_ERROR_INVALID_VALUE;
  const cudaChannelFormatDesc desc = channels_of(wanted->Format, wanted->NumChannels);
  if (!element_bytes(desc)) return CUDA_ERROR_INVALID_VALUE;
  cudaArray_t made = nullptr;
  const cudaError_t error = cudaMalloc3DArray(&made, &desc, cudaExtent{wanted->Width, wanted->Height, wanted->Depth}, wanted->Flags);
  if (error == cudaSuccess) *array = reinterpret_cast<CUarray>(made);
  return (CUresult)error;
}
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *wanted) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!wanted) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR flat = {wanted->Width, wanted->Height, 0, wanted->Format, wanted->NumChannels, 0};
  return cuArray3DCreate(array, &flat);
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  if (!descriptor) return CUDA_ERROR_INVALID_VALUE;
  const cudaArray &a = *array_of(array);
  const unsigned channels = 1 + (a.desc.y != 0) + (a.desc.z != 0) + (a.desc.w != 0);
  *descriptor = CUDA_ARRAY3D_DESCRIPTOR{a.extent.width, a.extent.height, a.extent.depth, format_of(a.desc), channels, a.flags};
  return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  GPUOPT_EMU_IN_CONTEXT();
  CUDA_ARRAY3D_DESCRIPTOR all;
  const CUresult error = descriptor ? cuArray3DGetDescriptor(&all, array) : CUDA_ERROR_INVALID_VALUE;
  if (error == CUDA_SUCCESS) *descriptor = CUDA_ARRAY_DESCRIPTOR{all.Width, all.Height, all.Format, all.NumChannels};
  return error;
}
CUresult cuArrayDestroy(CUarray array) {
  GPUOPT_EMU_IN_CONTEXT();
  return array ? (CUresult)cudaFreeArray(array_of(array)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemAllocPitch(CUdeviceptr *at, size_t *pitch, size_t width, size_t height, unsigned int element) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!at || !pitch || !width || !height || (element != 4 && element != 8 && element != 16)) return CUDA_ERROR_INVALID_VALUE;
  void *memory = nullptr;
  const cudaError_t error = cudaMallocPitch(&memory, pitch, width, height);
  if (error == cudaSuccess) *at = (CUdeviceptr)(uintptr_t)memory;
  return (CUresult)error;
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpy(address(to), address(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpyAsync(address(to), address(from), bytes, cudaMemcpyDefault, stream);
}
// One row of an array, by bytes.
static CUresult to_row(CUarray to, size_t offset, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return to ? (CUresult)cudaMemcpy2DToArray(array_of(to), offset, 0, from, bytes, bytes, 1, kind) : CUDA_ERROR_INVALID_VALUE;
}
static CUresult from_row(void *to, CUarray from, size_t offset, size_t bytes, cudaMemcpyKind kind) {
  return from ? (CUresult)cudaMemcpy2DFromArray(to, bytes, array_of(from), offset, 0, bytes, 1, kind) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return to_row(to, offset, from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return from_row(to, from, offset, bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return to_row(to, offset, address(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return from_row(address(to), from, offset, bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) {
  GPUOPT_EMU_IN_CONTEXT();
  return copy ? give_box(box_of(*copy), nullptr, true) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) {
  GPUOPT_EMU_IN_CONTEXT();
  return cuMemcpy2D(copy);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return copy ? give_box(box_of(*copy), stream, false) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy) {
  GPUOPT_EMU_IN_CONTEXT();
  return copy ? give_box(*copy, nullptr, true) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return copy ? give_box(*copy, stream, false) : CUDA_ERROR_INVALID_VALUE;
}
}
