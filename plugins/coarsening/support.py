"""The run-time part: which launches may have a factor, and what a thread is told of its block. C++11."""

from __future__ import annotations

# Slots of the plan: which of the blocks (or neighbours) a thread is at, and, set by the guard, the program's grid (x in
# two halves), and how many blocks become one, or how long blocks are along x.
SUPPORT = """\
// What a thread is told of its block: one of the program's. `exists`: whether the grid has it.
struct turn {
  uint3 block;
  dim3 grid;
  bool exists;
  __device__ turn(const plan &p, unsigned times) : grid(p.n[1] | (unsigned)p.n[2] << 16, p.n[3], p.n[4]) {
    block.x = real::block_x() * times + p.n[0]; block.y = real::block_y(); block.z = real::block_z();
    exists = block.x < grid.x;
  }
  __device__ explicit turn(const plan &p) : turn(p, p.n[5]) {}
};
template <unsigned TIMES> struct place : turn {
  __device__ explicit place(const plan &p) : turn(p, TIMES) {}
};

// One block for each `times` of the program's that are neighbours along x. False: the launch has not as many.
static inline bool coarse(const launch &l, choice &c, unsigned times) {
  if (l.grid.x < times) return false;
  c.n[1] = (unsigned short)l.grid.x; c.n[2] = (unsigned short)(l.grid.x >> 16);
  c.n[3] = (unsigned short)l.grid.y; c.n[4] = (unsigned short)l.grid.z;
  c.n[0] = c.n[5] = (unsigned short)times;  // the first for a trace: the version sets it
  c.grid.x = (l.grid.x - 1) / times + 1;
  c.fewer_blocks = true;
  return true;
}

// For measurements: where every multiprocessor gets a block still.
static inline void offer(const launch &l, offers &o, unsigned times) {
  const unsigned long long all = (unsigned long long)l.grid.x * l.grid.y * l.grid.z;
  choice c = o.blank();
  if (all / times >= (unsigned long long)l.sms && coarse(l, c, times)) o.add(c, times, 1, 1.5, "coarse");
}

// Neighbours along x whose work a thread does: where the first one is, in a block that all of them are in.
template <unsigned LANES> struct group {
  uint3 thread, block;
  dim3 grid;
  bool exists;
  __device__ explicit group(const plan &p) : grid(p.n[1] | (unsigned)p.n[2] << 16, p.n[3], p.n[4]) {
    const unsigned length = p.n[5], at = real::thread_x() * LANES;
    unsigned more = 0;
    for (unsigned k = 1; k < LANES; ++k) more += at >= k * length;
    thread.x = at - more * length; thread.y = real::thread_y(); thread.z = real::thread_z();
    block.x = real::block_x() * LANES + more; block.y = real::block_y(); block.z = real::block_z();
    exists = block.x < grid.x;
  }
};
template <unsigned LANES> struct lane : group<LANES> {
  __device__ explicit lane(const plan &p) : group<LANES>(p) { this->thread.x += p.n[0]; }
};

// The elements of some neighbours, in registers.
template <class T> struct plain { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <class T> struct is_object { enum { value = __is_class(T) || __is_union(T) }; };
template <class T, unsigned LANES, bool = is_object<T>::value> struct cells {
  typedef typename plain<T>::type value;
  struct alignas(sizeof(T) * LANES < 16 ? sizeof(T) * LANES : 16) pack { value at[LANES]; };
  pack held;
  __device__ bool fits(const value *at) const { return (size_t)at % alignof(pack) == 0; }
  __device__ void load(const value *from) { held = *(const pack *)from; }
  __device__ void store(value *to) const { *(pack *)to = held; }
};
// Another instance of a template has a class there, whatever its constructors are: it is loaded one by one.
template <class T, unsigned LANES> struct cells<T, LANES, true> {
  typedef typename plain<T>::type value;
  struct pack {
    union { value at[LANES]; };
    __device__ pack() {}
    __device__ ~pack() {}
  };
  pack held;
  __device__ bool fits(const value *) const { return false; }
  __device__ void load(const value *) {}
  __device__ void store(value *) const {}
};
template <unsigned LANES, class T> __device__ inline cells<T, LANES> cells_of(T *) { return cells<T, LANES>(); }
// An array at a neighbour's own element, which a register holds, or as it is.
template <class T> struct element {
  T *memory, *held;
  template <class I> __device__ T &operator[](const I &i) const { return held ? *held : memory[i]; }
};
template <class T, class V> __device__ inline element<T> element_of(T *memory, V *held) { return {memory, held}; }

// The work of neighbours by one thread each: blocks of as many threads, of which there are fewer.
static inline bool grouped(const launch &l, choice &c, unsigned lanes) {
  if (l.block.x % lanes || !coarse(l, c, lanes)) return false;
  c.n[5] = (unsigned short)l.block.x;
  return true;
}
static inline void offer_grouped(const launch &l, offers &o, unsigned lanes) {
  const unsigned long long all = (unsigned long long)l.grid.x * l.grid.y * l.grid.z;
  choice c = o.blank();
  if (all / lanes >= (unsigned long long)l.sms && grouped(l, c, lanes)) o.add(c, lanes, 1, 1.5, "neighbours");
}
"""
