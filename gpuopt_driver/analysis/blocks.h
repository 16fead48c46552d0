// Orders of blocks, agents, and what an order costs: shared by the plugins that change the order in which blocks run.
// Python's side of it: block_orders.py, block_traffic.py; tests hold the two together.

// One step of `place`: the tile along axis A that block `number` of what is left lies in.
template <int A, class T>
inline __host__ __device__ T outer(T number, const unsigned (&tiles)[3], unsigned (&extent)[3], unsigned (&at)[3]) {
  const unsigned whole = extent[A];
  if (!tiles[A] || tiles[A] >= whole) return number;
  const T layer = (T)extent[(A + 1) % 3] * extent[(A + 2) % 3];
  at[A] = (unsigned)(number / (layer * tiles[A])) * tiles[A];
  extent[A] = whole - at[A] < tiles[A] ? whole - at[A] : tiles[A];
  return number - at[A] * layer;
}
template <int A, class T>
inline __host__ __device__ T inner(T number, const unsigned (&extent)[3], unsigned (&at)[3]) {
  const T rest = number / extent[A];
  at[A] += (unsigned)(number - rest * extent[A]);
  return rest;
}
// The block that comes as `number`-th: tiles (0: the whole extent) with axis O0 fastest, inside them I0 fastest.
template <int O0, int O1, int O2, int I0, int I1, class T>
inline __host__ __device__ void place(T number, const unsigned (&grid)[3], const unsigned (&tiles)[3], unsigned (&at)[3]) {
  unsigned extent[3] = { grid[0], grid[1], grid[2] };
  at[0] = at[1] = at[2] = 0;
  number = outer<O2>(number, tiles, extent, at);
  number = outer<O1>(number, tiles, extent, at);
  number = outer<O0>(number, tiles, extent, at);
  number = inner<I0>(number, extent, at);
  number = inner<I1>(number, extent, at);
  at[3 - I0 - I1] += (unsigned)number;
}
// The block that is the w-th of cluster i when `blocks` blocks are divided into `clusters` balanced clusters
// (Li et al., eq. 8), and the blocks of a cluster.
inline __host__ __device__ unsigned invert(unsigned blocks, unsigned clusters, unsigned w, unsigned i) {
  const unsigned longer = blocks % clusters;
  return i * (blocks / clusters + 1) + w - (i > longer ? i - longer : 0);
}
inline __host__ __device__ unsigned cluster_size(unsigned blocks, unsigned clusters, unsigned i) {
  return blocks / clusters + (i < blocks % clusters ? 1 : 0);
}
// The block whose work the calling one does: n[0..2] the tile; n[3] > 1: so many clusters, to which blocks are bound as
// if the GPU gave them to its SMs in turn (Li et al., eq. 8 and 9).
template <int O0, int O1, int O2, int I0, int I1> inline __device__ uint3 redirected(const plan &p) {
  const unsigned grid[3] = { gridDim.x, gridDim.y, gridDim.z }, tiles[3] = { p.n[0], p.n[1], p.n[2] };
  unsigned at[3];
  const unsigned long long row = blockIdx.y + (unsigned long long)grid[1] * blockIdx.z, number = blockIdx.x + grid[0] * row;
  if ((unsigned long long)grid[0] * grid[1] * grid[2] >> 32) place<O0, O1, O2, I0, I1>(number, grid, tiles, at);
  else {
    unsigned turn = (unsigned)number;
    if (p.n[3] > 1) turn = invert(grid[0] * grid[1] * grid[2], p.n[3], turn / p.n[3], turn % p.n[3]);
    place<O0, O1, O2, I0, I1>(turn, grid, tiles, at);
  }
  return make_uint3(at[0], at[1], at[2]);
}

// A block in the GPU's own order: what orders of the policy's own are written in.
struct numbered {
  long long n, x, y, z, gx, gy, gz;
  __host__ __device__ numbered(long long a, long long b, long long c, const dim3 &g)
      : n(a + g.x * (b + (long long)g.y * c)), x(a), y(b), z(c), gx(g.x), gy(g.y), gz(g.z) {}
};
inline __device__ numbered usual() { return numbered(blockIdx.x, blockIdx.y, blockIdx.z, gridDim); }
// Whether an order gives every block of a grid to somebody: each is marked once.
struct marks {
  unsigned char *bits;
  dim3 grid;
  explicit marks(const dim3 &g) : bits(new unsigned char[((size_t)g.x * g.y * g.z + 7) / 8]()), grid(g) {}
  ~marks() { delete[] bits; }
  bool once(long long x, long long y, long long z) {
    if (x < 0 || y < 0 || z < 0 || x >= grid.x || y >= grid.y || z >= grid.z) return false;
    const size_t at = (size_t)x + grid.x * ((size_t)y + (size_t)grid.y * (size_t)z);
    const unsigned char bit = (unsigned char)(1 << at % 8);
    if (bits[at / 8] & bit) return false;
    bits[at / 8] = (unsigned char)(bits[at / 8] | bit);
    return true;
  }
 private:
  marks(const marks &);
  marks &operator=(const marks &);
};

// The w-th block of SM i where rows of `width` blocks go to SMs whole as long as all SMs can have as many, and the rest
// is split evenly (Liu et al., algorithm 3): `height` rows. False where the SM has no such block.
inline __host__ __device__ bool row_mapped(unsigned width, unsigned height, unsigned sms, unsigned w, unsigned i,
                                           unsigned &number) {
  const unsigned whole = height / sms * width, rest = (height - height / sms * sms) * width;
  const unsigned share = (rest + sms - 1) / sms;
  if (w < whole) { number = i * whole + w; return true; }
  const unsigned extra = i * share + (w - whole);
  if (w - whole >= share || extra >= rest) return false;
  number = whole * sms + extra;
  return true;
}

// A persistent block that does the work of many (Li et al., agent-based clustering). The plan: n[0..3] the grid of the
// original (x in two halves), n[4] clusters, n[5] active agents per SM, n[6] and n[7] the tile; scratch: a counter of
// arrivals and one of blocks taken per cluster. An agent serves the cluster of the SM that it runs on, then what is left
// of the others, so that all blocks are run wherever the agents are (MPS, MIG, other kernels on the device).
template <bool Mapped, bool Columns> struct agent {
  dim3 grid;
  unsigned *counters;
  unsigned blocks, clusters, cluster, tried, active, follower, tiles[3];
  bool followed;
  __device__ explicit agent(const plan &p)
      : grid(p.n[0] | (unsigned)p.n[1] << 16, p.n[2], p.n[3]), counters((unsigned *)p.scratch),
        blocks(grid.x * grid.y * grid.z), clusters(p.n[4]), cluster(0), tried(0), active(p.n[5]), follower(0), followed(false) {
    tiles[0] = p.n[6]; tiles[1] = p.n[7]; tiles[2] = 1;
    if (threadIdx.x | threadIdx.y | threadIdx.z) return;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    cluster = sm % clusters;
    if (atomicAdd(counters + cluster, 1u) >= p.n[5]) tried = clusters;  // throttled
  }
  __device__ bool has(unsigned w, unsigned &number) const {
    if (Mapped) return row_mapped(Columns ? grid.y : grid.x, Columns ? grid.x : grid.y, clusters, w, cluster, number);
    number = invert(blocks, clusters, w, cluster);
    return w < cluster_size(blocks, clusters, cluster);
  }
  __device__ uint3 block_of(unsigned number) const {
    const unsigned extent[3] = { grid.x, grid.y, grid.z }, column[3] = { Columns ? 1u : 0u, Columns ? 0u : 1u, 1u };
    unsigned at[3];
    if (Mapped) place<0, 1, 2, 0, 1>(number, extent, column, at);
    else place<0, 1, 2, 0, 1>(number, extent, tiles, at);
    return make_uint3(at[0], at[1], at[2]);
  }
  // Takes a block; false where none is left. All threads of the agent call it together.
  __device__ bool next(uint3 &block) {
    __shared__ unsigned taken, after;
    __shared__ bool some, more;
    __syncthreads();
    if (!(threadIdx.x | threadIdx.y | threadIdx.z)) {
      for (some = false; tried < clusters && !some;) {
        const unsigned w = atomicAdd(counters + clusters + cluster, 1u);
        unsigned number = 0;
        some = has(w, number);
        taken = number;
        if (some) { more = has(w + active, number); after = number; break; }
        cluster = cluster + 1 == clusters ? 0 : cluster + 1;
        ++tried;
      }
    }
    __syncthreads();
    if (!some) return false;
    block = block_of(taken);
    followed = more;
    follower = after;
    return true;
  }
  // The block that this agent gets next if all agents of the SM are equally fast.
  __device__ bool follows(uint3 &block) const {
    if (followed) block = block_of(follower);
    return followed;
  }
};
// A hint: the line at an address will be read soon.
inline __device__ void soon(const void *address) { asm volatile("prefetch.global.L1 [%0];" : : "l"(address)); }

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
// The decision among orders for one launch.
// `margin`, `share`, `reserve` in thousandths: gain in bytes, part of the time, part of L2; `l2` 0: what the GPU has.
struct rules { long long sector, margin, share, reserve, l2; };
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
  // Bytes from beyond L2 when blocks run in tiles of (w, h, d): a wave of resident blocks shares what it touches.
  // Hopeful: the next wave finds all of that where both fit L2.
  double traffic(long long w, long long h, long long d, bool hopeful) const {
    const long long g[3] = { l.grid.x, l.grid.y, l.grid.z };
    const long long wave = (long long)l.sms * l.blocks_per_sm;
    const long long t[3] = { least(w ? w : g[0], g[0]), least(h ? h : g[1], g[1]), least(d ? d : g[2], g[2]) };
    long long now[3] = { 1, 1, 1 }, next[3];
    long long left = wave;
    int grows = -1;
    for (int pass = 0; pass < 2; ++pass)
      for (int a = 0; a < 3; ++a) {
        const long long most = pass ? g[a] : t[a];
        if (grows >= 0 || now[a] == most) continue;
        const long long times = least((most + now[a] - 1) / now[a], left < 1 ? 1 : left);
        left /= times;
        now[a] = least(now[a] * times, most);
        if (now[a] < most) grows = a;
      }
    if (grows < 0) return box(g[0], g[1], g[2]);
    const double waves = (double)g[0] * (double)g[1] * (double)g[2] / ((double)now[0] * (double)now[1] * (double)now[2]);
    const double one = box(now[0], now[1], now[2]);
    for (int a = 0; a < 3; ++a) next[a] = now[a];
    next[grows] = least(2 * now[grows], g[grows]);
    const double two = box(next[0], next[1], next[2]);
    const bool kept = hopeful && two * 1000.0 <= (double)(r.l2 ? r.l2 : (long long)l.l2_bytes) * (double)(1000 - r.reserve);
    return kept ? one + (waves - 1) * (two - one) : waves * one;
  }
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
    return sum * (double)l.grid.x * (double)l.grid.y * (double)l.grid.z * (double)l.warps;
  }
  // Whether there are blocks that have to wait for others to end.
  bool waits() const {
    const double blocks = (double)l.grid.x * (double)l.grid.y * (double)l.grid.z;
    return l.sms && l.blocks_per_sm && blocks > (double)l.sms * l.blocks_per_sm && blocks < 2147483648.0;
  }
  // Bands of columns, in a grid of layers also rows through all of them: the usual width, or what needs much less than
  // it; false where that saves too little. `ratio`: bytes per cycle from memory.
  bool choose(choice &c, long long ratio) const {
    if (!whole || !count || !waits()) return false;
    const double base = traffic(0, 1, 1, true);
    long long tile[3] = { USUAL_WIDTH, 0, 1 };
    double best = traffic(USUAL_WIDTH, 0, 1, false);
    for (long long d = 1; d >= 0 && (d || l.grid.z > 1); --d)
      for (long long w = 1; w < 65536 && w <= (long long)l.grid.x; w *= 2) {
        const long long h = d ? 0 : 1;
        const double now = traffic(w, h, d, false);
        if (now * 1.3 < best) { best = now; tile[0] = w; tile[1] = h; tile[2] = d; }
      }
    for (unsigned k = 0; k < 3; ++k) c.n[k] = (unsigned short)tile[k];
    const double saved = base - best;
    return base * 1000.0 >= best * (double)r.margin &&
           saved * (double)l.sms * 1000.0 >= requests() * (double)ratio * (double)r.share;
  }
};
