// One thread block while it runs: its threads' fibers, barriers, warps and shared memory.
#ifndef GPUOPT_EMU_BLOCK_H
#define GPUOPT_EMU_BLOCK_H

#include "switch.h"

namespace gpuopt_emu {

enum { WARP = 32, NAMED_BARRIERS = 16, CLUSTER = 16 };
// Barriers of tiles of more than a warp follow the named ones: 16 of 64 threads, 8 of 128, 4 of 256, 2 of 512.
enum { TILE_BARRIERS = 30, BARRIERS = NAMED_BARRIERS + TILE_BARRIERS };

struct Grid;
struct Room;
struct BlockCheck;
struct Block;

// Blocks that can reach each other's shared memory. One OS thread runs all of them.
struct Cluster {
  Block *blocks[CLUSTER];
  dim3 size;
  unsigned left;     // blocks that have not ended
  unsigned arrived;  // blocks at the barrier
  unsigned phase;    // how often all had come
  unsigned checked_from;  // of check mode: its accesses before this era are ordered before what follows
};
struct ModelBlock;

// Threads that wait for each other. Exited threads are not waited for.
struct Barrier {
  FiberList waiting;
  unsigned arrived;
  unsigned expected;       // threads; 0: all that have not exited
  unsigned warps;          // that came to a barrier for some threads: lanes of theirs that have exited count as come
  unsigned again;          // of these warps, those that came twice: without waiting, then to wait
  unsigned trues;          // arrivals with a true predicate
  unsigned last_arrived;   // of the round that ended last
  unsigned last_trues;
  bool grid_wide;          // those who wait do so for the other blocks, too
};

// What lanes of a warp can do together; lanes meet only in the same operation.
enum class Meeting { sync, step, shuffle, vote, match, reduce, active };

// How a thread came to where it is: calls of functions and turns of loops that hold warp operations without a mask.
struct Path {
  const Path *outer;
  unsigned site;  // a number that the rewriter gave; those of what comes later in the source are higher
  unsigned turn;
  inline explicit Path(unsigned number);
  inline ~Path();
};
struct Turns : Path {
  explicit Turns(unsigned number) : Path(number) {}
  void next() { ++turn; }
};

// Where lanes meet that name no mask.
struct Place {
  enum { DEPTH = 8 };
  unsigned count;
  unsigned long long step[DEPTH];  // the outermost first
  bool operator==(const Place &other) const {
    if (count != other.count) return false;
    for (unsigned i = 0; i < count; ++i)
      if (step[i] != other.step[i]) return false;
    return true;
  }
  bool operator<(const Place &other) const {
    for (unsigned i = 0; i < count && i < other.count; ++i)
      if (step[i] != other.step[i]) return step[i] < other.step[i];
    return count < other.count;
  }
};

// Lanes of one warp that meet in a warp operation, each with a value.
struct alignas(64) Group {
  Group *next;
  FiberList waiting;
  unsigned mask;     // lanes that must come; 0: whoever comes before everybody else waits
  unsigned arrived;  // lanes that came
  unsigned trues;    // of these, those with a value that is not 0
  unsigned readers;  // lanes that have not yet read the result; 0 until all have come
  Meeting kind;
  bool has_result;   // of a reduction or match: a lane has computed it for all
  unsigned long long result;
  unsigned long long value[WARP];
  Place place;       // of groups without a mask
};

struct Warp {
  unsigned exited;  // lanes that have exited or never were
  Group *groups;    // that wait for lanes
};

struct Block {
  Grid *grid;
  Room *room;
  uint3 index;  // blockIdx
  dim3 size;    // blockDim
  dim3 grid_size;
  unsigned threads;
  unsigned started;  // threads that were given a fiber
  unsigned live;     // threads that have not exited; counted once one had to wait
  unsigned followers;  // blocks that may be run behind this one at once, as most take less time than to leave a fiber and enter it
  bool suspended;    // a thread had to wait: from here on threads run interleaved
  bool listed;       // the lists here say who waits where
  bool busy;         // the lists here are being changed: no time for a signal to switch threads
  bool exact;        // every thread is known while it runs
  bool asserted;     // an assertion has failed: threads that wait do so for good
  bool again;        // left to be run once more, exactly
  bool stalled;      // left for another block, since all threads that could go on were waiting by repeating something
  unsigned rounds;   // that such threads made since something else happened
  unsigned yields;   // times that threads let others go on since the block had its turn
  Fiber *first_in_turn;  // while they do not: who came first to the block's barrier, where all threads come one behind the other
  Fiber *last_in_turn;   // who comes last; null: that is not known
  unsigned char pause, paused_for;  // barriers that still open by lists, as something else came in between; how many did the last time
  Fiber *leader;     // waits for the other blocks in the name of its own
  unsigned phase;    // of the grid, in which it does
  FiberList ready;
  FiberList yielded;  // spinning: they run when nobody else can
  Barrier barriers[BARRIERS];
  unsigned split_arrived, split_phase;  // of the barrier in two steps
  unsigned long long named_barriers;  // bit set: those that were used
  unsigned came[NAMED_BARRIERS][32];  // lanes of every warp that came in this round and do not wait: they may exit
  Warp *warps;
  const void **offered;  // what each thread lets others of its tile read
  Cluster *cluster;      // null where it is the only block of its own
  unsigned cluster_rank;
  bool cluster_led;      // a thread is at the cluster's barrier in the name of all
  char *shared;          // static shared memory of the kernel
  char *dynamic_shared;  // after it
  char *common_shared;   // static shared memory of device functions
  size_t shared_bytes;   // of all of it
  BlockCheck *check;     // what check mode remembers of it
  ModelBlock *model;     // what model mode does
  char *kept, *kept_end; // free memory for the variables of split kernels, one per thread
  void *rest;            // of a split kernel whose threads have parted: what they go on with
  void (*run_rest)(void *rest, int number, const uint3 &thread);

  // In code that is checked, a function of ours must do it: its accesses are nobody's business.
  __attribute__((always_inline)) uint3 its_index() const { return index; }
  __attribute__((always_inline)) dim3 its_size() const { return size; }
  __attribute__((always_inline)) dim3 its_grid_size() const { return grid_size; }

  // The block is done: becomes the next one, if no thread of it had to wait and there is one.
  inline bool becomes_next() {
    if (!followers || suspended) return false;
    --followers;
    if (++index.x == grid_size.x) {
      index.x = 0;
      if (++index.y == grid_size.y) index.y = 0, ++index.z;
    }
    started = 0;
    busy = true;
    exact = false;  // as those are that may follow
    return true;
  }

  // Gives the fiber the first thread that has not started; false if there is none.
  inline bool first_thread(Fiber *fiber) {
    const unsigned number = started;
    if (number == threads) return false;
    started = number + 1;
    fiber->linear = number;
    fiber->thread = number < size.x ? uint3{number, 0, 0}
                                    : uint3{number % size.x, number / size.x % size.y, number / size.x / size.y};
    return true;
  }
};

// Makes room for what the threads of split kernels keep.
void open_kept(Block *block, size_t bytes);

// The type of a parameter without what says how it is used.
template <class T> struct PlainType { typedef T type; };
template <class T> struct PlainType<const T> { typedef T type; };
template <class T> struct PlainType<T *__restrict__> { typedef T *type; };
template <class T> struct PlainType<T *const> { typedef T *type; };
template <class T> struct PlainType<T *const __restrict__> { typedef T *type; };
template <class T> using Plain = typename PlainType<T>::type;

// One variable per thread, while this lives.
template <class T> struct Spread {
  Block *const block;
  T *const at;
  explicit Spread(Block *b) : block(b), at(static_cast<T *>(take(b, sizeof(T) * b->threads))) {}
  Spread(const Spread &) = delete;
  ~Spread() { block->kept = reinterpret_cast<char *>(at); }
  __attribute__((always_inline)) const T &get(int thread) const { return at[thread]; }
  __attribute__((always_inline)) void put(int thread, const T &value) { at[thread] = value; }

 private:
  static void *take(Block *b, size_t bytes) {
    bytes = (bytes + 127) / 64 * 64;
    if (__builtin_expect((size_t)(b->kept_end - b->kept) < bytes, 0)) open_kept(b, bytes);
    char *memory = b->kept;
    b->kept = memory + bytes;
    return memory;
  }
};

// From here on the lists of the block say who waits where. The first time that a thread has to wait, counts the living.
void keep_lists(Block *block);
// Threads have met. Those that have all repeated something before may do so for another block, and meet in every turn.
static inline void have_met(Block *block) {
  if (block->yields <= block->threads) block->rounds = 0;
}
// The fiber to go on with when the one that runs must wait: may start a thread, may be the caller's own.
Fiber *next_fiber(Block *block);
// All have come: lets them go on.
void release(Block *block, Barrier *barrier);
void arrived_last(Block *block, Fiber *me, Barrier *barrier);
// The fiber's thread has returned from the kernel while others wait or may wait.
void thread_exited(Block *block, Fiber *fiber);
// The thread waits for all others that can go on, then goes on.
void yield();
void let_others();     // the same, where the kernel may wait at all: loops over a block's threads are not left in the middle
void let_time_pass();  // the same where kernels ask clocks in loops (emulator/plain.py); modelled threads take their time
void yield_to_other_blocks();  // the same, and other blocks get their turn at once
// The thread waits for all threads of a grid that was launched to cooperate.
void grid_barrier();
bool is_cooperative();
// The thread waits for all threads of its cluster.
void cluster_barrier();
// Ends the launch with an error (a cudaError_t); the message goes to stderr.
[[noreturn]] void fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for a failed assertion, in CUDA's words.
[[noreturn]] void fail_assertion(const char *file, unsigned line, const char *function, const char *assertion);

// Lets others run while the current fiber, which is in some list, waits.
static inline __attribute__((always_inline)) void wait(Block *block, Fiber *me) {
  if (!block->ready.empty()) {
    Fiber *next = block->ready.take();
    fetch_ahead(next);
    switch_fiber(me, next);
  } else {
    Fiber *next = next_fiber(block);
    if (next != me) switch_fiber(me, next);
  }
}

// While one of these lives, no signal switches threads.
struct Busy {
  Block *block;
  explicit Busy(Block *b) : block(b) {
    block->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Busy() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    block->busy = false;
  }
};

inline Path::Path(unsigned number) : outer(nullptr), site(number), turn(0) {
  if (!current) return;
  outer = current->path;
  current->path = this;
}
inline Path::~Path() {
  if (current) current->path = outer;
}

static inline uint3 thread_index() { return current->thread; }
static inline uint3 block_index() { return current->block->index; }
static inline dim3 block_size() { return current->block->size; }
static inline dim3 grid_size() { return current->block->grid_size; }
static inline dim3 cluster_size() { return current->block->cluster ? current->block->cluster->size : dim3(1, 1, 1); }
static inline unsigned cluster_blocks() {
  const dim3 size = cluster_size();
  return size.x * size.y * size.z;
}
static inline dim3 index_in_cluster() {
  const dim3 size = cluster_size();
  const unsigned rank = current->block->cluster_rank;
  return dim3(rank % size.x, rank / size.x % size.y, rank / size.x / size.y);
}
// The same place of shared memory in another block of the cluster.
static inline char *in_cluster(const void *address, unsigned rank) {
  const Block *block = current->block, *other = block->cluster ? block->cluster->blocks[rank] : block;
  return other->shared + (static_cast<const char *>(address) - block->shared);
}
static inline unsigned rank_in_cluster(const void *address) {
  const Block *block = current->block;
  for (unsigned rank = 0; block->cluster && rank < cluster_blocks(); ++rank) {
    const Block *other = block->cluster->blocks[rank];
    if ((size_t)(static_cast<const char *>(address) - other->shared) < other->shared_bytes) return rank;
  }
  return block->cluster_rank;
}
static inline unsigned lane() { return current->linear % WARP; }
static inline bool on_device() { return current != nullptr; }

}  // namespace gpuopt_emu

#endif
