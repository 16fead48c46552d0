// Capturing what is given to streams as a graph.
#include <algorithm>
#include <mutex>

#include "graph.h"
#include "streams.h"

namespace gpuopt_emu {

std::atomic<unsigned> captures{0};
static std::mutex capture_mutex;
static std::vector<Capture *> running;
static unsigned long long capture_numbers;
static thread_local char thread_mark;
static thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool captures_now(cudaStream_t stream) {
  const CUstream_st *const object = stream_object(stream);
  return object && object->capture;
}

cudaGraphNode_t capture_node(cudaStream_t stream, cudaGraphNodeType type) {
  CUstream_st *const object = stream_object(stream);
  std::lock_guard<std::mutex> lock(capture_mutex);
  if (object->capture->invalid) return nullptr;
  const cudaGraphNode_t node = add_node(object->capture->graph, type, object->last);
  object->last = {node};
  return node;
}

void capture_launch(const Launch &launch) {
  const cudaGraphNode_t node =
      capture_node(static_cast<cudaStream_t>(launch.configuration.stream), cudaGraphNodeTypeKernel);
  if (node) node->launch = launch;
  else record(cudaErrorStreamCaptureInvalidated);
}

cudaError_t refuse_in_capture() {
  if (!captures.load(std::memory_order_relaxed) || thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  std::lock_guard<std::mutex> lock(capture_mutex);
  for (Capture *capture : running) {
    if (capture->mode == cudaStreamCaptureModeRelaxed) continue;
    if (capture->mode == cudaStreamCaptureModeThreadLocal && capture->thread != &thread_mark) continue;
    capture->invalid = true;
    return record(cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

// Whether all that the capture's other streams did comes before what its first one did last.
static bool joined(const Capture &capture, const CUstream_st &origin) {
  std::set<cudaGraphNode_t> before(origin.last.begin(), origin.last.end());
  std::vector<cudaGraphNode_t> rest(origin.last);
  while (!rest.empty()) {
    const cudaGraphNode_t node = rest.back();
    rest.pop_back();
    for (const cudaGraphNode_t other : node->needs)
      if (before.insert(other).second) rest.push_back(other);
  }
  for (const cudaGraphNode_t node : capture.left)
    if (!before.count(node)) return false;
  for (const cudaStream_t stream : capture.streams) {
    const CUstream_st *const object = stream_object(stream);
    if (object == &origin || !object) continue;
    for (const cudaGraphNode_t node : object->last)
      if (!before.count(node)) return false;
  }
  return true;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  GPUOPT_EMU_ENTER();
  CUstream_st *const object = stream_object(stream);
  if (!object) return record(cudaErrorInvalidResourceHandle);
  if (!stream || stream == cudaStreamLegacy) return record(cudaErrorStreamCaptureUnsupported);
  if (object->capture) return record(cudaErrorIllegalState);
  std::lock_guard<std::mutex> lock(capture_mutex);
  object->capture = new Capture{new CUgraph_st, stream, mode, ++capture_numbers, &thread_mark, false, false, {stream}, {}, false};
  object->last.clear();
  running.push_back(object->capture);
  ++captures;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                          const cudaGraphEdgeData *, size_t count, cudaStreamCaptureMode mode) {
  const cudaError_t error = cudaStreamBeginCapture(stream, mode);
  if (error != cudaSuccess) return error;
  CUstream_st *const object = stream_object(stream);
  delete object->capture->graph;
  object->capture->graph = graph;
  object->capture->given = true;
  object->last.assign(needs, needs + count);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  GPUOPT_EMU_ENTER();
  CUstream_st *const origin = stream_object(stream);
  if (!origin) return record(cudaErrorInvalidValue);
  Capture *const capture = origin->capture;
  if (!capture) return record(cudaErrorIllegalState);
  if (capture->origin != stream) {
    capture->invalid = true;
    return record(cudaErrorStreamCaptureUnmatched);
  }
  if (!graph && !capture->given) return record(cudaErrorInvalidValue);
  if (graph) *graph = nullptr;
  cudaError_t error = cudaSuccess;
  if (capture->invalid) error = cudaErrorStreamCaptureInvalidated;
  else if (!joined(*capture, *origin)) error = cudaErrorStreamCaptureUnjoined;
  for (const cudaStream_t one : capture->streams)
    if (CUstream_st *const object = stream_object(one)) {
      object->capture = nullptr;
      object->last.clear();
    }
  if (error == cudaSuccess && graph) *graph = capture->graph;
  if (error != cudaSuccess && !capture->given) delete capture->graph;
  std::lock_guard<std::mutex> lock(capture_mutex);
  capture->ended = true;
  running.erase(std::find(running.begin(), running.end(), capture));
  --captures;
  return record(error);  // events recorded in the capture keep it, as a mark
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  GPUOPT_EMU_ENTER();
  const CUstream_st *const object = stream_object(stream);
  if (!status || !object) return record(cudaErrorInvalidValue);
  *status = !object->capture           ? cudaStreamCaptureStatusNone
            : object->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *number,
                                     cudaGraph_t *graph, const cudaGraphNode_t **needs, size_t *count) {
  const cudaError_t error = cudaStreamIsCapturing(stream, status);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  const CUstream_st *const object = stream_object(stream);
  if (number) *number = object->capture->number;
  if (graph) *graph = object->capture->graph;
  if (needs) *needs = object->last.data();
  if (count) *count = object->last.size();
  return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *needs, size_t count,
                                                unsigned int flags) {
  GPUOPT_EMU_ENTER();
  CUstream_st *const object = stream_object(stream);
  if (!object || !object->capture) return record(cudaErrorIllegalState);
  if (flags == cudaStreamSetCaptureDependencies) object->last.clear();
  object->last.insert(object->last.end(), needs, needs + count);
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  GPUOPT_EMU_ENTER();
  if (!mode) return record(cudaErrorInvalidValue);
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}
}
