// What boxes and orders of blocks cost in memory traffic, for decisions at a launch.
// Python's side of it: block_traffic.py, block_choice.py; tests hold the two together.

// What the accesses of one index form touch: thread and loop dimensions as (bytes per step, steps), and bytes per step
// along the axes of the grid.
struct form {
  long long bytes, requests;  // of one access; accesses of a warp in a block
  unsigned count;
  long long step[24], trips[24], block[3];
  form() : bytes(1), requests(0), count(0) { block[0] = block[1] = block[2] = 0; }
  void walk(long long by, long long times) {
    if (count < 24) { step[count] = by < 0 ? -by : by; trips[count++] = times; }
  }
};

// What a box of blocks touches through a form: dimensions by rising step, each either extends a run of bytes or copies it.
inline void spread(const form &f, const long long (&box)[3], long long sector, double &run, double &copies) {
  long long step[27], trips[27];
  unsigned n = 0;
  for (unsigned k = 0; k < f.count + 3; ++k) {
    const long long by = k < f.count ? f.step[k] : f.block[k - f.count] < 0 ? -f.block[k - f.count] : f.block[k - f.count];
    const long long times = k < f.count ? f.trips[k] : box[k - f.count];
    if (!by || times <= 1) continue;
    unsigned at = n++;
    for (; at && step[at - 1] > by; --at) { step[at] = step[at - 1]; trips[at] = trips[at - 1]; }
    step[at] = by; trips[at] = times;
  }
  run = (double)f.bytes; copies = 1;
  for (unsigned k = 0; k < n; ++k) {
    if ((double)step[k] <= (run > (double)sector ? run : (double)sector)) run += (double)step[k] * (double)(trips[k] - 1);
    else copies *= (double)trips[k];
  }
}
inline double in_sectors(double bytes, long long sector) {
  return (double)((long long)((bytes + (double)(sector - 1)) / (double)sector) * sector);
}
inline double touched(const form &f, const long long (&box)[3], long long sector) {
  double run, copies;
  spread(f, box, sector, run, copies);
  return copies * in_sectors(run, sector);
}

// Warps that go first (Liu et al., algorithm 2): what each load of a loop touches in one turn.
struct warp_forms {
  long long bytes[32], thread[32][3], block[32][3];
  unsigned count;
  warp_forms() : count(0) {}
  void add(long long size, long long x, long long y, long long z, long long u, long long v, long long w) {
    const long long steps[6] = { x, y, z, u, v, w };
    for (int a = 0; a < 3; ++a) { thread[count][a] = steps[a]; block[count][a] = steps[a + 3]; }
    bytes[count++] = size;
  }
  // Lines, in bytes, that the first `w` warps along an axis of the grid (eq. 7 and 8) touch in one turn.
  double lines(const dim3 &threads, int axis, long long w, long long line) const {
    const long long size[3] = { threads.x, threads.y, threads.z }, all = (size[0] * size[1] * size[2] + 31) / 32;
    long long box[3] = { 1, 1, 1 };
    box[axis] = (w + all - 1) / all;
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) {
      form f;
      f.bytes = bytes[k];
      long long left = (w < all ? w : all) * 32;
      for (int a = 0; a < 3; ++a) {
        const long long part = left < size[a] ? left : size[a];
        f.walk(thread[k][a], part);
        f.block[a] = block[k][a];
        left = (left + part - 1) / part;
      }
      sum += touched(f, box, line);
    }
    return sum;
  }
  // How many warps touch no more than L1 holds; 0: `most` do.
  long long fitting(const dim3 &threads, int axis, long long most, long long l1, long long line) const {
    const long long all = ((long long)threads.x * threads.y * threads.z + 31) / 32;
    long long last = 1;
    for (long long w = 1; w <= most; w += w < all ? 1 : all) {
      if (lines(threads, axis, w, line) > (double)l1) return last;
      last = w;
    }
    return 0;
  }
};

const long long USUAL_WIDTH = 32;  // blocks: close to the best of all widths on an H200 (docs/cta.md)
// What decisions go by. `sector`: bytes that L2 asks memory for at once; `margin`, `share`, `reserve` in thousandths: how
// many times less must be waited, part of the time that must be saved, part of L2 that cannot be counted on; `l2` 0: what
// the GPU has. `unit`: bytes that L1 asks L2 for at once; `l1`: its bytes, 0: it keeps nothing for other blocks;
// `l2_rate`: bytes per cycle that an SM gets from L2.
struct rules { long long sector, margin, share, reserve, l2, unit, l1, l2_rate; };
// A box of blocks that run together, the axis along which the next ones follow (-1: all are in it), and how far they go.
struct wave { long long now[3], most; int grows; };
// Bytes from beyond L2, and those that all L1s ask L2 for (0: not looked at).
struct bytes { double memory, asked; };
// The decision among orders for one launch.
struct orders {
  const launch &l;
  const rules &r;
  form forms[32];
  unsigned count;
  bool whole;  // all forms are known
  orders(const launch &l_, const rules &r_) : l(l_), r(r_), count(0), whole(true) {}
  form &add() { if (count == 32) { whole = false; --count; } return forms[count++]; }
  double box(long long x, long long y, long long z) const {
    const long long size[3] = { x, y, z };
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += touched(forms[k], size, r.sector);
    return sum;
  }
  static long long least(long long a, long long b) { return a < b ? a : b; }
  double blocks() const { return (double)l.grid.x * (double)l.grid.y * (double)l.grid.z; }
  // The blocks that run together in tiles of (w, h, d).
  wave together(long long w, long long h, long long d) const {
    const long long g[3] = { l.grid.x, l.grid.y, l.grid.z };
    const long long t[3] = { least(w ? w : g[0], g[0]), least(h ? h : g[1], g[1]), least(d ? d : g[2], g[2]) };
    wave v = { { 1, 1, 1 }, 1, -1 };
    long long left = (long long)l.sms * l.blocks_per_sm;
    for (int pass = 0; pass < 2; ++pass)
      for (int a = 0; a < 3; ++a) {
        const long long most = pass ? g[a] : t[a];
        if (v.grows >= 0 || v.now[a] == most) continue;
        const long long times = least((most + v.now[a] - 1) / v.now[a], left < 1 ? 1 : left);
        left /= times;
        v.now[a] = least(v.now[a] * times, most);
        if (v.now[a] < most) { v.grows = a; v.most = most; }
      }
    return v;
  }
  wave followed(const wave &v) const {
    wave two = v;
    if (v.grows >= 0) two.now[v.grows] = least(2 * v.now[v.grows], v.most);
    return two;
  }
  // What all blocks bring into a cache: `one` and `two` are what a wave, and a wave and the next one, touch. All of that
  // comes once where two fit. Else blocks are not in step: what one has brought is there for another one as far as the
  // cache holds what the wave touches, and the rest comes for each block (`own`).
  double brought(const wave &v, double waves, double one, double two, double own, double room) const {
    const double part = one > room ? room / one : 1;
    if (two > room || v.grows < 0) return waves * (part * one + (1 - part) * own);
    const double steps = (double)v.most / (double)v.now[v.grows], rows = waves / steps;
    return rows * (one + (steps - 1) * (two - one));
  }
  // Bytes that `held` blocks of an SM, any of `v`, touch: blocks go where room is, not in turn (docs/cta.md).
  double near_box(unsigned held, const wave &v) const {
    const long long one[3] = { 1, 1, 1 };
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) {
      double choices = 1, none = 1;
      for (int a = 0; a < 3; ++a) if (forms[k].block[a]) choices *= (double)v.now[a];
      for (unsigned i = 0; i < held; ++i) none *= 1 - 1 / choices;
      sum += touched(forms[k], one, r.unit) * choices * (1 - none);
    }
    return sum;
  }
  double each(long long unit) const {
    const long long one[3] = { 1, 1, 1 };
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += touched(forms[k], one, unit);
    return sum;
  }
  // What L1s and L2 bring when blocks run in tiles of (w, h, d).
  bytes traffic(long long w, long long h, long long d) const {
    const wave v = together(w, h, d), next = followed(v);
    const double now = (double)v.now[0] * (double)v.now[1] * (double)v.now[2], waves = blocks() / now;
    bytes found = { 0, 0 };
    double own = now * each(r.sector);
    if (near()) {
      const double one = near_box(l.blocks_per_sm, v), two = near_box(2 * l.blocks_per_sm, next);
      const double sms = now / l.blocks_per_sm;  // that hold a wave
      found.asked = sms * brought(v, waves, one, two, l.blocks_per_sm * each(r.unit), (double)r.l1);
      own = least_of(own, found.asked / waves);
    }
    const double room = (double)(r.l2 ? r.l2 : (long long)l.l2_bytes) * (double)(1000 - r.reserve) / 1000;
    const double one = box(v.now[0], v.now[1], v.now[2]), two = box(next.now[0], next.now[1], next.now[2]);
    found.memory = brought(v, waves, one, two, own > one ? own : one, room);
    return found;
  }
  static double least_of(double a, double b) { return a < b ? a : b; }
  bool near() const { return r.l1 && r.unit && r.l2_rate; }
  // The tile of up to `fit` blocks that share most, and what it touches per block; what is given (rows or columns: 0 is
  // the whole extent) unless another one touches 1.1 times less, as halos do not show here.
  double gather(unsigned fit, unsigned &w, unsigned &h) const {
    const unsigned given = w == 1 ? 1 : fit;
    double best = 0;
    for (unsigned turn = 0; turn <= fit; ++turn) {
      const unsigned wide = turn ? turn : given;
      const long long x = least(wide, l.grid.x), y = least(fit / wide, l.grid.y);
      const double each = box(x, y, 1) / (double)(x * y);
      if (!turn) best = each / 1.1;
      else if (each < best) { best = each; w = (unsigned)x; h = (unsigned)y; }
    }
    return w && h ? best : best * 1.1;
  }
  // The same of the blocks that an SM has at once where they are dealt out in turns.
  double dealt(unsigned fit) const {
    const long long all = (long long)l.grid.x * l.grid.y * l.grid.z, one[3] = { 1, 1, 1 };
    double sum = 0;
    unsigned blocks = 0;
    for (unsigned k = 0; k < count; ++k) {
      const form &f = forms[k];
      long long starts[64];
      double run, copies, bytes = 0, end = 0, begin = 0;
      for (blocks = 0; blocks < fit && blocks < 64 && (long long)blocks * l.sms < all; ++blocks) {
        const long long n = (long long)blocks * l.sms, x = n % l.grid.x, y = n / l.grid.x % l.grid.y, z = n / l.grid.x / l.grid.y;
        const long long start = x * f.block[0] + y * f.block[1] + z * f.block[2];
        unsigned at = blocks;
        for (; at && starts[at - 1] > start; --at) starts[at] = starts[at - 1];
        starts[at] = start;
      }
      spread(f, one, r.sector, run, copies);
      for (unsigned i = 0; i < blocks; ++i) {
        const double start = (double)starts[i];
        if (i && start <= end) { end = start + run > end ? start + run : end; continue; }
        if (i) bytes += in_sectors(end - begin, r.sector);
        begin = start; end = start + run;
      }
      sum += copies * (bytes + in_sectors(end - begin, r.sector));
    }
    return blocks ? sum / blocks : 0;
  }
  // Warp-level accesses of the whole grid.
  double requests() const {
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += (double)forms[k].requests;
    return sum * blocks() * (double)l.warps;
  }
  // Whether there are blocks that have to wait for others to end.
  bool waits() const {
    return l.sms && l.blocks_per_sm && blocks() > (double)l.sms * l.blocks_per_sm && blocks() < 2147483648.0;
  }
  // Cycles that SMs wait, all together, beyond those in which loads are issued: for memory, or for L2 where that takes
  // longer (`for_l2`). `ratio`: bytes per cycle from memory.
  double waited(long long w, long long h, long long d, long long ratio, bool *for_l2 = 0) const {
    const bytes found = traffic(w, h, d);
    const double memory = found.memory * (double)l.sms / (double)ratio;
    const double l2 = near() ? found.asked / (double)r.l2_rate - requests() : 0;
    if (for_l2) *for_l2 = l2 > memory;
    return l2 > memory ? l2 : memory;
  }
  // Bands of columns, in a grid of layers also rows through all of them: the usual width, or the one where least is
  // waited if that saves enough; false where the order saves too little. Where L2 would be waited for in the new
  // order, the whole time has to be so much less: what blocks out of step find in L1 is known less well (docs/cta.md).
  bool choose(choice &c, long long ratio) const {
    if (!whole || !count || !waits()) return false;
    bool for_l2;
    const double usual = waited(USUAL_WIDTH, 0, 1, ratio, &for_l2), base = waited(0, 1, 1, ratio);
    const double enough = requests() * (double)r.share / 1000;
    long long tile[3] = { USUAL_WIDTH, 0, 1 };
    double best = usual;
    for (long long d = 1; d >= 0 && (d || l.grid.z > 1); --d)
      for (long long w = 1; w < 65536 && w <= (long long)l.grid.x; w *= 2) {
        const long long h = d ? 0 : 1;
        bool by_l2;
        const double now = waited(w, h, d, ratio, &by_l2);
        if (now < best && usual - now >= enough) { best = now; for_l2 = by_l2; tile[0] = w; tile[1] = h; tile[2] = d; }
      }
    for (unsigned k = 0; k < 3; ++k) c.n[k] = (unsigned short)tile[k];
    const double counted = for_l2 ? requests() : 0;
    return (counted + base) * 1000.0 >= (counted + best) * (double)r.margin && base - best >= enough;
  }
};
