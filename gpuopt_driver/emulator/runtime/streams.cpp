// Streams and events. Work is done when it is given, in program order; so everything is always finished.
#include "settings.h"
#include "state.h"

struct CUstream_st {
  unsigned flags;
  int priority;
};
struct CUevent_st {
  unsigned flags;
  double time;  // seconds; 0 before it was recorded
};

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  GPUOPT_EMU_ENTER();
  if (!stream || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
  *stream = new CUstream_st{flags, priority};
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return record(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return state(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return state(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned int) {
  GPUOPT_EMU_ENTER();
  return event ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int) {
  callback(stream, state(), data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data) {
  GPUOPT_EMU_ENTER();
  function(data);
  return cudaSuccess;
}
static bool is_object(cudaStream_t stream) {
  return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  GPUOPT_EMU_ENTER();
  *flags = is_object(stream) ? stream->flags : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  GPUOPT_EMU_ENTER();
  *priority = is_object(stream) ? stream->priority : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  GPUOPT_EMU_ENTER();
  if (!status) return record(cudaErrorInvalidValue);
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned int) { return state(); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!event) return record(cudaErrorInvalidValue);
  *event = new CUevent_st{flags, 0};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  if (!event) return record(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t, unsigned int) {
  GPUOPT_EMU_ENTER();
  if (!event) return record(cudaErrorInvalidResourceHandle);
  event->time = seconds();
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, 0); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  return event ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  GPUOPT_EMU_ENTER();
  if (!milliseconds) return record(cudaErrorInvalidValue);
  if (!start || !end || start->flags & cudaEventDisableTiming || end->flags & cudaEventDisableTiming)
    return record(cudaErrorInvalidResourceHandle);
  if (start->time == 0 || end->time == 0) return record(cudaErrorInvalidResourceHandle);
  *milliseconds = (float)((end->time - start->time) * 1e3);
  return cudaSuccess;
}
}
