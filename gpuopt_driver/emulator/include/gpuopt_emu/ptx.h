// What the inline PTX that the rewriter knows becomes.
#ifndef GPUOPT_EMU_PTX_H
#define GPUOPT_EMU_PTX_H

#include "memory.h"
#include "sync.h"

namespace gpuopt_emu {
namespace ptx {

unsigned smid();   // blocks are dealt out to SMs in turn
unsigned nsmid();
static inline unsigned laneid() { return lane(); }
static inline unsigned warpid() { return current->linear / WARP; }
static inline unsigned nwarpid() { return (current->block->threads + WARP - 1) / WARP; }
static inline unsigned lanemask_eq() { return 1u << lane(); }
static inline unsigned lanemask_lt() { return (1u << lane()) - 1; }
static inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
static inline unsigned lanemask_ge() { return ~lanemask_lt(); }
static inline unsigned lanemask_gt() { return ~lanemask_le(); }
template <class T, class A> static inline T load(A address) { return *(const T *)address; }
template <class T, class A> static inline T load_again(A address) { return __ldcv((const T *)address); }
template <class T, class A, class V> static inline void store(A address, V value) { *(T *)address = (T)value; }

}  // namespace ptx
}  // namespace gpuopt_emu

#endif
