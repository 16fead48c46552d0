"""The run-time part that versions contain: the virtual block of a thread, its barriers and its turns. C++11.

`support.py` puts it in front of the guards' part.
"""

from __future__ import annotations

# Slots of the plan: factor; form (bit 0: pipe) and axis; blocks along the axis that is cut into virtual blocks (low and
# high half); where the virtual blocks' own shared memory begins, in 16 bytes; depth of a virtual block; its width and
# height where it is no multiple of a warp (else 0).
DEVICE = """\
// Barrier `number` + 1. Since Hopper by a constant: the compiler counts those that a block uses, and an SM has few.
template <unsigned ID, unsigned LEFT> struct named {
  static __device__ void sync(unsigned number, unsigned threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (LEFT == 1 || number + 1 == ID) asm volatile("bar.sync %0, %1;" :: "n"(ID), "r"(threads) : "memory");
    else named<ID + 1, LEFT - 1>::sync(number, threads);
#else
    asm volatile("bar.sync %0, %1;" :: "r"(number + ID), "r"(threads) : "memory");
#endif
  }
  static __device__ void arrive(unsigned number, unsigned threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (LEFT == 1 || number + 1 == ID) asm volatile("bar.arrive %0, %1;" :: "n"(ID), "r"(threads) : "memory");
    else named<ID + 1, LEFT - 1>::arrive(number, threads);
#else
    asm volatile("bar.arrive %0, %1;" :: "r"(number + ID), "r"(threads) : "memory");
#endif
  }
  static __device__ int count(unsigned number, unsigned threads, int predicate) {
    if (LEFT != 1 && number + 1 != ID) return named<ID + 1, LEFT - 1>::count(number, threads, predicate);
    int found;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, %2, %3, p; }"
                 : "=r"(found) : "r"(predicate), "n"(ID), "r"(threads) : "memory");
    return found;
  }
};
template <unsigned ID> struct named<ID, 0> {
  static __device__ void sync(unsigned, unsigned) {}
  static __device__ void arrive(unsigned, unsigned) {}
  static __device__ int count(unsigned, unsigned, int) { return 0; }
};

// The virtual block of the calling thread, and its place in it. All that a kernel knows of its block comes from here.
// MOST virtual blocks at most; 0: each is one warp. ALIKE: all blocks of a launch enter regions equally often.
template <unsigned MOST, bool ALIKE> struct place {
  enum { IDS = MOST == 0 ? 2 : MOST < 4 ? 4 : MOST };  // of barriers: virtual blocks' own, then those of a pipe's turns
  uint3 thread, block;
  dim3 size, grid;
  unsigned number, factor, threads, lanes;  // which virtual block of the launched one, of how many; threads of each,
  bool exists, pipe;                        // and with those that fill its last warp (they do not exist)
  unsigned *gone, base, present;            // one bit for each that comes no more; how many there are
  __device__ explicit place(const plan &p, unsigned *g = 0)
      : size(1, 1, p.n[5]), factor(p.n[0]), pipe((p.n[1] & 1) != 0), gone(g), base(p.n[4] * 16u) {
    thread.x = real::thread_x(); thread.y = real::thread_y();
    block.x = real::block_x(); block.y = real::block_y(); block.z = real::block_z();
    size.x = real::threads_x(); size.y = real::threads_y();
    grid.x = real::blocks_x(); grid.y = real::blocks_y(); grid.z = real::blocks_z();
    const unsigned depth = p.n[5], all = p.n[2] | (unsigned)p.n[3] << 16, axis = p.n[1] >> 1;
    if (p.n[6]) {  // threads in a row, filled up to whole warps
      size.x = p.n[6]; size.y = p.n[7];
      number = real::thread_z();
      threads = size.x * size.y * depth; lanes = real::threads_x();
      thread.x = real::thread_x() % size.x; thread.y = real::thread_x() / size.x % size.y;
      thread.z = real::thread_x() / size.x / size.y;
    } else {
      number = depth == 1 ? real::thread_z() : real::thread_z() / depth;
      thread.z = real::thread_z() - number * depth;
      threads = lanes = real::threads_x() * real::threads_y() * depth;
    }
    unsigned &along = axis == 0 ? block.x : axis == 1 ? block.y : block.z;
    present = min(factor, all - along * factor);
    along = along * factor + number;
    exists = along < all && (!p.n[6] || real::thread_x() < threads);
    (axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z) = all;
  }
  __device__ bool first() const { return thread.x + thread.y + thread.z == 0; }
  __device__ unsigned rank() const { return thread.x + size.x * (thread.y + size.y * thread.z); }
  // The virtual block's own `bytes` of dynamic shared memory, from byte `at` on.
  __device__ unsigned char *own(uint4 *memory, unsigned bytes, unsigned at) const {
    return reinterpret_cast<unsigned char *>(memory) + base + number * bytes + at;
  }

  // Barriers of the virtual block: whole warps, so one of a single warp needs no barrier of the block's.
  __device__ void sync() const {
    if (MOST == 0 || lanes == 32) __syncwarp();
    else named<1, IDS>::sync(number, lanes);
  }
  __device__ int count(int predicate) const {
    if (MOST != 0 && lanes != 32) return named<1, IDS>::count(number, lanes, predicate);
    const int found = __popc(__ballot_sync(0xffffffffu, predicate));
    __syncwarp();
    return found;
  }
  __device__ int all(int predicate) const { return count(predicate) == (int)threads; }
  __device__ int any(int predicate) const { return count(predicate) != 0; }

  // The turns of others (and one's own, once it is over).
  static __device__ void pass(unsigned turn, unsigned end) {
    for (; turn < end; ++turn) __syncthreads();
  }

  // A shared-memory access region. In turns (VTB): everybody waits until all virtual blocks have had theirs. As a
  // pipe (VTB_pipe): one after the other, in rounds; who is through goes on with private work at once.
  __device__ void begin() const {
    if (!pipe) return;
    if (!ALIKE) {
      if (real::thread_x() + real::thread_y() + real::thread_z() == 0) *gone = 0;
      __syncthreads();
    }
    if (number == present - 1) hand(0);
  }
  __device__ void enter() const {
    if (!pipe) pass(0, number);
    else named<1, IDS>::sync(turn_of(number), 2 * lanes);
  }
  __device__ void leave() const {
    if (!pipe) pass(number, factor);
    else hand(next());
  }
  // The virtual block comes no more. (Where all come equally often, nobody waits for it then.)
  __device__ void over() const {
    if (ALIKE || !pipe) return;
    enter();
    const unsigned to = next();
    sync();
    if (first()) *gone |= 1u << number;
    if (to != number) hand(to);
  }
  // Whose turn is the next: its own where nobody else comes any more.
  __device__ unsigned next() const {
    const unsigned none = ALIKE ? 0 : *gone;
    unsigned to = number;
    do to = to + 1 == present ? 0 : to + 1;
    while (!ALIKE && to != number && (none >> to & 1));
    return to;
  }
  // The barrier of a virtual block's turns: who had the memory comes there, and who gets it waits there.
  __device__ unsigned turn_of(unsigned who) const { return MOST == 0 ? who : factor + who; }
  __device__ void hand(unsigned to) const {
    __threadfence_block();
    named<1, IDS>::arrive(turn_of(to), 2 * lanes);
  }
};

// The type of the object that an expression names (`decltype` says a reference).
template <class T> struct object_of { typedef T type; };
template <class T> struct object_of<T &> { typedef T type; };
template <class T> using value_of = typename object_of<T>::type;

// An array of which the first rows are the virtual block's own and the others are shared in turns (CO-VTB).
template <class A> struct row_of;
template <class R, size_t N> struct row_of<R[N]> { typedef R gpuopt_type; };
template <class R, unsigned CUT> struct divided {
  R *gpuopt_rows, *common;
  template <class I> __device__ R &operator[](I i) const {
    typedef decltype(i + 0) wide;
    return (wide)i < (wide)CUT ? gpuopt_rows[(wide)i] : common[(wide)i - (wide)CUT];
  }
  // A row that is known to be none of the own ones.
  template <class I> __device__ R &gpuopt_rest(I i) const {
    typedef decltype(i + 0) wide;
    return common[(wide)i - (wide)CUT];
  }
};

// An array of which the first CUT elements are the virtual block's own, and of the others the thread's own one is in a
// register, as long as nobody else touches it (CO-VTB). `get` is an element's value, `at(i)` is to be set.
template <class A> struct element_of { typedef A gpuopt_type; };
template <class R, size_t N> struct element_of<R[N]> { typedef typename element_of<R>::gpuopt_type gpuopt_type; };
template <class T, unsigned CUT> struct column {
  T *gpuopt_rows, kept;
  template <class I> struct cell {
    column &of;
    I i;
    __device__ void operator=(T v) const { if (i < (I)CUT) of.gpuopt_rows[i] = v; else of.kept = v; }
    __device__ void operator++() const { if (i < (I)CUT) ++of.gpuopt_rows[i]; else ++of.kept; }
    __device__ void operator--() const { if (i < (I)CUT) --of.gpuopt_rows[i]; else --of.kept; }
    __device__ void operator++(int) const { ++*this; }
    __device__ void operator--(int) const { --*this; }
COLUMN_OPERATORS  };
  template <class I> __device__ T get(I i) const { return i < (I)CUT ? gpuopt_rows[i] : kept; }
  template <class I> __device__ cell<I> at(I i) { return cell<I>{*this, i}; }
  template <class R> __device__ void put(R *common, unsigned rank) const { reinterpret_cast<T *>(common)[rank] = kept; }
};
"""
_SET = "    template <class V> __device__ void operator{0}=(V v) const "
_SET += "{{ if (i < (I)CUT) of.gpuopt_rows[i] {0}= v; else of.kept {0}= v; }}\n"
DEVICE = DEVICE.replace(
    "COLUMN_OPERATORS", "".join(_SET.format(one) for one in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
)
