// Orders of blocks, and agents: shared by the plugins that change the order in which blocks run; block_costs.h follows.
// Python's side of it: block_orders.py; tests hold the two together.

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
  const unsigned long long row = real::block_y() + (unsigned long long)grid[1] * real::block_z();
  const unsigned long long number = real::block_x() + grid[0] * row;
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
inline __device__ numbered usual() { return numbered(real::block_x(), real::block_y(), real::block_z(), gridDim); }
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
    // The rows of all layers along z, in turn.
    if (Mapped) return row_mapped(Columns ? grid.y : grid.x, (Columns ? grid.x : grid.y) * grid.z, clusters, w, cluster, number);
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
