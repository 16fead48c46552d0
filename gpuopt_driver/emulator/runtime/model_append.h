// From what lanes did together to an instruction in their warp's queue.
#ifndef GPUOPT_EMU_MODEL_APPEND_H
#define GPUOPT_EMU_MODEL_APPEND_H

#include "model_instruction.h"
#include "model_lane.h"

namespace gpuopt_emu {

// The addresses of an instruction's lanes: all of them, or the first one and the step from each to the next.
struct Addresses {
  uintptr_t *at;
  unsigned count;
  bool all;
  uintptr_t step;

  void spell_out() {
    if (all) return;
    for (unsigned i = 1; i < count; ++i) at[i] = at[0] + i * step;
    all = true;
  }
  void shift(uintptr_t by) {
    for (unsigned i = 0, n = all ? count : 1; i < n; ++i) at[i] += by;
  }
};

void begin_appending(Coalescing how, unsigned banks);  // for a launch

// What a warp's window adds to its queue. Instructions are put together in one place, which stays in the processor's
// nearest cache, and copied to the queue when all are there.
class Appender {
 public:
  explicit Appender(ModelWarp *warp);
  ~Appender();
  Appender(const Appender &) = delete;
  Appender &operator=(const Appender &) = delete;
  // An access of `lanes`, of which `first` is the first one's.
  void add(const Touch &first, uint32_t lanes, Addresses &a);
  void pause(unsigned cycles);  // lanes that wait by repeating something without accessing memory: they take time
  bool anything() const { return accessed_ != 0; }  // since the window began
  void begin_window();  // the one before ends

 private:
  bool is_in_register(const Touch &touch, uint32_t lanes, const Addresses &a, uintptr_t array);
  void use_shared(WarpInstruction &instruction, CodeSite &site, const Touch &first, uint32_t lanes, Addresses &a);
  void end_turn(unsigned of);
  void take_along(const CodeSite &site, unsigned more);
  void repeat(const CodeSite &site, unsigned times, unsigned lanes);
  void compute_behind(WarpInstruction &instruction);
  // Whether the warp's next instruction has more to tell than its own.
  bool brings_more() const { return warp_->work_before || warp_->flops_before || warp_->barrier; }
  bool add_again(const CodeSite &site, const Touch &first, uint32_t lanes, const Addresses &a);
  void remember(CodeSite &site, const Touch &first, uint32_t lanes, const Addresses &a, const uint64_t *words, unsigned parts);
  void flush();
  size_t queued() const;  // words in all

  ModelWarp *const warp_;
  const uintptr_t stack_, stack_bytes_, shared_, shared_bytes_;
  const uintptr_t current_, current_block_;  // the emulator's own, in a fence
  uint64_t *end_;
  size_t accessed_ = 0;  // parts, and two for each instruction
};

}  // namespace gpuopt_emu

#endif
