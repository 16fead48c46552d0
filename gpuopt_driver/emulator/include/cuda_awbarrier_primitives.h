// Barriers of which arriving and waiting are two steps, as C functions. Tokens do not know how many arrivals were to come:
// __mbarrier_token_pending_count is not there.
#ifndef GPUOPT_CUDA_AWBARRIER_PRIMITIVES_H
#define GPUOPT_CUDA_AWBARRIER_PRIMITIVES_H

#include <stdint.h>

#include "cuda_runtime.h"

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

static inline uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
static inline void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected) {
  gpuopt_emu::ptx::mbarrier_init(reinterpret_cast<char *>(barrier), expected);
}
static inline void __mbarrier_inval(__mbarrier_t *) {}
static inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return gpuopt_emu::ptx::mbarrier_arrive(reinterpret_cast<char *>(barrier), 1);
}
static inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return gpuopt_emu::ptx::mbarrier_drop(reinterpret_cast<char *>(barrier));
}
static inline bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return gpuopt_emu::ptx::mbarrier_test(reinterpret_cast<char *>(barrier), token, false);
}
static inline bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
  return gpuopt_emu::ptx::mbarrier_test(reinterpret_cast<char *>(barrier), parity, true);
}
static inline bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, uint32_t) {
  return __mbarrier_test_wait(barrier, token);
}
static inline bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, uint32_t) {
  return __mbarrier_test_wait_parity(barrier, parity);
}

#endif
