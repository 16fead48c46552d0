"""The run-time part: which launches may have a factor, and what a thread is told of its block. C++11."""

from __future__ import annotations

# Slots of the plan: which of the blocks a thread is at, and, set by the guard, the program's grid (x in two halves) and
# how many blocks become one.
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
  if (l.grid.x < times || !residency(l, l.threads, l.shared)) return false;
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
"""
