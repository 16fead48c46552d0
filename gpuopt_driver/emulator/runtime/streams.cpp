// The API of streams and events. Work is done when it is given, so nearly always everything is finished.
#include "streams.h"

#include <string.h>

#include <mutex>

#include "graph.h"
#include "settings.h"

namespace gpuopt_emu {

static std::mutex streams_mutex;
static std::set<cudaStream_t> streams;  // those that the program made
static unsigned long long stream_numbers;

static CUstream_st *new_stream(unsigned flags, int priority) {
  CUstream_st *stream = new CUstream_st();
  stream->flags = flags;
  stream->priority = priority;
  stream->number = ++stream_numbers;
  return stream;
}

CUstream_st *stream_object(cudaStream_t stream) {
  static CUstream_st *const legacy = new_stream(cudaStreamDefault, 0);
  static thread_local CUstream_st *const own = new_stream(cudaStreamDefault, 0);
  if (!stream || stream == cudaStreamLegacy) return legacy;
  if (stream == cudaStreamPerThread) return own;
  std::lock_guard<std::mutex> lock(streams_mutex);
  return streams.count(stream) ? stream : nullptr;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

// The answer of calls that only need the stream to be one.
static cudaError_t is_stream(cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  return stream_object(stream) ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}

// Waiting for a stream, or asking for its state, is not part of a graph.
static cudaError_t wait_for(cudaStream_t stream) {
  const cudaError_t error = is_stream(stream);
  if (error != cudaSuccess || !captures_launch(stream)) return error;
  stream_object(stream)->capture->invalid = true;
  return record(cudaErrorStreamCaptureUnsupported);
}

static double time_of(const CUevent_st &event) { return event.task ? event.task->ended : event.time; }

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  GPUOPT_EMU_ENTER();
  if (!stream || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(streams_mutex);
  *stream = new_stream(flags, priority > 0 ? 0 : priority < -5 ? -5 : priority);
  streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(streams_mutex);
  if (!streams.erase(stream)) return record(cudaErrorInvalidResourceHandle);
  if (Capture *const capture = stream->capture) {
    if (capture->origin == stream) capture->invalid = true;
    capture->streams.erase(stream);
    capture->left.insert(capture->left.end(), stream->last.begin(), stream->last.end());
  }
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const CUstream_st *const object = stream_object(stream);
  if (object && !captures_launch(stream)) join(*object);
  return wait_for(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const CUstream_st *const object = stream_object(stream);
  if (object && !captures_launch(stream) && !has_ended(*object)) return cudaErrorNotReady;
  return wait_for(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  GPUOPT_EMU_ENTER_QUIETLY();
  CUstream_st *const object = stream_object(stream);
  if (!event || !object) return record(cudaErrorInvalidResourceHandle);
  if (!event->capture) {
    if (!object->capture) {
      if (!has_ended(event->task)) defer(*object, [] { return cudaSuccess; }, event->task);
      return cudaSuccess;
    }
    object->capture->invalid = true;  // the graph would depend on what is outside it
    return record(cudaErrorStreamCaptureIsolation);
  }
  if (event->capture->ended) return record(cudaErrorCapturedEvent);
  if (event->capture->invalid)
    return record(object->capture == event->capture ? cudaErrorStreamCaptureInvalidated : cudaErrorInvalidValue);
  if (object->capture && object->capture != event->capture) return record(cudaErrorStreamCaptureMerge);
  object->capture = event->capture;
  object->capture->streams.insert(stream);
  for (const cudaGraphNode_t node : event->after) {
    bool known = false;
    for (const cudaGraphNode_t other : object->last) known = known || other == node;
    if (!known) object->last.push_back(node);
  }
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!function) return record(cudaErrorInvalidValue);
  const auto call = [=] {
    function(data);
    return cudaSuccess;
  };
  const auto fill = [&](CUgraphNode_st &node) { node.host = cudaHostNodeParams{function, data}; };
  return submit(stream, cudaGraphNodeTypeHost, call, fill, HOST_FUNCTION);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!callback || flags) return record(cudaErrorInvalidValue);
  const auto call = [=] {
    callback(stream, state(), data);
    return cudaSuccess;
  };
  return submit(stream, cudaGraphNodeTypeHost, call, [&](CUgraphNode_st &node) { node.work = call; }, HOST_FUNCTION);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess) *flags = stream_object(stream)->flags;
  return error;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess) *priority = stream_object(stream)->priority;
  return error;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess) *number = stream_object(stream)->number;
  return error;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess) *device = 0;
  return error;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
  const cudaError_t error = is_stream(stream);
  if (error != cudaSuccess) return error;
  if ((unsigned)id >= 16 || !value) return record(cudaErrorInvalidValue);
  stream_object(stream)->attributes[id] = *value;
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
  const cudaError_t error = is_stream(stream);
  if (error != cudaSuccess) return error;
  if ((unsigned)id >= 16 || !value) return record(cudaErrorInvalidValue);
  *value = stream_object(stream)->attributes[id];
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  CUstream_st *const target = stream_object(to), *const source = stream_object(from);
  if (!target || !source) return record(cudaErrorInvalidResourceHandle);
  memcpy(target->attributes, source->attributes, sizeof target->attributes);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!event || flags > 7 || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
    return record(cudaErrorInvalidValue);
  *event = new CUevent_st{flags, 0, nullptr, {}, nullptr};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  if (!event) return record(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  GPUOPT_EMU_ENTER_QUIETLY();
  CUstream_st *const object = stream_object(stream);
  if (!event || !object) return record(cudaErrorInvalidResourceHandle);
  if (captures_launch(stream) && flags == cudaEventRecordExternal) {
    const cudaGraphNode_t node = capture_node(stream, cudaGraphNodeTypeEventRecord);
    if (!node) return record(cudaErrorStreamCaptureInvalidated);
    node->event = event;
  } else if (object->capture) {
    event->capture = object->capture;
    event->after = object->last;
  } else {
    event->capture = nullptr;
    event->after.clear();
    event->task = any_unfinished() ? defer(*object, [] { return cudaSuccess; }) : nullptr;
    event->time = event_time();
  }
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, 0); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event && !event->capture) join(event->task);
  GPUOPT_EMU_ENTER();
  if (!event) return record(cudaErrorInvalidResourceHandle);
  if (!event->capture) return cudaSuccess;
  event->capture->invalid = true;
  return record(cudaErrorCapturedEvent);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event && !event->capture && !has_ended(event->task)) return cudaErrorNotReady;
  return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  GPUOPT_EMU_ENTER();
  if (!milliseconds) return record(cudaErrorInvalidValue);
  if (!start || !end || start->flags & cudaEventDisableTiming || end->flags & cudaEventDisableTiming)
    return record(cudaErrorInvalidResourceHandle);
  if (start->time == 0 || end->time == 0) return record(cudaErrorInvalidResourceHandle);
  if (!has_ended(start->task) || !has_ended(end->task)) return cudaErrorNotReady;
  *milliseconds = (float)((time_of(*end) - time_of(*start)) * 1e3);
  return cudaSuccess;
}
}
