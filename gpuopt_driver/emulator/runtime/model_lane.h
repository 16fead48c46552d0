// Modelled device threads: thousands are under way at once, so all run on one stack, and what is live of it is copied
// aside while another one runs. That is a few hundred bytes, which stay in the processor's caches; stacks would not.
#ifndef GPUOPT_EMU_MODEL_LANE_H
#define GPUOPT_EMU_MODEL_LANE_H

#include <vector>

#include "model_pages.h"
#include "model_recent.h"
#include "model_survey.h"
#include "model_touch.h"

namespace gpuopt_emu {

struct ModelBlock;
class StreamWriter;

enum class LaneState : unsigned char { runs, waits, held, done };

struct Lane : Fiber {
  LaneState state;
  unsigned char held_by;  // the barrier's number
  unsigned arrives;       // at barrier `held_by`, one for so many threads, and does not wait; 0: it waits
  bool yielded;  // it let others go on, and has nothing to do until they did
  unsigned live_bytes, capacity;
  char *live;  // of the stack
};

// A warp's accesses, ready for the model to take: see model_window.h.
struct alignas(64) ModelWarp {
  static void *operator new(size_t bytes) { return take_memory(bytes); }
  static void operator delete(void *memory, size_t bytes) { give_memory(memory, bytes); }
  // What issuing needs, together.
  const uint64_t *words;  // what it does next: its queue, or what another warp did (model_replay.h)
  size_t taken, end;      // of the words, behind which there is one more that ends a window
  const unsigned char *kinds;  // of each word: which of `moves` it takes; null: its own lanes run
  uint64_t loads_done;
  unsigned slot;         // of the multiprocessor
  unsigned next_load;    // of those under way: the one begun longest ago
  unsigned loop, turns;  // the first load since all were there, and how often it was made
  static constexpr unsigned LOADS = 16, MOVES = 8;
  alignas(64) uint64_t loads[LOADS];  // when the last ones will be there
  alignas(64) uint64_t moves[MOVES];  // from where the other warp accessed to where this one does, by kind, in parts
  bool replays() const { return kinds != nullptr; }
  PackedVector<uint64_t> queue;
  unsigned count;   // of its lanes, those that run
  unsigned width;   // all of them
  const TellingLanes *telling;  // where few run
  unsigned number;  // in the block
  ModelBlock *block;
  uint64_t age;     // warps that started earlier have lower ones
  bool has_left;
  bool accessed_much;  // in its last window
  bool at_window_end() const { return words[taken] >> 48 == 0xfffe; }  // see model_instruction.h
  bool parked;  // all that it did was taken, and its lanes wait
  bool begun, done;
  bool over;  // all lanes have ended, and are no longer there
  unsigned waits_for_laggards;  // windows in a row that could not be used up
  const void *last_pc;
  unsigned work_before, flops_before;  // of what goes with its next instruction
  unsigned turns_ended;  // of loops that are to be unrolled so often and no further
  unsigned barrier;     // it came to one since its last access, which has this number plus 1; 0: to none; see model_barrier_work.h
  unsigned done_ahead;  // arithmetic instructions in front of it
  bool at_barrier;      // what it does in front of it is in its queue
  Lane *lanes[WARP];  // while it runs; before and after, one that stands for them
  std::vector<std::vector<Touch>> left;  // of lanes that are ahead of others after a branch; empty until there are some
  Recent recent;
  // For cache-conscious scheduling.
  std::vector<uint32_t> victims;  // tags of lines that it lost lately
  double score;                   // lost locality
  uint64_t scored;                // when that was
  StreamWriter *trace;            // where its trace goes; see trace.h
};

struct ModelBlock {
  Room *room;
  Block *block;
  unsigned long long number;
  unsigned sm, live_warps;
  bool holds;  // lanes that may go on once all of their warps have come
  uint64_t began;
  std::vector<ModelWarp *> warps;
  // Shared memory that it takes while it needs it; see model_smm.h.
  bool managed, holds_shared;
  int asks;  // at the barrier that it has come to: 1 for shared memory, -1 to give it back
  unsigned asked_bytes, base;
  size_t takes;  // at most
  uint64_t took, held_cycles;  // since when it uses what it asked for, and for how long it did
};

void use_lanes(Worker *worker);                  // of this OS thread, before any of the following
Lane *new_lane(Block *block, unsigned linear);
// Most threads run to their end at once, so lanes are there only from their warp's first window to its last.
void await_lanes(ModelWarp *warp, unsigned width, const TellingLanes *telling);  // of a warp that has not begun
void begin_lanes(ModelWarp *warp);
void end_lanes(ModelWarp *warp);                    // where all have ended
void skip_lanes(ModelWarp *warp);                   // which have not begun, and never will
void free_lane(Lane *lane);
void run_lane(Lane *lane);                       // until it has to wait or has no room left for touches
void run_lane(Lane *lane, void (*entry)());      // a new one
size_t lane_bytes();                             // memory that lanes hold

}  // namespace gpuopt_emu

#endif
