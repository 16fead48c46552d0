// What one warp does, as bytes: each instruction beside the one that the same place of the code made last.
#ifndef GPUOPT_EMU_TRACE_STREAM_H
#define GPUOPT_EMU_TRACE_STREAM_H

#include <vector>

#include "trace_spool.h"

namespace gpuopt_emu {

// A warp's instruction that accesses memory, a barrier (place 0), or the end (place 1).
struct Traced {
  static const unsigned BARRIER = 0, END = 1, FIRST_PLACE = 2;
  unsigned place;          // number of the instruction in the kernel
  unsigned before, flops;  // arithmetic instructions since the one before, and operations of floating point in them
  uint32_t lanes;          // that take part
  uint64_t address[32];    // of these, in ascending order of lanes
  unsigned count() const { return (unsigned)__builtin_popcount(lanes); }
};

// How addresses are told; the first three as in Accel-Sim's traces.
enum class Form : unsigned char { list, stride, deltas, same };

// `stride` is that of all lanes, where there is one and they follow each other without a gap.
bool has_stride(const Traced &what, int64_t *stride);

// What is remembered of a place; the places share a few of these.
struct Memory {
  unsigned place = ~0u, before = 0, flops = 0;
  uint32_t lanes = 0;
  uint64_t first = 0;
  int64_t moved = 0, stride = 0;
  bool strided = false;
};
constexpr unsigned MEMORIES = 32;

// Bytes of an instruction:
//   flags: Form in bits 0-1; 4: lanes follow (4 bytes); 8: `before` and `flops` follow; 16: addresses follow
//   the place, and what the flags say, as numbers of 7 bits per byte (signed ones: zigzag); then by form
//     stride: how far the first address has moved since last time, the stride
//     deltas: the same, then the distance of each lane from the one before
//     same: nothing; moved as far as last time, with the same stride and lanes
class StreamWriter {
 public:
  void begin(Spool *spool);
  void add(const Traced &what);
  Chain end();
  uint64_t instructions() const { return instructions_; }

 private:
  void put(unsigned char byte);
  void number(uint64_t value);
  void signed_number(int64_t value) { number((uint64_t)value << 1 ^ (uint64_t)(value >> 63)); }

  Spool *spool_ = nullptr;
  Chain chain_;
  Memory known_[MEMORIES];
  uint64_t instructions_ = 0;
  size_t used_ = 0;
  unsigned char bytes_[Spool::ROOM];
};

class StreamReader {
 public:
  StreamReader(const Spool &spool, const Chain &chain);
  bool next(Traced *what);  // false: that was all

 private:
  unsigned char get();
  uint64_t number();
  int64_t signed_number() {
    const uint64_t value = number();
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
  }

  const Spool &spool_;
  uint64_t chunk_, left_;
  size_t at_ = Spool::ROOM;
  Memory known_[MEMORIES];
  unsigned char bytes_[Spool::ROOM];
};

}  // namespace gpuopt_emu

#endif
