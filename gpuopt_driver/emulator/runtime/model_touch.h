// What a modelled thread leaves behind at each access to memory, and who writes it down.
#ifndef GPUOPT_EMU_MODEL_TOUCH_H
#define GPUOPT_EMU_MODEL_TOUCH_H

#include <stdint.h>

#include "events.h"
#include "model.h"

namespace gpuopt_emu {

// One access of one thread, 24 bytes. `what`: address (48 bits), bytes (8), Access (8).
struct Touch {
  const void *pc;  // of the instruction: where its call returns to
  uint64_t what;
  const Spot *spot;

  uintptr_t address() const { return what & 0xffffffffffffull; }
  unsigned bytes() const { return what >> 48 & 255; }
  Access kind() const { return (Access)(what >> 56); }
};

extern Spot turns_of_loops;  // of a touch that is none: a loop's turn ends, `bytes` of which a device compiler makes one

__attribute__((noinline)) void touches_are_full();

// Whether stores of lanes are taken back when they leave: the launch runs once more, in fast mode.
extern bool taking_back;
void remember_for_taking_back(const volatile void *pointer, unsigned bytes);

static inline __attribute__((always_inline)) void touch(const volatile void *pointer, unsigned bytes, Access kind, const Spot *spot,
                                                        const void *pc) {
  Fiber *const me = current;
  if (!me) return;
  Touch *const at = me->next_touch;
  if (!at || !spot) return;
  if (kind == Access::atomic_read && spot->flags & WITHOUT_ORDER) return;  // part of how an atomic function is emulated
  at->pc = pc;
  at->what = ((uint64_t)pointer & 0xffffffffffffull) | (uint64_t)bytes << 48 | (uint64_t)kind << 56;
  at->spot = spot;
  me->next_touch = at + 1;
  if (__builtin_expect(at + 1 == me->last_touch, 0)) touches_are_full();
  if (writes(kind) && __builtin_expect(taking_back, 0)) remember_for_taking_back(pointer, bytes);  // it comes now
}

void touch_range(const void *pointer, size_t bytes, Access kind, const Spot *spot, const void *pc);

}  // namespace gpuopt_emu

#endif
