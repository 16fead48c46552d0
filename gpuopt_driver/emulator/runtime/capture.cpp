// Capturing what is given to streams as a graph.
#include <algorithm>
#include <mutex>

#include "graph.h"
#include "streams.h"
#include "os_thread.h"

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

bool is_invalid(void *stream) { return stream_object(static_cast<cudaStream_t>(stream))->capture->invalid; }

cudaGraphNode_t capture_node(cudaStream_t stream, cudaGraphNodeType type) {
  CUstream_st *const object = stream_object(stream);
  std::lock_guard<std::mutex> lock(capture_mutex);
  if (object->capture->invalid) return nullptr;
  const cudaGraphNode_t node = add_node(object->capture->graph, type, object->last);
  object->last = {node};
  return node;
}

void add_once(std::vector<cudaGraphNode_t> &nodes, cudaGraphNode_t node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

void capture_launch(const Launch &launch) {
  const cudaGraphNode_t node =
      capture_node(static_cast<cudaStream_t>(launch.configuration.stream), cudaGraphNodeTypeKernel);
  if (!node) {
    record(cudaErrorStreamCaptureInvalidated);
    return;
  }
  node->launch = launch;
  keep_told(node);
  keep_attributes(node, *stream_object(static_cast<cudaStream_t>(launch.configuration.stream)));
}

// Whether a capture forbids the calling thread what could wait for it, as the thread's own mode has it.
static bool forbids(const Capture &capture) {
  if (thread_mode == cudaStreamCaptureModeRelaxed || capture.mode == cudaStreamCaptureModeRelaxed) return false;
  const bool everywhere = capture.mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
  return everywhere || capture.thread == &thread_mark;
}

// One of its streams waits for the default stream, and the default stream for it.
static bool is_blocking(const Capture &capture) {
  return std::any_of(capture.streams.begin(), capture.streams.end(), [](cudaStream_t stream) {
    const CUstream_st *const object = stream_object(stream);
    return object && !(object->flags & cudaStreamNonBlocking);
  });
}

// The error where there is such a capture; all of them are invalid then, unless the program only asks.
template <class Chosen> static cudaError_t refuse(Chosen chosen, cudaError_t error, bool asks = false) {
  if (!captures.load(std::memory_order_relaxed)) return cudaSuccess;
  std::lock_guard<std::mutex> lock(capture_mutex);
  bool found = false;
  for (Capture *capture : running) {
    if (!chosen(*capture)) continue;
    found = true;
    if (!asks) capture->invalid = true;
  }
  return found ? record(error) : cudaSuccess;
}

cudaError_t refuse_in_capture() { return refuse(forbids, cudaErrorStreamCaptureUnsupported); }

cudaError_t refuse_any_capture() {
  return refuse([](const Capture &) { return true; }, cudaErrorStreamCaptureUnsupported);
}

cudaError_t refuse_legacy(cudaStream_t stream, bool asks) {
  if (stream && stream != cudaStreamLegacy) return cudaSuccess;
  return refuse(is_blocking, cudaErrorStreamCaptureImplicit, asks);
}

cudaError_t refuse_capturing(cudaStream_t stream) {
  const cudaError_t error = refuse_legacy(stream);
  if (error != cudaSuccess || !captures_launch(stream)) return error;
  stream_object(stream)->capture->invalid = true;
  return record(cudaErrorStreamCaptureUnsupported);
}

void invalidate(cudaStream_t stream) {
  if (captures_launch(stream)) stream_object(stream)->capture->invalid = true;
}

// The capture's streams are as others again. Events that were recorded in it keep it, as a mark.
static void finish(Capture *capture) {
  for (const cudaStream_t one : capture->streams)
    if (CUstream_st *const object = stream_object(one)) {
      object->capture = nullptr;
      object->last.clear();
    }
  std::lock_guard<std::mutex> lock(capture_mutex);
  capture->ended = true;
  running.erase(std::find(running.begin(), running.end(), capture));
  --captures;
}

void abandon(Capture *capture) {
  capture->invalid = true;
  finish(capture);
  if (!capture->given) delete capture->graph;
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

const cudaGraphEdgeData *plain_edges(size_t count) {
  static thread_local OfThread<std::vector<cudaGraphEdgeData>> edges;
  edges->assign(count + 1, cudaGraphEdgeData{});
  return edges->data();
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  GPUOPT_EMU_ENTER();
  CUstream_st *const object = stream_object(stream);
  if (!object) return record(cudaErrorInvalidResourceHandle);
  const cudaError_t refused = refuse_legacy(stream);
  if (refused != cudaSuccess) return refused;
  if (!stream || stream == cudaStreamLegacy) return record(cudaErrorStreamCaptureUnsupported);
  if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return record(cudaErrorInvalidValue);
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
  GPUOPT_EMU_ENTER();
  if (check_needs(graph, needs, count) != cudaSuccess) return record(cudaErrorInvalidValue);
  {
    std::lock_guard<std::mutex> lock(capture_mutex);
    for (const Capture *capture : running)
      if (capture->graph == graph) return record(cudaErrorIllegalState);
  }
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
  if (graph) *graph = nullptr;
  cudaError_t error = cudaSuccess;
  if (capture->invalid) error = cudaErrorStreamCaptureInvalidated;
  else if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != &thread_mark)
    error = cudaErrorStreamCaptureWrongThread;
  else if (!joined(*capture, *origin)) error = cudaErrorStreamCaptureUnjoined;
  if (error != cudaSuccess) {
    abandon(capture);
    return record(error);
  }
  finish(capture);
  if (graph) *graph = capture->graph;
  else if (!capture->given) delete capture->graph;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  GPUOPT_EMU_ENTER();
  const CUstream_st *const object = stream_object(stream);
  if (!status || !object) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_legacy(stream, true);
  if (refused != cudaSuccess) return refused;
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
  if (!object || flags > cudaStreamSetCaptureDependencies) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_legacy(stream);
  if (refused != cudaSuccess) return refused;
  if (!object->capture) return record(cudaErrorIllegalState);
  if (object->capture->invalid) return record(cudaErrorStreamCaptureInvalidated);
  if (check_needs(object->capture->graph, needs, count) != cudaSuccess) return record(cudaErrorInvalidValue);
  if (flags == cudaStreamSetCaptureDependencies) object->last.clear();
  for (size_t i = 0; i < count; ++i) add_once(object->last, needs[i]);
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  GPUOPT_EMU_ENTER();
  if (!mode) return record(cudaErrorInvalidValue);
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}
}
