// Shadow memory: what check mode remembers of every byte of device memory.
//
// Two bits per byte: whether it may be accessed, and whether it has been written. For every four bytes a cell with the
// last write and the last read. Accesses of one and two bytes have cells per byte, in a shadow that is used as needed.
#ifndef GPUOPT_EMU_CHECK_SHADOW_H
#define GPUOPT_EMU_CHECK_SHADOW_H

#include "check.h"

namespace gpuopt_emu {

// An access in 64 bits: era (31, below a 0), thread in its block (10), place (18), flags (4). Eras are numbered over the whole run:
// a block gets a new one when it starts and at each barrier, a thread at each fence and each synchronisation of its warp.
typedef unsigned long long Stamp;
enum : Stamp {
  // of writes
  STRONG = 1, ATOMIC = 2, IN_BLOCK = 4, FINE = 8,  // FINE: there are accesses of less than four bytes, too
  // of reads
  MANY_THREADS = 1, MANY_BLOCKS = 2, ALL_STRONG = 4, MANY_WARPS = 8,
};
static const unsigned THREAD_SHIFT = 22, PLACE_SHIFT = 4, PLACE_MASK = (1u << 18) - 1;

static inline uint32_t era_of(Stamp stamp) { return (uint32_t)(stamp >> 32); }
static inline unsigned thread_of(Stamp stamp) { return (unsigned)(stamp >> THREAD_SHIFT) & 1023; }

struct Cell {
  Stamp write, read;
};

// The shadow of 64 MB of addresses.
struct alignas(64) Region {
  Cell *cells;  // null: nothing there that a device may access
  unsigned char *written, *allowed;  // one bit per byte
  Cell *fine;
  uint32_t *quiet;  // per line: the first era of the launch in which plain reads of it need no look; see is_quiet
};
static const unsigned LINE = 64;
static const unsigned REGION_SHIFT = 26;
static const uintptr_t REGION_MASK = ((uintptr_t)1 << REGION_SHIFT) - 1;

extern Region *regions;  // by address >> REGION_SHIFT
static const uintptr_t ADDRESS_LIMIT = (uintptr_t)1 << 48;

// What is remembered of a block while it runs. The first fields are what every access needs.
struct BlockCheck {
  const uint32_t *eras;  // per thread
  uintptr_t shared;      // address of the block's shared memory
  size_t shared_bytes;
  unsigned char *shared_written;
  const unsigned char *shared_allowed;
  Cell *shared_cells;
  uint32_t grid_first;   // eras before this one ended before the launch, or before the last barrier of the grid
  uint32_t block_first;
  uint32_t run_first;    // eras from here on to `base` are of this block, and ended with a barrier
  uint32_t run_span;
  uint32_t base;         // era of the last barrier
  uint32_t cluster_first;  // eras of blocks of the cluster before this one ended before its last barrier
  bool pending;          // a store that may have changed nothing is to be looked at
  bool flags;            // the block has used a fence
  OnlyRead *only_read;   // arrays that the launch only reads, null where none is known
  bool wandering;        // threads may be in other eras than the block's, or other blocks come to its shared memory
  // Plain accesses that would change nothing, by address; see check_recent.h. Marks change when all of it is forgotten.
  struct Store {
    uintptr_t what, who;
  };
  enum { READS = 2048, OWN = 256 };
  uintptr_t read_mark, own_mark, store_mark;
  uintptr_t reads[READS], own_reads[OWN];
  Store own_stores[OWN];
  struct More *more;     // see check_block.h
};

inline unsigned volume_of(dim3 size) { return size.x * size.y * size.z; }

enum ShadowBits { ALLOWED = 1, WRITTEN = 2 };
void make_shadow(uintptr_t address, size_t bytes);
void end_quiet(uintptr_t address, size_t bytes);
void set_bits(uintptr_t address, size_t bytes, int set, int clear);
bool all_bits(uintptr_t address, size_t bytes, ShadowBits which);
// Bits of a byte range in a row of bits.
void set_range(unsigned char *bits, size_t first, size_t count, bool value);
bool all_set(const unsigned char *bits, size_t first, size_t count);
void forget_accesses();  // everything that happened is before what comes

// Whole blocks of eras, with what they belong to.
struct Owner {
  uint32_t grid, block;
};
uint32_t take_eras(uint32_t grid, uint32_t block, unsigned count);
uint32_t eras_taken();
const Owner &owner_of(uint32_t era);

// While one of these lives, no signal switches threads of the block that runs: locks may be held.
struct Quiet {
  Block *block;
  bool before;
  Quiet() : block(current ? current->block : nullptr), before(block && block->busy) {
    if (block) block->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Quiet() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (block) block->busy = before;
  }
};

static inline Stamp stamp(uint32_t era, unsigned thread) { return (Stamp)era << 32 | (Stamp)thread << THREAD_SHIFT; }

unsigned name_place(const Spot *place);  // its id
const Spot *place_of(Stamp stamp);
// By place of a plain read: 1 where the thread was seen to exchange there atomically what it had read, 2 where not in time.
extern unsigned char begins_exchange[PLACE_MASK + 1];
static inline Stamp place_bits(const Spot *place) {
  const unsigned id = place->id;
  return (Stamp)(__builtin_expect(id != 0, 1) ? id & PLACE_MASK : name_place(place) & PLACE_MASK) << PLACE_SHIFT;
}

}  // namespace gpuopt_emu

#endif
