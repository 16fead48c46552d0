"""The run-time twin of `decide.py` and of the counting in `survey.py`: C++11 definitions that all guards share.

They stand once per translation unit in `gpuopt_rt::plugin_catt`, beside `launch`, `choice` and the table of GPUs. A
property test compiles them with guards and holds them against Python.
"""

from __future__ import annotations

from .decide import STRONG_VISITS, WEAK
from .survey import UNIT

SUPPORT = (
    """\
// What the policy and the GPU's file say. Sizes in bytes, the margin in thousandths; l1 0: what the GPU has.
struct rules {
  bool sectored, warp_level, block_level;
  long long line, sector, margin, minimum_trips, minimum_warps, l1;
};

// What a lane touches through one index form in an iteration: `copies` runs of `length` bytes.
struct reference {
  int where;  // 0: one line per warp, 1: other lines for every block, 2: the same lines for all
  int array;  // forms of one array may share lines
  long long length, copies;
  int reuse;  // 0: not found again, 1: found again, 2: often
  bool away;  // an earlier version sends it past L1
  reference() : where(0), array(0), length(1), copies(1), reuse(0), away(false) {}
  void set(int where_, int array_, long long bytes) { where = where_; array = array_; length = bytes; }
  // The distance in bytes to the next iteration; the loads of `batch` iterations are issued together.
  void moves(const rules &r, long long step, long long batch) {
    const long long far = step < 0 ? -step : step;
    if (!r.sectored) reuse = far <= r.line;
    else if (!far) reuse = batch == 1 ? 2 : 0;
    else reuse = far >= r.sector ? 0 : r.sector > far * batch * (STRONG - 1) ? 2 : 1;
  }
  // An inner loop around the access.
  void walks(const rules &r, long long trips, long long step) {
    const long long far = step < 0 ? -step : step, reach = length > r.line ? length : r.line;
    if (trips <= 1 || !far) return;
    if (copies == 1 && far <= reach) length += far * (trips - 1);
    else copies *= trips;
  }
};

// Runs of cache lines, and how many distinct lines they are together.
struct runs {
  long long *at;
  unsigned n, room;
  runs() : at(new long long[512]), n(0), room(256) {}
  ~runs() { delete[] at; }
  static long long line(long long byte, long long unit) {
    return byte >= 0 ? byte / unit : -((unit - 1 - byte) / unit);
  }
  void add(long long start, long long length, long long unit) {
    if (n == room) {
      long long *more = new long long[4 * (size_t)room];
      for (unsigned i = 0; i < 2 * n; ++i) more[i] = at[i];
      delete[] at;
      at = more; room *= 2;
    }
    at[2 * n] = line(start, unit); at[2 * n + 1] = line(start + length - 1, unit); ++n;
  }
  bool before(unsigned i, unsigned j) const {
    return at[2 * i] != at[2 * j] ? at[2 * i] < at[2 * j] : at[2 * i + 1] < at[2 * j + 1];
  }
  void swap(unsigned i, unsigned j) {
    for (unsigned k = 0; k < 2; ++k) {
      const long long t = at[2 * i + k]; at[2 * i + k] = at[2 * j + k]; at[2 * j + k] = t;
    }
  }
  void sift(unsigned i, unsigned count) {
    for (unsigned child; (child = 2 * i + 1) < count; i = child) {
      if (child + 1 < count && before(child, child + 1)) ++child;
      if (!before(i, child)) return;
      swap(i, child);
    }
  }
  bool sorted() const {
    for (unsigned i = 1; i < n; ++i) if (before(i, i - 1)) return false;
    return true;
  }
  long long lines() {
    if (!sorted()) {  // most threads go through arrays in their order
      for (unsigned i = n / 2; i-- > 0;) sift(i, n);
      for (unsigned i = n; i-- > 1;) { swap(0, i); sift(0, i); }
    }
    long long count = 0, next = 0;
    for (unsigned i = 0; i < n; ++i) {
      const long long first = i && at[2 * i] < next ? next : at[2 * i];
      if (at[2 * i + 1] >= first) { count += at[2 * i + 1] - first + 1; next = at[2 * i + 1] + 1; }
    }
    n = 0;
    return count;
  }
private:
  runs(const runs &);
  runs &operator=(const runs &);
};

// Lines of a loop: for every resident block, and once for the SM.
struct lines {
  long long block, sm;
  lines() : block(0), sm(0) {}
  long long sum() const { return block + sm; }
};

// The decision for one launch, loop by loop.
struct decision {
  const launch &l;
  choice &c;
  const rules &r;
  const long long warps, all, l1;
  long long keep;  // blocks that stay resident
  bool never;      // a loop of this nest fits at no TLP
  runs found;
  decision(const launch &l_, choice &c_, const rules &r_)
      : l(l_), c(c_), r(r_), warps(l_.warps), all(l_.blocks_per_sm), l1(r_.l1 ? r_.l1 : (long long)l_.l1_bytes),
        keep(all), never(false) {}
  bool known() const { return l.warps && l.blocks_per_sm && l.l1_bytes; }
  void nest() { never = false; }
  bool gains(unsigned slots) const {
    for (unsigned k = 0; k < slots; ++k) if (c.n[k] > 1) return true;
    return keep < all;
  }

  // L1 beside the smallest configuration in which exactly `blocks` blocks fit, -1 where there is none.
  long long beside(long long blocks, size_t &shared, int &percent) const {
    const gpu *g = gpu_of(l.capability);
    if (!g || l.carveout_set) return -1;
    size_t most = 0;
    for (unsigned i = 0; i < 12; ++i) if (g->split[i] > most) most = g->split[i];
    const size_t own = l.static_shared + l.shared + g->reserved;
    for (unsigned i = 0; i < 12; ++i) {
      const size_t size = g->split[i], each = size / (size_t)blocks / UNIT * UNIT;
      if (size < g->usual || each <= own || each * (size_t)(blocks + 1) <= size) continue;
      shared = each - l.static_shared - g->reserved;
      // the least above the next smaller one: what the driver takes a hundred of is not quite `most`
      percent = i ? (int)(g->split[i - 1] * 100 / most) + 1 : 0;
      return r.l1 ? r.l1 : (long long)l1_beside(*g, size);
    }
    return -1;
  }

  // Lines of some threads through one reference.
  template <class At> void add(const reference &one, unsigned k, At at, unsigned begin, unsigned end) {
    for (unsigned t = begin; t < end && t < l.threads; ++t)
      found.add(at(k, t % l.block.x, t / l.block.x % l.block.y, t / (l.block.x * l.block.y)), one.length, r.line);
  }

  // Distinct lines of `part` warps from `first` on, of references found again at least so often.
  template <class At>
  lines distinct(const reference *refs, unsigned count, At at, long long first, long long part, int least) {
    lines sum;
    const unsigned begin = (unsigned)first * 32, end = (unsigned)(first + part) * 32;
    for (unsigned a = 0; a < count; ++a) {
      long long copied = 0;
      int where = 1;
      for (unsigned k = 0; k < count; ++k) {
        const reference &one = refs[k];
        if (one.array != (int)a || one.reuse < least || one.away) continue;
        if (!one.where) { sum.block += part; continue; }
        where = one.where;
        if (one.copies > 1) { runs mine; one_copy(one, k, at, begin, end, mine); copied += mine.lines() * one.copies; }
        else add(one, k, at, begin, end);
      }
      (where == 2 ? sum.sm : sum.block) += found.lines() + copied;
    }
    return sum;
  }
  template <class At>
  void one_copy(const reference &one, unsigned k, At at, unsigned begin, unsigned end, runs &mine) const {
    for (unsigned t = begin; t < end && t < l.threads; ++t)
      mine.add(at(k, t % l.block.x, t / l.block.x % l.block.y, t / (l.block.x * l.block.y)), one.length, r.line);
  }

  // CATT eq. 7 summed over references: the larger of the first and the middle warp for each.
  template <class At> long long requests(const reference *refs, unsigned count, At at, int least) {
    long long sum = 0;
    for (unsigned k = 0; k < count; ++k) {
      if (refs[k].reuse < least || refs[k].away) continue;
      if (!refs[k].where) { ++sum; continue; }
      long long most = 0;
      for (unsigned w = 0; w <= l.warps / 2; w += l.warps > 1 ? l.warps / 2 : 1) {
        add(refs[k], k, at, w * 32, w * 32 + 32);
        const long long here = found.lines() * refs[k].copies;
        if (here > most) most = here;
      }
      sum += most;
    }
    return sum;
  }

  // More lines than a warp can touch: most launches need no more than this.
  long long at_most(const reference *refs, unsigned count) const {
    long long sum = 0;
    for (unsigned k = 0; k < count; ++k)
      sum += refs[k].where ? 32 * ((refs[k].length + r.line - 2) / r.line + 1) * refs[k].copies : 1;
    return sum;
  }

  // Decide for a loop (trips < 0: not known): raises n of its slot, lowers `keep`.
  template <class At> void loop(unsigned slot, const reference *refs, unsigned count, long long trips, At at) {
    lines of[6], kept[2];
    if (never || (trips < 0 && r.sectored) || (trips >= 0 && trips < r.minimum_trips)) return;
    if (at_most(refs, count) * warps * all * r.line <= l1) return;
    if (r.sectored) {
      of[0] = distinct(refs, count, at, 0, warps, 0);
      for (int k = 0; k < 2; ++k) kept[k] = distinct(refs, count, at, 0, warps, k + 1);
      if (!too_large(of[0], kept[0].sum(), kept[1].sum())) return;
      for (unsigned s = 1; s < 6 && warps % (1LL << s) == 0; ++s) {
        const long long n = 1LL << s, part = warps / n;
        for (long long group = 0; group <= n / 2; group += n / 2) {
          const lines one = distinct(refs, count, at, group * part, part, 0);
          if (one.sum() > of[s].sum() || (one.sum() == of[s].sum() && one.block > of[s].block)) of[s] = one;
        }
      }
    } else {
      const long long all_refs = requests(refs, count, at, 0);
      for (unsigned s = 0; s < 6 && warps % (1LL << s) == 0; ++s) of[s].block = all_refs * (warps >> s);
      kept[0].block = kept[1].block = requests(refs, count, at, 1) * warps;
      if (!too_large(of[0], kept[0].sum(), kept[1].sum())) return;
    }
    choose(slot, of);
  }

  long long footprint(const lines &one, long long blocks) const { return (one.block * blocks + one.sm) * r.line; }
  void raise(unsigned slot, unsigned step) {
    if (c.n[slot] < (1u << step)) c.n[slot] = (unsigned short)(1u << step);
  }
  // Whether what all warps touch is to be made smaller; `local` of its lines are found again, `strong` ones often.
  bool too_large(const lines &one, long long local, long long strong) const {
    const long long whole = one.sum(), bytes = footprint(one, all);
    const long long margin = r.sectored && strong * 2 < whole ? r.margin * WEAK : r.margin;
    return local && !(r.sectored && local * 2 < whole) && bytes > l1 && bytes * 1000 > l1 * margin;
  }
  void choose(unsigned slot, const lines *of) {
    const long long fewest = r.sectored ? r.minimum_warps : 1;
    unsigned last = 0;
    for (unsigned s = 0; s < (r.warp_level ? 6u : 1u) && warps % (1LL << s) == 0; ++s) {
      if ((warps >> s) * all < fewest) break;
      last = s;
      if (footprint(of[s], all) <= l1) { raise(slot, s); return; }
    }
    for (long long b = all - 1; r.block_level && b > 0 && (warps >> last) * b >= fewest; --b) {
      size_t shared = 0;
      int percent = -1;
      const long long left = beside(b, shared, percent);
      if (left < 0 || footprint(of[last], b) > left) continue;
      raise(slot, last);
      if (b < keep) { keep = b; c.shared = shared; c.carveout = percent; }
      return;
    }
    never = true;
  }

  // Groups and resident blocks for measurements to choose from, as powers of two.
  void offer(offers &o, unsigned slots) {
    static const unsigned char halvings[][2] = { { 1, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 0, 2 }, { 3, 0 }, { 2, 1 },
                                                 { 0, 3 }, { 4, 0 }, { 1, 2 } };
    for (unsigned i = 0; i < sizeof(halvings) / sizeof(halvings[0]); ++i) {
      const unsigned s = halvings[i][0], b = halvings[i][1];
      const long long blocks = all >> b;
      if ((s && (!r.warp_level || warps % (1LL << s))) || (b && (!r.block_level || blocks < 1))) continue;
      choice one = o.blank();
      for (unsigned k = 0; k < slots; ++k) one.n[k] = (unsigned short)(1u << s);
      if (b && beside(blocks, one.shared, one.carveout) < 0) continue;
      o.add(one, 16 * s + b, 1, (double)(1u << (s + b)));
    }
  }

  // A TLP that the policy names; 0: as it is.
  bool fixed(unsigned slots, unsigned wanted_warps, long long wanted_blocks) {
    const bool grouped = wanted_warps && l.warps > wanted_warps && l.warps % wanted_warps == 0;
    for (unsigned k = 0; k < slots && grouped; ++k) c.n[k] = (unsigned short)(l.warps / wanted_warps);
    size_t shared = 0;
    int percent = -1;
    if (r.block_level && wanted_blocks && all > wanted_blocks && beside(wanted_blocks, shared, percent) >= 0) {
      keep = wanted_blocks; c.shared = shared; c.carveout = percent;
    }
    return gains(slots);
  }
};
""".replace("STRONG", str(STRONG_VISITS))
    .replace("WEAK", str(WEAK))
    .replace("UNIT", str(UNIT))
)
