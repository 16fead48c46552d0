"""The run-time part: which block sizes a launch may have, and what a thread is told of its place. C++11."""

from __future__ import annotations

# Slots of the plan: packed in the first one (that a trace shows) log2 of the factor of a split (3 bits) and of a join
# (3), log2 of a program's block's depth where blocks are joined, else 7 (3), the axis along which blocks are split (2);
# then the program's block in three, and its grid in four (x in two halves). With powers of two shifts are enough.
DEVICE = """\
// What a thread is told of its place: that in the program's launch. `exists`: false for those that fill the last of the
// blocks that were joined.
struct place {
  uint3 thread, block;
  dim3 size, grid;
  bool exists;
  __device__ explicit place(const plan &p)
      : size(p.n[1], p.n[2], p.n[3]), grid(p.n[4] | (unsigned)p.n[5] << 16, p.n[6], p.n[7]) {
    const unsigned code = p.n[0], split = code & 7, join = code >> 3 & 7, depth = code >> 6 & 7, axis = code >> 9;
    const unsigned at = real::block_x(), part = at & ((1u << split) - 1), inner = real::thread_z() >> depth;
    thread.x = real::thread_x() + (axis == 0 ? part : 0) * (size.x >> split);
    thread.y = real::thread_y() + (axis == 1 ? part : 0) * (size.y >> split);
    thread.z = real::thread_z() - (inner << depth) + (axis == 2 ? part : 0) * (size.z >> split);
    block.x = (at >> split << join) + inner; block.y = real::block_y(); block.z = real::block_z();
    exists = block.x < grid.x;
  }
};
"""

HOST = """\
static inline unsigned log2_of(unsigned power) {
  unsigned n = 0;
  while (power >> n > 1) ++n;
  return n;
}

static inline void describe(const launch &l, choice &c, unsigned split, unsigned join, unsigned depth, unsigned axis) {
  c.n[0] = (unsigned short)(split | join << 3 | depth << 6 | axis << 9);
  c.n[1] = (unsigned short)l.block.x; c.n[2] = (unsigned short)l.block.y; c.n[3] = (unsigned short)l.block.z;
  c.n[4] = (unsigned short)l.grid.x; c.n[5] = (unsigned short)(l.grid.x >> 16);
  c.n[6] = (unsigned short)l.grid.y; c.n[7] = (unsigned short)l.grid.z;
}

// How many times fewer threads are resident beside the choice than in the program's launch, with the kernel's registers
// (to ask about the version would load it); 0: it cannot run so.
static inline double fewer(launch l, unsigned threads) {
  l.version = l.kernel;
  const unsigned blocks = residency(l, threads, l.shared);
  return blocks ? (double)l.resident_blocks * l.threads / ((double)blocks * threads) : 0;
}

// Each block split into 1 << s: along its slowest axis, so that the threads of a part follow each other, in whole
// warps. Parts are neighbours along x. How many times fewer threads are resident then; 0: not legal.
static inline double split(const launch &l, choice &c, unsigned s) {
  const unsigned axis = l.block.z > 1 ? 2 : l.block.y > 1 ? 1 : 0;
  unsigned &along = axis == 2 ? c.block.z : axis == 1 ? c.block.y : c.block.x;
  if (along >> s << s != along || (l.threads >> s) % 32 || !(l.threads >> s) || l.grid.x > 0x7fffffffu >> s) return 0;
  describe(l, c, s, 0, 7, axis);
  along >>= s;
  c.grid.x = l.grid.x << s;
  return fewer(l, l.threads >> s);
}

// 1 << m blocks that are neighbours along x joined into one, above each other: whole warps, or blocks that fill one.
static inline double join(const launch &l, choice &c, unsigned m) {
  const unsigned depth = log2_of(l.block.z), threads = l.threads << m;
  if (1u << depth != l.block.z || l.block.z << m > 64 || threads > 1024 || l.grid.x >> m == 0) return 0;
  if (l.threads % 32 && 32 % l.threads) return 0;
  describe(l, c, 0, m, depth, 3);
  c.block.z = l.block.z << m;
  c.grid.x = ((l.grid.x - 1) >> m) + 1;
  return fewer(l, threads);
}

static inline double at_least(double a, double b) { return a > b ? a : b; }

// All that a launch may legally have, for measurements to choose from: splits are numbered from 1, joins from 9.
static inline void offer(const launch &l, offers &o) {
  const unsigned long long all = (unsigned long long)l.grid.x * l.grid.y * l.grid.z;
  const bool few = all < 2ULL * l.sms;  // too few for all multiprocessors, or nearly so
  // Of a grid that fills the GPU, parts of which half as many threads are resident took 2 to 7 times as long (H200).
  const bool full = all >= (unsigned long long)l.sms * l.resident_blocks;
  const unsigned filled = l.threads < 32 ? 5 - log2_of(l.threads) : 0;  // makes whole warps of blocks that are parts
  for (unsigned m = 1; m <= filled + 2 && all >> m >= (unsigned)l.sms; ++m) {
    choice c = o.blank();
    const double held = join(l, c, m);
    if (held > 0) o.add(c, 8 + m, 1, at_least(1.5, 1.2 * held), "join");
  }
  for (unsigned s = 1; s <= (few ? 5u : 3u); ++s) {
    choice c = o.blank();
    const double held = split(l, c, s);
    if (held > 0 && !(full && held >= 2)) o.add(c, s, 1, at_least(1.5, 1.2 * held), "split");
  }
}
"""
SUPPORT = DEVICE + HOST
