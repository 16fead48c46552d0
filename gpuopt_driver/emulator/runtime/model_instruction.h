// Instructions of warps, as their queues hold them.
//
// A launch has few that differ by more than what they access, so they have numbers. In a queue there is a word for each
// part, the number in the highest bits of the first one, or a word with the number alone.
#ifndef GPUOPT_EMU_MODEL_INSTRUCTION_H
#define GPUOPT_EMU_MODEL_INSTRUCTION_H

#include "model_coalesce.h"
#include "model_sites.h"

namespace gpuopt_emu {

// What an instruction is that accesses nothing (Space::nothing), in its `passes`.
enum Computing : unsigned char {
  PAUSES,    // for as long as `before` instructions take
  REPEATS,   // an instruction with a constant operand, for each other word that lanes ask for
  COMPUTES_AHEAD,  // `before` instructions in front of barrier `source` of model_barrier_work.h
  COMPUTES_REST,    // `before` instructions since access `flops`, which was in front of a barrier, but for those done there
};

struct WarpInstruction {
  uint32_t source;  // whose counters
  uint16_t before;  // arithmetic instructions since the one before
  Space space;
  Access kind;
  unsigned char parts, passes, ideal, lanes;  // passes: of shared memory; sectors of what is elsewhere
  Operator with;
  unsigned char words;  // of the queue
  uint16_t flops;
};
static_assert(sizeof(WarpInstruction) == 16, "compared as two words");

constexpr unsigned char MANY_SECTORS = 255;  // or more
constexpr unsigned NUMBER_SHIFT = 48;
constexpr unsigned OTHER = 0xffff;    // there were too many; the instruction is in the next two words
constexpr unsigned WINDOWS = 0xfffe;  // no instruction: a window ends, and the next one begins
constexpr size_t MOST_WORDS_OF_ONE = 3 + 2 * MOST_PARTS;
extern WarpInstruction numbered_instructions[];

void forget_instructions();
// What is the same whenever an instruction with a number is issued, on any multiprocessor of the launch.
struct Issuing {
  // What it adds to its source's counters, so it is only counted how often that was, until count_issued() adds it up.
  // Loads count as hits; what misses is to be taken off.
  uint64_t times;
  uint64_t computes;  // cycles before it accesses anything
  double lookup;      // cycles of L1
  uint32_t cycles;    // of its scheduler
  bool looked_at;     // else only `times` is known
  bool simple;        // a load of a line, or of so many that it may have a number, which L1 may have
  bool first_out;
};
extern Issuing issuing[];
void add_issued(const WarpInstruction &what, uint64_t times);
void count_issued();
inline Issuing *issuing_of(const WarpInstruction &what) {  // null: it has no number
  const size_t number = (size_t)((uintptr_t)&what - (uintptr_t)numbered_instructions) / sizeof what;
  return __builtin_expect(number < WINDOWS, 1) ? &issuing[number] : nullptr;
}
// Writes the instruction, whose parts are at `to + 3`, and returns where the next one goes. `recent`: a number that is
// likely.
uint64_t *put_instruction(WarpInstruction instruction, uint16_t *recent, uint64_t *to);

constexpr uint64_t WINDOW_ENDS = (uint64_t)WINDOWS << NUMBER_SHIFT;
inline bool ends_window(uint64_t word) { return word >> NUMBER_SHIFT == WINDOWS; }

struct NextInstruction {
  const WarpInstruction &what;
  const Part *parts;
};

inline NextInstruction instruction_at(const uint64_t *at) {
  const unsigned number = (unsigned)(*at >> NUMBER_SHIFT);
  if (__builtin_expect(number != OTHER, 1)) return {numbered_instructions[number], at};
  return {*reinterpret_cast<const WarpInstruction *>(at + 1), at + 3};
}

// Loads of many parts get numbers in the highest bits of their second and third words: those that ask for the same lines
// have the same one. The first one is above `numbers`, the last one is returned.
uint32_t number_loads(uint64_t *words, size_t count, uint32_t numbers);

}  // namespace gpuopt_emu

#endif
