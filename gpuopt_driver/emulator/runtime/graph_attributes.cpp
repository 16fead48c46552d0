// Attributes of kernel nodes and of streams: which there are, what they begin with, and what they can be.
#include <algorithm>

#include "graph.h"
#include "streams.h"

namespace gpuopt_emu {

static bool is_streams(cudaLaunchAttributeID id) {
  switch ((int)id) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling: return true;
    default: return false;
  }
}

static bool is_kernels(cudaLaunchAttributeID id) {
  switch ((int)id) {
    case cudaLaunchAttributeSynchronizationPolicy: return false;
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
    case cudaLaunchAttributePreferredSharedMemoryCarveout: return true;
    default: return is_streams(id);
  }
}

Attributes::Attributes() {
  memset(values, 0, sizeof values);
  values[cudaLaunchAttributeSynchronizationPolicy].syncPolicy = (cudaSynchronizationPolicy)-1;
  values[cudaLaunchAttributeMemSyncDomainMap].memSyncDomainMap.remote = 1;
}

static int priority_of(int wanted) { return std::min(0, std::max(-5, wanted)); }

static size_t max_window_bytes() {
  int bytes = 0;
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxAccessPolicyWindowSize, 0);
  return (size_t)bytes;
}

// A value as it is kept.
static cudaError_t check_value(cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
  const cudaAccessPolicyWindow &window = value->accessPolicyWindow;
  switch ((int)id) {
    case cudaLaunchAttributeAccessPolicyWindow:
      if (window.hitRatio < 0 || window.hitRatio > 1 || window.missProp == cudaAccessPropertyPersisting ||
          window.num_bytes > max_window_bytes())
        return cudaErrorInvalidValue;
      break;
    case cudaLaunchAttributePriority: value->priority = priority_of(value->priority); break;
    case cudaLaunchAttributeSynchronizationPolicy:
      if (value->syncPolicy < cudaSyncPolicyAuto || value->syncPolicy > cudaSyncPolicyBlockingSync) return cudaErrorInvalidValue;
      break;
    default: break;
  }
  return cudaSuccess;
}

static cudaError_t set_kernel_attribute(CUgraphNode_st &node, cudaLaunchAttributeID id, cudaLaunchAttributeValue value) {
  const cudaError_t error = check_value(id, &value);
  if (error != cudaSuccess) return error;
  Configuration &c = node.launch.configuration;
  const auto &size = value.clusterDim;
  if (id == cudaLaunchAttributeCooperative) c.cooperative = value.cooperative != 0;
  if (id == cudaLaunchAttributePreferredSharedMemoryCarveout) c.carveout = (int)value.sharedMemCarveout;
  if (id == cudaLaunchAttributeClusterDimension) {
    const bool whole = size.x && size.y && size.z && c.grid.x % size.x == 0 && c.grid.y % size.y == 0 && c.grid.z % size.z == 0;
    if (!whole) return cudaErrorInvalidClusterSize;
    c.cluster = dim3(size.x, size.y, size.z);
  }
  node.attributes.values[id] = value;
  return cudaSuccess;
}

void keep_attributes(CUgraphNode_st *node, const CUstream_st &stream) {
  node->attributes.values[cudaLaunchAttributePriority].priority = stream.priority;
  const Configuration &c = node->launch.configuration;
  node->attributes.values[cudaLaunchAttributeCooperative].cooperative = c.cooperative;
  if (c.cluster.x * c.cluster.y * c.cluster.z > 1) {
    auto &size = node->attributes.values[cudaLaunchAttributeClusterDimension].clusterDim;
    size.x = c.cluster.x;
    size.y = c.cluster.y;
    size.z = c.cluster.z;
  }
  if (!launched_with) return;
  for (unsigned i = 0; i < launched_with->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = launched_with->attrs[i];
    if (is_kernels(attribute.id)) set_kernel_attribute(*node, attribute.id, attribute.val);
  }
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

static bool is_kernel(cudaGraphNode_t node) { return node && node->type == cudaGraphNodeTypeKernel; }

extern "C" {

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value) {
  GPUOPT_EMU_ENTER();
  if (!is_kernel(node) || !value || !is_kernels(id)) return record(cudaErrorInvalidValue);
  return record(set_kernel_attribute(*node, id, *value));
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value) {
  GPUOPT_EMU_ENTER();
  if (!is_kernel(node) || !value || !is_kernels(id)) return record(cudaErrorInvalidValue);
  *value = node->attributes.values[id];
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  GPUOPT_EMU_ENTER();
  if (!is_kernel(to) || !is_kernel(from)) return record(cudaErrorInvalidValue);
  to->attributes = from->attributes;
  to->launch.configuration.cooperative = from->launch.configuration.cooperative;
  to->launch.configuration.cluster = from->launch.configuration.cluster;
  to->launch.configuration.carveout = from->launch.configuration.carveout;
  return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
  GPUOPT_EMU_ENTER();
  CUstream_st *const object = stream_object(stream);
  if (!object) return record(cudaErrorInvalidResourceHandle);
  if (!value || !is_streams(id)) return record(cudaErrorInvalidValue);
  cudaLaunchAttributeValue kept = *value;
  const cudaError_t error = check_value(id, &kept);
  if (error != cudaSuccess) return record(error);
  object->attributes.values[id] = kept;
  if (id == cudaLaunchAttributePriority) object->priority = kept.priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
  GPUOPT_EMU_ENTER();
  const CUstream_st *const object = stream_object(stream);
  if (!object) return record(cudaErrorInvalidResourceHandle);
  if (!value || !is_streams(id)) return record(cudaErrorInvalidValue);
  *value = object->attributes.values[id];
  if (id == cudaLaunchAttributePriority) value->priority = object->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  GPUOPT_EMU_ENTER();
  CUstream_st *const target = stream_object(to), *const source = stream_object(from);
  if (!target || !source) return record(cudaErrorInvalidResourceHandle);
  target->attributes = source->attributes;
  target->priority = source->priority;
  return cudaSuccess;
}
}
