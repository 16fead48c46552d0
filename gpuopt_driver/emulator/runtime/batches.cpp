// Batches of copies, all checked before the first is made.
#include <vector>

#include "allocations.h"
#include "arrays.h"
#include "streams.h"

namespace gpuopt_emu {

static bool is_order(cudaMemcpySrcAccessOrder order, unsigned flags) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny && flags <= cudaMemcpyFlagPreferOverlapWithCompute;
}

static cudaError_t give_all(const std::vector<cudaMemcpy3DParms> &copies, cudaStream_t stream) {
  if (!stream || stream == cudaStreamLegacy) return record(cudaErrorInvalidValue);
  for (const auto &copy : copies)
    if (check_copy(copy) != cudaSuccess) return record(cudaErrorInvalidValue);
  for (const auto &copy : copies) {
    const cudaError_t error = give_copy(copy, stream, false);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// One side of a copy of boxes; `element` are the bytes that lengths count.
static bool set_side(const cudaMemcpy3DOperand &operand, const cudaExtent &extent, size_t element, cudaArray_t *array, cudaPos *place,
                     cudaPitchedPtr *memory) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    const auto &of = operand.op.array;
    *array = of.array;
    *place = cudaPos{of.offset.x, of.offset.y, of.offset.z};
    return of.array != nullptr;
  }
  const auto &of = operand.op.ptr;
  const size_t length = of.rowLength ? of.rowLength : extent.width, height = of.layerHeight ? of.layerHeight : extent.height;
  *memory = cudaPitchedPtr{of.ptr, length * element, length * element, height};
  return operand.type == cudaMemcpyOperandTypePointer && of.ptr && length >= extent.width && height >= extent.height;
}

static bool to_copy(const cudaMemcpy3DBatchOp &wanted, cudaMemcpy3DParms *copy) {
  const auto element = [](const cudaMemcpy3DOperand &operand) {
    return operand.type == cudaMemcpyOperandTypeArray && operand.op.array.array ? operand.op.array.array->element : 0;
  };
  const size_t bytes = std::max(element(wanted.src), element(wanted.dst));
  *copy = cudaMemcpy3DParms{};
  copy->extent = wanted.extent;
  copy->kind = cudaMemcpyDefault;
  return wanted.extent.width && wanted.extent.height && wanted.extent.depth && is_order(wanted.srcAccessOrder, wanted.flags) &&
         set_side(wanted.src, wanted.extent, bytes ? bytes : 1, &copy->srcArray, &copy->srcPos, &copy->srcPtr) &&
         set_side(wanted.dst, wanted.extent, bytes ? bytes : 1, &copy->dstArray, &copy->dstPos, &copy->dstPtr);
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                 cudaMemcpyAttributes *attributes, size_t *first, size_t kinds, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!to || !from || !bytes || !count || !attributes || !first || !kinds || kinds > count || first[0]) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < kinds; ++i)
    if (first[i] >= count || (i && first[i] <= first[i - 1]) || !is_order(attributes[i].srcAccessOrder, attributes[i].flags))
      return record(cudaErrorInvalidValue);
  std::vector<cudaMemcpy3DParms> copies;
  for (size_t i = 0; i < count; ++i) {
    if (!bytes[i]) return record(cudaErrorInvalidValue);
    copies.push_back(flat_copy(to[i], from[i], bytes[i], cudaMemcpyDefault));
  }
  return give_all(copies, stream);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *wanted, unsigned long long flags, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!count || !wanted || flags) return record(cudaErrorInvalidValue);
  std::vector<cudaMemcpy3DParms> copies(count);
  for (size_t i = 0; i < count; ++i)
    if (!to_copy(wanted[i], &copies[i])) return record(cudaErrorInvalidValue);
  return give_all(copies, stream);
}
}
