// What one warp did, for others that do the same elsewhere.
//
// Where addresses are sums over threadIdx and blockIdx (model_survey.h), the accesses of all warps of a part of the grid
// that do the same, lane by lane, differ by sums over their coordinates. So one of them is run to its end in advance, one
// more along each axis tells how addresses change along it, one in the far corner shows that it is so; and the others take
// what the first one did, moved to where they are, if that is a whole number of lines away: then lines and sectors are
// the same, moved. Warps that wait for others at barriers, or use shared memory, run themselves.
#ifndef GPUOPT_EMU_MODEL_REPLAY_H
#define GPUOPT_EMU_MODEL_REPLAY_H

#include <array>
#include <memory>
#include <vector>

#include "model_append.h"

namespace gpuopt_emu {

// All that a warp does, with what else it depends on where another warp of its part is.
struct Replay {
  PackedVector<uint64_t> words;        // as in a warp's queue, with one more that ends a window
  PackedVector<unsigned char> kinds;   // of each word: how its addresses change from warp to warp
  struct Reach {  // of what is accessed in one array, by lanes 0
    unsigned kind;
    uintptr_t low, high, first, last;  // the accesses, and the array
  };
  std::vector<Reach> reaches;
  struct Constants {
    unsigned source;
    uint64_t requests;
  };
  std::vector<Constants> constants;  // they are counted when they go into a queue
  std::array<int, surveys::AXES> place;
  bool apart;  // what changes otherwise from warp to warp is nowhere the same here, so it may be nowhere else
};

// The parts of an instruction where the warp accesses them.
inline Parts parts_of(const ModelWarp &warp, const NextInstruction &next) {
  return {next.parts, warp.kinds ? warp.moves[warp.kinds[next.parts - warp.words]] : 0};
}

class Replays {
 public:
  Replays();
  ~Replays();
  // Before any block is dealt out.
  void prepare(Grid &grid, Worker *worker, const UniformWarps &uniform);
  // Lets the warp, whose lanes have not begun, take what another one did. False: its own lanes must run.
  bool take(ModelWarp *warp, const Block &block);

 private:
  struct Told;
  struct PartReplays;
  typedef std::array<int, surveys::AXES> Place;
  void consider(Grid &grid, Worker *worker, const surveys::Box &box, const TellingLanes *telling);
  bool rehearse(const PartReplays &part, const Place &place, Told *told);
  bool learn(PartReplays &part);
  bool learn_steps(PartReplays &part, const Told &first);
  const Replay *variant_for(PartReplays &part, const Place &place, uintptr_t *moves);
  Replay *add(PartReplays &part, const Place &place, Told &told);
  bool predicted(const PartReplays &part, const Told &first, const Place &from, const Told &other, const Place &to) const;

  Grid *grid_ = nullptr;
  std::unique_ptr<Room> room_;
  std::vector<std::unique_ptr<PartReplays>> parts_;
  size_t words_ = 0, last_ = 0;  // of all replays; the part that held a warp last
  uint32_t loads_ = 0;  // that have numbers
};

extern uint64_t replayed_warps;  // of all launches

// Of the warp that is rehearsed: told of each access that counts, with how many words its queue has so far.
class Rehearsal {
 public:
  virtual ~Rehearsal() = default;
  virtual void accesses(const Addresses &a, size_t words, bool shared, const CodeSite &site) = 0;
};
extern Rehearsal *rehearsal;  // null: no warp is

}  // namespace gpuopt_emu

#endif
