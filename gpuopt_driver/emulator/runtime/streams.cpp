// The API of streams and events. Work is done when it is given, so nearly always everything is finished.
#include "streams.h"

#include <mutex>

#include "graph.h"
#include "pools.h"
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
static cudaError_t refuse_waiting(cudaStream_t stream) {
  const cudaError_t error = is_stream(stream);
  if (error != cudaSuccess) return error;
  const cudaError_t refused = refuse_capturing(stream);
  return refused == cudaSuccess ? refuse_in_capture() : refused;
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
  Capture *ends = nullptr;
  std::unique_lock<std::mutex> lock(streams_mutex);
  if (!streams.erase(stream)) return record(cudaErrorInvalidResourceHandle);
  if (Capture *const capture = stream->capture) {
    capture->streams.erase(stream);
    if (capture->origin == stream) ends = capture;
    capture->left.insert(capture->left.end(), stream->last.begin(), stream->last.end());
  }
  delete stream;
  lock.unlock();
  if (ends) abandon(ends);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t error = refuse_waiting(stream);
  if (error != cudaSuccess) return error;
  join(*stream_object(stream));
  pools_waited();
  return is_stream(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const cudaError_t error = refuse_waiting(stream);
  if (error != cudaSuccess) return error;
  return has_ended(*stream_object(stream)) ? is_stream(stream) : cudaErrorNotReady;
}
// The wait of a stream for an event that a capture recorded, by which the stream takes part in it.
static cudaError_t wait_in_capture(cudaStream_t stream, CUstream_st *object, const CUevent_st &event) {
  Capture *const capture = event.capture;
  if (capture->ended) {
    invalidate(stream);
    return record(cudaErrorInvalidValue);
  }
  if (capture->invalid) return record(cudaErrorInvalidValue);
  if (!stream || stream == cudaStreamLegacy) {
    capture->invalid = true;
    return record(cudaErrorStreamCaptureImplicit);
  }
  if (object->capture && object->capture != capture) {
    object->capture->invalid = capture->invalid = true;
    return record(cudaErrorStreamCaptureMerge);
  }
  object->capture = capture;
  capture->streams.insert(stream);
  for (const cudaGraphNode_t node : event.after) add_once(object->last, node);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  GPUOPT_EMU_ENTER_QUIETLY();
  CUstream_st *const object = stream_object(stream);
  if (!lives(event) || !object) return record(cudaErrorInvalidResourceHandle);
  if (flags > cudaEventWaitExternal) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_legacy(stream);
  if (refused != cudaSuccess) return refused;
  if (object->capture && object->capture->invalid) return record(cudaErrorStreamCaptureInvalidated);
  if (flags == cudaEventWaitExternal) {
    if (!object->capture) return record(cudaErrorIllegalState);
    capture_node(stream, cudaGraphNodeTypeWaitEvent)->event = event;
    return cudaSuccess;
  }
  if (event->capture) return wait_in_capture(stream, object, *event);
  if (!object->capture) {
    if (!has_ended(event->task)) defer(*object, [] { return cudaSuccess; }, event->task);
    return cudaSuccess;
  }
  if (event->time == 0 && !event->task) return cudaSuccess;  // it was never recorded
  object->capture->invalid = true;                            // the graph would depend on what is outside it
  return record(cudaErrorStreamCaptureIsolation);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!function) return record(cudaErrorInvalidValue);
  const auto call = [=] {
    const HostFunction inside;
    function(data);
    return cudaSuccess;
  };
  const auto fill = [&](CUgraphNode_st &node) { node.host = cudaHostNodeParams{function, data}; };
  return submit(stream, cudaGraphNodeTypeHost, call, fill, HOST_FUNCTION);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!callback || flags) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  const auto call = [=] {
    const cudaError_t status = state();
    const HostFunction inside;
    callback(stream, status, data);
    return cudaSuccess;
  };
  return submit(stream, cudaGraphNodeTypeHost, call, [&](CUgraphNode_st &node) { node.work = call; }, HOST_FUNCTION);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  if (!flags) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess) *flags = stream_object(stream)->flags;
  return error;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess && !priority) return record(cudaErrorInvalidValue);
  if (error == cudaSuccess) *priority = stream_object(stream)->priority;
  return error;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess && !number) return record(cudaErrorInvalidValue);
  if (error == cudaSuccess) *number = stream_object(stream)->number;
  return error;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  const cudaError_t error = is_stream(stream);
  if (error == cudaSuccess && !device) return record(cudaErrorInvalidValue);
  if (error == cudaSuccess) *device = 0;
  return error;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!event || flags > 7 || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
    return record(cudaErrorInvalidValue);
  *event = new CUevent_st{{}, flags, 0, nullptr, {}, nullptr};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  if (!lives(event)) return record(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  GPUOPT_EMU_ENTER_QUIETLY();
  CUstream_st *const object = stream_object(stream);
  if (!lives(event) || !object) return record(cudaErrorInvalidResourceHandle);
  if (flags > cudaEventRecordExternal) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_legacy(stream);
  if (refused != cudaSuccess) return refused;
  if (object->capture && object->capture->invalid) return record(cudaErrorStreamCaptureInvalidated);
  if (flags == cudaEventRecordExternal) {
    if (!object->capture) return record(cudaErrorIllegalState);
    capture_node(stream, cudaGraphNodeTypeEventRecord)->event = event;
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
// Waiting for an event of a capture, or asking for it, invalidates the capture.
static cudaError_t refuse_event(cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  if (!lives(event)) return record(cudaErrorInvalidResourceHandle);
  if (!event->capture) return refuse_in_capture();
  if (event->capture->ended) return record(cudaErrorInvalidValue);
  event->capture->invalid = true;
  return record(cudaErrorCapturedEvent);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const cudaError_t error = refuse_event(event);
  if (error != cudaSuccess) return error;
  join(event->task);
  pools_waited();
  return state();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const cudaError_t error = refuse_event(event);
  if (error != cudaSuccess) return error;
  return has_ended(event->task) ? state() : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  GPUOPT_EMU_ENTER();
  if (!milliseconds) return record(cudaErrorInvalidValue);
  if (!lives(start) || !lives(end) || start->flags & cudaEventDisableTiming || end->flags & cudaEventDisableTiming)
    return record(cudaErrorInvalidResourceHandle);
  for (const cudaEvent_t event : {start, end})
    if (event->capture) return record(event->capture->ended ? cudaErrorInvalidValue : cudaErrorCapturedEvent);
  if (start->time == 0 || end->time == 0) return record(cudaErrorInvalidResourceHandle);
  if (!has_ended(start->task) || !has_ended(end->task)) return cudaErrorNotReady;
  *milliseconds = (float)((time_of(*end) - time_of(*start)) * 1e3);
  return cudaSuccess;
}
}
