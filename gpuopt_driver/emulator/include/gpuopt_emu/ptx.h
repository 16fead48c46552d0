// What the inline PTX that the rewriter knows becomes: registers, memory; arithmetic and warps in headers of their own.
#ifndef GPUOPT_EMU_PTX_H
#define GPUOPT_EMU_PTX_H

#include "early.h"
#include "intrinsics.h"
#include "maths.h"
#include "memory.h"
#include "sync.h"

namespace gpuopt_emu {
namespace ptx {

unsigned smid();   // blocks are dealt out to SMs in turn
unsigned nsmid();
unsigned long long gridid();
unsigned dynamic_smem_size();  // bytes
unsigned total_smem_size();    // bytes, static and dynamic
static inline uint3 tid() { return thread_index(); }
static inline dim3 ntid() { return block_size(); }
static inline uint3 ctaid() { return block_index(); }
static inline dim3 nctaid() { return grid_size(); }
static inline unsigned laneid() { return lane(); }
static inline unsigned warpid() { return current->linear / WARP; }
static inline unsigned nwarpid() { return (current->block->threads + WARP - 1) / WARP; }
static inline unsigned lanemask_eq() { return 1u << lane(); }
static inline unsigned lanemask_lt() { return (1u << lane()) - 1; }
static inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
static inline unsigned lanemask_ge() { return ~lanemask_lt(); }
static inline unsigned lanemask_gt() { return ~lanemask_le(); }

// A register's value as another type: the same bits where the sizes agree, else the same number.
template <bool SameSize> struct Convert {
  template <class To, class From> static GPUOPT_EMU_EARLY(To) to(const From &from) {
    To value;
    memcpy(&value, &from, sizeof value);
    return value;
  }
};
template <> struct Convert<false> {
  template <class To, class From> static GPUOPT_EMU_EARLY(To) to(From *from) { return (To)(size_t)from; }
  template <class To, class From> static GPUOPT_EMU_EARLY(To) to(const From &from) { return (To)from; }
};
template <class To, class From> static inline GPUOPT_EMU_EARLY(To) as(const From &from) {
  return Convert<sizeof(To) == sizeof(From)>::template to<To>(from);
}
template <class To> static inline GPUOPT_EMU_EARLY(To) as(bool from) { return (To)from; }

template <class To, class From> static inline void put(To &to, const From &from) { to = as<To>(from); }
template <class From> static inline void put(bool &to, const From &from) { to = (bool)from; }
static inline unsigned long long &nowhere() {
  static __thread unsigned long long bits;
  return bits;
}

// {a, b, ...}: the first is the lowest part.
template <class To, class... Parts> static inline To pack(const Parts &...parts) {
  char bytes[sizeof(To) + 16];
  size_t at = 0;
  const size_t each = sizeof(To) / sizeof...(Parts);
  const int all[] = {(memcpy(bytes + at, &parts, each), at += each, 0)...};
  (void)all;
  To value;
  memcpy(&value, bytes, sizeof value);
  return value;
}
template <class From, class... Parts> static inline void unpack(const From &from, Parts &...parts) {
  const char *bytes = reinterpret_cast<const char *>(&from);
  size_t at = 0;
  const size_t each = sizeof(From) / sizeof...(Parts);
  const int all[] = {(memcpy(&parts, bytes + at, each), at += each, 0)...};
  (void)all;
}

template <class T, unsigned Nn> struct Vector {
  T part[Nn];
};

// Shared memory has addresses of its own, from 0, that of a cluster's blocks from 2^24 on, 2^24 for each (mapa); a generic
// pointer serves, too.
static inline char *shared_address(unsigned long long base, long long offset = 0) {
  if (base < (1ull << 24)) return current->block->shared + base + offset;
  if (base >= (1ull << 32)) return reinterpret_cast<char *>(base) + offset;
  const Cluster *cluster = current->block->cluster;
  const Block *block = cluster ? cluster->blocks[(base >> 24) - 1] : current->block;
  return block->shared + (base & 0xffffff) + offset;
}
static inline unsigned long long mapped(unsigned long long base, unsigned rank) {
  if (base < (1ull << 24)) return (rank + 1ull) << 24 | base;
  const Cluster *cluster = current->block->cluster;
  return base - (unsigned long long)current->block->shared + (unsigned long long)(cluster ? cluster->blocks[rank] : current->block)->shared;
}
template <class T> static inline char *shared_address(T *base, long long offset = 0) {
  return shared_address((unsigned long long)base, offset);
}
template <class Aa> static inline char *address(Aa base, long long offset = 0) { return (char *)(size_t)base + offset; }
template <class Aa> static inline unsigned long long shared_offset(Aa pointer) {
  return (unsigned long long)((size_t)pointer - (size_t)current->block->shared);
}
template <class Aa> static inline char *shared_pointer(Aa offset) { return shared_address((unsigned long long)offset); }

// One access, even where several elements are moved.
template <class T> struct __attribute__((may_alias)) Memory {
  T value;
};
template <class T> static inline T load(const char *address) {
  return reinterpret_cast<const Memory<T> *>(address)->value;
}
#define GPUOPT_EMU_PTX_LOAD(name) \
  template <class T> static inline T name(const char *address) { return reinterpret_cast<const Memory<T> *>(address)->value; }
GPUOPT_EMU_PTX_LOAD(load_cg)
GPUOPT_EMU_PTX_LOAD(load_cs)
GPUOPT_EMU_PTX_LOAD(load_lu)
GPUOPT_EMU_PTX_LOAD(load_nc)
GPUOPT_EMU_PTX_LOAD(load_no_allocate)
GPUOPT_EMU_PTX_LOAD(load_evict_first)
GPUOPT_EMU_PTX_LOAD(load_evict_last)
#undef GPUOPT_EMU_PTX_LOAD
template <class T> static inline T load_again(const char *address) {
  maybe_waiting();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const T value = load<T>(address);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return value;
}
template <class T, bool Again> static inline void store(char *address, const T &value) {
  if (Again) __atomic_thread_fence(__ATOMIC_RELEASE);
  reinterpret_cast<Memory<T> *>(address)->value = value;
  if (Again) __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// cp.async: `bytes` are written, those behind the first `given` are zero.
static inline void copy(char *to, const char *from, unsigned bytes, unsigned given) {
  const unsigned most = given < bytes ? given : bytes;
  memcpy(to, from, most);
  memset(to + most, 0, bytes - most);
}

#define GPUOPT_EMU_ATOM(name, function)                                          \
  template <class T> static inline T atom_##name(char *address, T value) {       \
    return function(reinterpret_cast<T *>(address), value);                      \
  }
GPUOPT_EMU_ATOM(add, atomicAdd)
GPUOPT_EMU_ATOM(min, atomicMin)
GPUOPT_EMU_ATOM(max, atomicMax)
GPUOPT_EMU_ATOM(and, atomicAnd)
GPUOPT_EMU_ATOM(or, atomicOr)
GPUOPT_EMU_ATOM(xor, atomicXor)
GPUOPT_EMU_ATOM(inc, atomicInc)
GPUOPT_EMU_ATOM(dec, atomicDec)
GPUOPT_EMU_ATOM(exch, exchange)
#undef GPUOPT_EMU_ATOM
template <class T> static inline T atom_cas(char *address, T expected, T value) {
  return compare_exchange(reinterpret_cast<T *>(address), expected, value);
}

// mbarrier objects: arrivals that are still to come, arrivals per phase, number of the phase, and how many bytes it still
// expects (below 0 where they came first). As a whole they are read and written atomically, so that they order other accesses.
struct MBarrier {
  unsigned long long pending : 14, count : 14, phase : 12;
  long long bytes : 24;

  static MBarrier at(const char *address) {
    return as<MBarrier>(__atomic_load_n(reinterpret_cast<const unsigned long long *>(address), __ATOMIC_ACQUIRE));
  }
  void put(char *address) const {
    __atomic_store_n(reinterpret_cast<unsigned long long *>(address), as<unsigned long long>(*this), __ATOMIC_RELEASE);
  }
};
static inline void mbarrier_init(char *address, unsigned count) { MBarrier{count, count, 0, 0}.put(address); }
// Fewer arrivals and more bytes to come; the phase that it was in.
static inline unsigned long long mbarrier_changed(char *address, unsigned arrivals, long long bytes) {
  MBarrier barrier = MBarrier::at(address);
  const unsigned long long phase = barrier.phase;
  barrier.pending -= arrivals;
  barrier.bytes += bytes;
  if (!barrier.pending && !barrier.bytes) {
    barrier.pending = barrier.count;
    ++barrier.phase;
  }
  barrier.put(address);
  return phase;
}
static inline void mbarrier_bytes(char *address, long long more) { mbarrier_changed(address, 0, more); }
static inline unsigned long long mbarrier_arrive(char *address, unsigned count, unsigned bytes = 0) {
  return mbarrier_changed(address, count, bytes);
}
// One arrival less from the next phase on.
static inline unsigned long long mbarrier_drop(char *address) {
  MBarrier barrier = MBarrier::at(address);
  --barrier.count;
  barrier.put(address);
  return mbarrier_arrive(address, 1);
}
// Whether the phase that the token (or parity) belongs to has ended.
static inline bool mbarrier_test(char *address, unsigned long long token, bool parity) {
  const MBarrier barrier = MBarrier::at(address);
  const bool ended = parity ? (barrier.phase & 1) != (token & 1) : barrier.phase != token;
  if (!ended) yield();
  return ended;
}

}  // namespace ptx
}  // namespace gpuopt_emu

#include "ptx_arithmetic.h"
#include "ptx_warp.h"

#endif
