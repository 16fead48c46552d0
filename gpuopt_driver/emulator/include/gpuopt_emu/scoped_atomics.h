// CUDA 12.8's atomic functions with a memory order and a scope (__nv_atomic_load_n, ...); each is as strong as there is.
#ifndef GPUOPT_EMU_SCOPED_ATOMICS_H
#define GPUOPT_EMU_SCOPED_ATOMICS_H

#include "atomics.h"
#include "memory.h"

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace gpuopt_emu {

// All operations are as strong as there is, and CUDA's older ones order nothing else: what check mode needs to know of these.
static inline void releasing(int order) {
  if (INSTRUMENTED && order >= __ATOMIC_RELEASE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Values of 1, 2, 4 and 8 bytes are the processor's, those of 16 the runtime's.
template <class T, size_t Bytes = sizeof(T)> struct Scoped {
  static_assert(Bytes <= 8, "atomic functions take 1, 2, 4, 8 or 16 bytes");
  static void load(const T *from, T *to) { __atomic_load(from, to, __ATOMIC_SEQ_CST); }
  static void store(T *to, T *value) { __atomic_store(to, value, __ATOMIC_SEQ_CST); }
  static void exchange(T *at, T *value, T *old) { __atomic_exchange(at, value, old, __ATOMIC_SEQ_CST); }
  static bool compare_exchange(T *at, T *expected, T *value) {
    return __atomic_compare_exchange(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
};
template <class T> struct Scoped<T, 16> {
  static void load(const T *from, T *to) {
    const unsigned long long nothing[2] = {0, 0};
    compare_exchange_wide(const_cast<T *>(from), nothing, nothing, to);
  }
  static void store(T *to, T *value) {
    T old;
    exchange_wide(to, value, &old);
  }
  static void exchange(T *at, T *value, T *old) { exchange_wide(at, value, old); }
  static bool compare_exchange(T *at, T *expected, T *value) {
    T old;
    compare_exchange_wide(at, expected, value, &old);
    const bool same = !__builtin_memcmp(&old, expected, sizeof(T));
    *expected = old;
    return same;
  }
};

}  // namespace gpuopt_emu

template <class T> static inline void __nv_atomic_load(const T *from, T *to, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  gpuopt_emu::maybe_waiting();
  gpuopt_emu::Scoped<T>::load(from, to);
}
template <class T> static inline T __nv_atomic_load_n(const T *from, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  T value;
  __nv_atomic_load(from, &value, __NV_ATOMIC_SEQ_CST);
  return value;
}
template <class T> static inline void __nv_atomic_store(T *to, T *value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  gpuopt_emu::Scoped<T>::store(to, value);
}
template <class T>
static inline void __nv_atomic_store_n(T *to, typename gpuopt_emu::Itself<T>::type value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  gpuopt_emu::Scoped<T>::store(to, &value);
}
template <class T>
static inline void __nv_atomic_exchange(T *at, T *value, T *old, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  gpuopt_emu::maybe_waiting();
  gpuopt_emu::Scoped<T>::exchange(at, value, old);
}
template <class T>
static inline T __nv_atomic_exchange_n(T *at, typename gpuopt_emu::Itself<T>::type value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  T old;
  __nv_atomic_exchange(at, &value, &old, __NV_ATOMIC_SEQ_CST);
  return old;
}
template <class T>
static inline bool __nv_atomic_compare_exchange(T *at, T *expected, T *value, bool, int, int,
                                                int = __NV_THREAD_SCOPE_SYSTEM) {
  const bool done = gpuopt_emu::Scoped<T>::compare_exchange(at, expected, value);
  if (!done) gpuopt_emu::maybe_waiting();
  return done;
}
template <class T>
static inline bool __nv_atomic_compare_exchange_n(T *at, T *expected, typename gpuopt_emu::Itself<T>::type value, bool weak,
                                                  int success, int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange(at, expected, &value, weak, success, failure, scope);
}

#define GPUOPT_EMU_SCOPED(name, expression)                                                                  \
  template <class T>                                                                                         \
  static inline T __nv_atomic_fetch_##name(T *at, typename gpuopt_emu::Itself<T>::type value, int order,     \
                                           int = __NV_THREAD_SCOPE_SYSTEM) {                                 \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__nv_atomic_fetch_" #name " takes 4 or 8 bytes");       \
    gpuopt_emu::maybe_waiting();                                                                             \
    gpuopt_emu::releasing(order);                                                                            \
    return gpuopt_emu::atomically(at, [value](T old) -> T { return expression; });                           \
  }                                                                                                          \
  template <class T>                                                                                         \
  static inline void __nv_atomic_##name(T *at, typename gpuopt_emu::Itself<T>::type value, int order,        \
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {                              \
    __nv_atomic_fetch_##name(at, value, order, scope);                                                       \
  }
GPUOPT_EMU_SCOPED(add, old + value)
GPUOPT_EMU_SCOPED(sub, old - value)
GPUOPT_EMU_SCOPED(and, old & value)
GPUOPT_EMU_SCOPED(or, old | value)
GPUOPT_EMU_SCOPED(xor, old ^ value)
GPUOPT_EMU_SCOPED(min, value < old ? value : old)
GPUOPT_EMU_SCOPED(max, value > old ? value : old)
#undef GPUOPT_EMU_SCOPED

static inline void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) { __threadfence(); }

#endif
