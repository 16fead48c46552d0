// Streams: what is given to one is done at once, in program order, unless the stream captures a graph or something
// before it goes on beside the program (background.h).
#ifndef GPUOPT_EMU_STREAMS_H
#define GPUOPT_EMU_STREAMS_H

#include <atomic>
#include <functional>
#include <set>
#include <vector>

#include "background.h"
#include "launch_record.h"
#include "living.h"
#include "state.h"

namespace gpuopt_emu {

// A capture in progress: begun on one stream, joined by others that waited for its events.
struct Capture {
  cudaGraph_t graph;
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  unsigned long long number;
  const void *thread;  // a mark of the OS thread that began it
  bool invalid, ended;
  std::set<cudaStream_t> streams;
  std::vector<cudaGraphNode_t> left;  // what streams did last that were destroyed meanwhile
  bool given;                         // the graph is one that the program had before
};

}  // namespace gpuopt_emu

struct CUstream_st {
  unsigned flags;
  int priority;
  unsigned long long number;
  gpuopt_emu::Capture *capture;           // null: work is done at once
  std::vector<cudaGraphNode_t> last;      // while capturing: what the next node depends on
  gpuopt_emu::Attributes attributes;
};

struct CUevent_st : gpuopt_emu::Living<CUevent_st> {
  unsigned flags;
  double time;  // seconds; 0 before it was recorded
  gpuopt_emu::Capture *capture;  // that it was recorded in, with what must come before a wait for it
  std::vector<cudaGraphNode_t> after;
  gpuopt_emu::TaskPointer task;  // that it notes the end of; null: nothing was left to wait for
};

namespace gpuopt_emu {

extern std::atomic<unsigned> captures;  // in progress

// The object behind a handle; the default streams have one too. Null for a handle that is none.
CUstream_st *stream_object(cudaStream_t stream);
bool captures_now(cudaStream_t stream);
static inline bool captures_launch(void *stream) {
  return captures.load(std::memory_order_relaxed) != 0 && captures_now(static_cast<cudaStream_t>(stream));
}
bool is_invalid(void *stream);  // the capture that it takes part in
void capture_launch(const Launch &launch);
// A node that does `work`, after what the stream captured before. Null, with the error recorded, where that cannot be.
cudaGraphNode_t capture_node(cudaStream_t stream, cudaGraphNodeType type);
void add_once(std::vector<cudaGraphNode_t> &nodes, cudaGraphNode_t node);
// For what must not be done while streams capture: the error where a capture forbids it, which it invalidates. That is,
// what could wait for the capture; what waits for all streams; what is given to the default stream, or to one that waits
// for it (`asks`: nothing is invalidated); and what no capturing stream can keep.
cudaError_t refuse_in_capture();
cudaError_t refuse_any_capture();
cudaError_t refuse_legacy(cudaStream_t stream, bool asks = false);
cudaError_t refuse_capturing(cudaStream_t stream);
void invalidate(cudaStream_t stream);  // the capture that it takes part in, if it does
void abandon(Capture *capture);        // ends it without a graph

// Where and when work is done that may wait for what the program does afterwards.
struct Beside {
  bool wanted = false;   // not by the calling OS thread
  double patience = 0;   // seconds, as run_beside has it
};
// The program goes on when a function of its own has taken a tenth of a second: it may wait for the program.
static const Beside HOST_FUNCTION = {true, 0.1};

// Does the work now, or in its turn where something comes before it. It is kept: it must own what it needs.
template <class Work> cudaError_t give_work(cudaStream_t stream, Work work, Beside beside = Beside()) {
  if (!beside.wanted && !any_unfinished()) return work();
  CUstream_st *const object = stream_object(stream);
  if (!object || this_task) return work();
  if (any_unfinished() && defer(*object, work)) return cudaSuccess;
  return beside.wanted ? run_beside(*object, work, beside.patience) : work();
}

// The same; a capturing stream keeps it as a node of its graph, which `fill` completes.
template <class Work, class Fill>
cudaError_t submit(cudaStream_t stream, cudaGraphNodeType type, Work work, Fill fill, Beside beside = Beside()) {
  const cudaError_t refused = refuse_legacy(stream);
  if (refused != cudaSuccess) return refused;
  if (!captures_launch(stream)) return record(give_work(stream, work, beside));
  const cudaGraphNode_t node = capture_node(stream, type);
  if (!node) return record(cudaErrorStreamCaptureInvalidated);
  fill(*node);
  return cudaSuccess;
}

double event_time();  // seconds that an event notes: of the model where there is one

}  // namespace gpuopt_emu

#endif
