// The functions that instrumented code calls: gpuopt_driver/emulator/instrument.py gives each call its place.
#include <stdlib.h>
#include <string.h>
#include <new>

#include "check_access.h"
#include "model_touch.h"

namespace gpuopt_emu {

// Any number of bytes, of which only the first and last four may be shared with another cell.
template <Access Kind> static void check_range(const void *pointer, size_t bytes, const Spot *place) {
  const BlockCheck *const check = current_check;
  const char *at = static_cast<const char *>(pointer), *const end = at + bytes;
  while (at < end) {
    const uintptr_t left = (uintptr_t)(end - at), address = (uintptr_t)at;
    if (address % 4 == 0 && left >= 4) {
      check_access<4, Kind>(check, at, place);
      at += 4;
    } else {
      check_access<1, Kind>(check, at, place);
      at += 1;
    }
  }
}

Spot turns_of_loops = {"(turn)", nullptr, nullptr, 0, 0, 0, 0};

void *check_device_malloc(size_t bytes, const Spot *place);
void check_device_free(void *pointer, const Spot *place);
void check_fence(int order);
void check_arrival(const Spot *place);

// An atomic operation in the runtime's own headers, on its own memory, has no place and is not looked at.
template <unsigned Size, Access Kind> static inline void check_atomic(const volatile void *pointer, const Spot *place) {
  if (place) check_access<Size, Kind>(current_check, const_cast<const void *>(pointer), place);
}

// Orders accesses as a fence before it would, unless it is one of CUDA's own atomic functions.
static inline void check_order(int order, const Spot *place) {
  if (checking && place && order >= __ATOMIC_RELEASE && !(place->flags & WITHOUT_ORDER)) check_fence(order);
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

// In model mode an access is written down with the address of the code that makes it; see model_touch.h.
#define GPUOPT_EMU_SEE(size, kind)                                              \
  const BlockCheck *const check = current_check;                                \
  if (__builtin_expect(check != nullptr, 1)) check_access<size, Access::kind>(check, p, at); \
  else touch(p, size, Access::kind, at, __builtin_return_address(0))
#define GPUOPT_EMU_HOOKS(size)                                                                               \
  void gpuopt_emu_read##size(void *p, const Spot *at) { GPUOPT_EMU_SEE(size, read); }                        \
  void gpuopt_emu_write##size(void *p, const Spot *at) { GPUOPT_EMU_SEE(size, write); }                      \
  void gpuopt_emu_volatile_read##size(void *p, const Spot *at) { GPUOPT_EMU_SEE(size, volatile_read); }      \
  void gpuopt_emu_volatile_write##size(void *p, const Spot *at) { GPUOPT_EMU_SEE(size, volatile_write); }
GPUOPT_EMU_HOOKS(1)
GPUOPT_EMU_HOOKS(2)
GPUOPT_EMU_HOOKS(4)
GPUOPT_EMU_HOOKS(8)
GPUOPT_EMU_HOOKS(16)
#undef GPUOPT_EMU_HOOKS

#define GPUOPT_EMU_SEE_RANGE(p, kind)                                                     \
  if (modelling) touch_range(p, bytes, Access::kind, at, __builtin_return_address(0)); \
  else check_range<Access::kind>(p, bytes, at)
void gpuopt_emu_read_range(void *p, size_t bytes, const Spot *at) { GPUOPT_EMU_SEE_RANGE(p, read); }
void gpuopt_emu_write_range(void *p, size_t bytes, const Spot *at) { GPUOPT_EMU_SEE_RANGE(p, write); }
void gpuopt_emu_vptr_update(void **p, void *, const Spot *at) { GPUOPT_EMU_SEE(8, write); }
void gpuopt_emu_vptr_read(void **p, const Spot *at) { GPUOPT_EMU_SEE(8, read); }

#define GPUOPT_EMU_SEE_ATOMIC(bits, kind)                                                \
  if (modelling) touch(p, bits / 8, Access::kind, at, __builtin_return_address(0)); \
  else check_atomic<bits / 8, Access::kind>(p, at)
#define GPUOPT_EMU_ATOMIC_UPDATE(bits, type, name, update)                                  \
  type gpuopt_emu_atomic##bits##_##name(volatile type *p, type value, int order, const Spot *at) { \
    GPUOPT_EMU_SEE_ATOMIC(bits, atomic_update);                                             \
    check_order(order, at);                                                                 \
    return update(p, value, __ATOMIC_SEQ_CST);                                              \
  }
#define GPUOPT_EMU_ATOMICS(bits, type)                                                                           \
  type gpuopt_emu_atomic##bits##_load(const volatile type *p, int, const Spot *at) {                             \
    GPUOPT_EMU_SEE_ATOMIC(bits, atomic_read);                                                                  \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                 \
  }                                                                                                              \
  void gpuopt_emu_atomic##bits##_store(volatile type *p, type value, int order, const Spot *at) {                \
    check_order(order, at);                                                                                      \
    GPUOPT_EMU_SEE_ATOMIC(bits, atomic_write);                                                                 \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                \
  }                                                                                                              \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, exchange, __atomic_exchange_n)                                            \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                            \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                            \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                            \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                              \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                            \
  GPUOPT_EMU_ATOMIC_UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                          \
  static inline int exchange##bits(volatile type *p, type *expected, type value, int order, const Spot *at, const void *pc) { \
    if (checking) {                                                                                              \
      check_order(order, at);                                                                                    \
      check_atomic<bits / 8, Access::atomic_update>(p, at);                                                      \
    }                                                                                                            \
    if (modelling && taking_back && current) remember_for_taking_back(p, bits / 8);                              \
    const int done = __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    if (modelling) touch(p, bits / 8, Access::atomic_update, at, pc);                                            \
    return done;                                                                                                 \
  }                                                                                                              \
  int gpuopt_emu_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, type value, int order, int,   \
                                                        const Spot *at) {                                       \
    return exchange##bits(p, expected, value, order, at, __builtin_return_address(0));                           \
  }                                                                                                              \
  int gpuopt_emu_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected, type value, int order, int, \
                                                      const Spot *at) {                                         \
    return exchange##bits(p, expected, value, order, at, __builtin_return_address(0));                           \
  }                                                                                                              \
  type gpuopt_emu_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type value, int order, int,  \
                                                      const Spot *at) {                                         \
    exchange##bits(p, &expected, value, order, at, __builtin_return_address(0));                                 \
    return expected;                                                                                             \
  }
GPUOPT_EMU_ATOMICS(8, unsigned char)
GPUOPT_EMU_ATOMICS(16, unsigned short)
GPUOPT_EMU_ATOMICS(32, unsigned)
GPUOPT_EMU_ATOMICS(64, unsigned long long)
#undef GPUOPT_EMU_ATOMICS
#undef GPUOPT_EMU_ATOMIC_UPDATE

void gpuopt_emu_atomic_thread_fence(int order, const Spot *) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (checking) check_fence(order);
}
void gpuopt_emu_turned(unsigned turns) {
  if (modelling) touch(&current, turns < 255 ? turns : 255, Access::read, &turns_of_loops, __builtin_return_address(0));
}
// The headers mark with it where threads come to a barrier or a warp operation.
void gpuopt_emu_atomic_signal_fence(int, const Spot *at) {
  if (checking) check_arrival(at);
  else if (current) current->barrier_at = __builtin_return_address(0);
}

void *gpuopt_emu_call_malloc(size_t bytes, const Spot *at) { return checking ? check_device_malloc(bytes, at) : malloc(bytes); }
void gpuopt_emu_call_free(void *p, const Spot *at) { checking ? check_device_free(p, at) : free(p); }
void *gpuopt_emu_call__Znwm(size_t bytes, const Spot *at) { return checking ? check_device_malloc(bytes, at) : malloc(bytes); }
void *gpuopt_emu_call__Znam(size_t bytes, const Spot *at) { return checking ? check_device_malloc(bytes, at) : malloc(bytes); }
void gpuopt_emu_call__ZdlPv(void *p, const Spot *at) { checking ? check_device_free(p, at) : free(p); }
void gpuopt_emu_call__ZdaPv(void *p, const Spot *at) { checking ? check_device_free(p, at) : free(p); }
void gpuopt_emu_call__ZdlPvm(void *p, size_t, const Spot *at) { checking ? check_device_free(p, at) : free(p); }
void gpuopt_emu_call__ZdaPvm(void *p, size_t, const Spot *at) { checking ? check_device_free(p, at) : free(p); }
void *gpuopt_emu_call_memcpy(void *to, const void *from, size_t bytes, const Spot *at) {
  GPUOPT_EMU_SEE_RANGE(from, read);
  GPUOPT_EMU_SEE_RANGE(to, write);
  return memmove(to, from, bytes);
}
void *gpuopt_emu_call_memmove(void *to, const void *from, size_t bytes, const Spot *at) {
  return gpuopt_emu_call_memcpy(to, from, bytes, at);
}
void *gpuopt_emu_call_memset(void *to, int value, size_t bytes, const Spot *at) {
  GPUOPT_EMU_SEE_RANGE(to, write);
  return memset(to, value, bytes);
}

// A call through a pointer goes to the instrumented twin of what it points to.
const void *gpuopt_emu_twin_of(const void *function);
}

#if defined(__x86_64__)
// The target is in r11; registers with arguments must come through unchanged.
asm(R"(
  .pushsection .text
  .globl gpuopt_emu_indirect
  .type gpuopt_emu_indirect, @function
gpuopt_emu_indirect:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r10
  subq $128, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq %r11, %rdi
  call gpuopt_emu_twin_of@PLT
  movq %rax, %r11
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r10
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  jmp *%r11
  .size gpuopt_emu_indirect, .-gpuopt_emu_indirect
  .popsection
)");
#elif defined(__aarch64__)
// The target is in x16.
asm(R"(
  .pushsection .text
  .globl gpuopt_emu_indirect
  .type gpuopt_emu_indirect, %function
gpuopt_emu_indirect:
  stp x29, x30, [sp, -224]!
  mov x29, sp
  stp x0, x1, [sp, 16]
  stp x2, x3, [sp, 32]
  stp x4, x5, [sp, 48]
  stp x6, x7, [sp, 64]
  stp x8, x9, [sp, 80]
  stp q0, q1, [sp, 96]
  stp q2, q3, [sp, 128]
  stp q4, q5, [sp, 160]
  stp q6, q7, [sp, 192]
  mov x0, x16
  bl gpuopt_emu_twin_of
  mov x16, x0
  ldp q0, q1, [sp, 96]
  ldp q2, q3, [sp, 128]
  ldp q4, q5, [sp, 160]
  ldp q6, q7, [sp, 192]
  ldp x0, x1, [sp, 16]
  ldp x2, x3, [sp, 32]
  ldp x4, x5, [sp, 48]
  ldp x6, x7, [sp, 64]
  ldp x8, x9, [sp, 80]
  ldp x29, x30, [sp], 224
  br x16
  .size gpuopt_emu_indirect, .-gpuopt_emu_indirect
  .popsection
)");
#endif
