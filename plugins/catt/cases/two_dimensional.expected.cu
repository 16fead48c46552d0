// gpu: h200; policy: l1_bytes=4096, margin=1.0, minimum_warps=1
// run: grid=dim3(2,3) block=dim3(16,16) n=48 A=n*n B=n*n C=n*n
// Warps of 16 x 2 threads: warp numbers follow x, then y.
namespace gpuopt_rt { inline namespace VERSION { struct config { dim3 grid, block; size_t shared; cudaStream_t stream; config(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = 0) : grid(g), block(b), shared(s), stream(t) {} }; } } __global__ void kernel(int n, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        for (int k = 0; k < n; k++)
            C[i * n + j] += A[i * n + k] * B[j * n + k];
} static void kernel__gpuopt_launch(const ::gpuopt_rt::config &, int n, float *A, float *B, float *C);

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 16);
    kernel__gpuopt_launch(::gpuopt_rt::config(dim3((n + 15) / 16, (n + 15) / 16), block), n, A, B, C);
}
#ifndef GPUOPT_VARIANTS
#define GPUOPT_VARIANTS
#ifndef GPUOPT_RT
#define GPUOPT_RT
// The runtime of gpuopt is here.
#endif
#line 4
static __global__ void kernel__gpuopt_catt(::gpuopt_rt::plan gpuopt_plan, int n, float *A, float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y; for (unsigned gpuopt_g0 = 0; gpuopt_g0 < gpuopt_plan.n[0]; ++gpuopt_g0) { if (::gpuopt_rt::warp_group(gpuopt_plan.n[0]) == gpuopt_g0) {
    if (i < n && j < n)
        for (int k = 0; k < n; k++)
            C[i * n + j] += A[i * n + k] * B[j * n + k]; } if (gpuopt_plan.n[0] > 1) __syncthreads(); }
}
static bool kernel__gpuopt_catt_guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, int n, float *A, float *B, float *C) { (void)gpuopt_l; (void)gpuopt_c; (void)n; (void)A; (void)B; (void)C; 
  if (gpuopt_l.warps == 0 || gpuopt_l.blocks_per_sm == 0 || gpuopt_l.l1_bytes == 0) return false;
  enum { catt_line = 128 };
  struct catt_runs {  // runs of cache lines, and how many distinct lines they are together
    long long *at; unsigned n;
    explicit catt_runs(unsigned room) : at(new long long[2 * (size_t)room + 2]), n(0) {}
    ~catt_runs() { delete[] at; }
    static long long line(long long byte) {
      return byte >= 0 ? byte / catt_line : -((catt_line - 1 - byte) / catt_line);
    }
    void add(long long start, long long length) {
      at[2 * n] = line(start); at[2 * n + 1] = line(start + length - 1); ++n;
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
    long long lines() {
      for (unsigned i = n / 2; i-- > 0;) sift(i, n);
      for (unsigned i = n; i-- > 1;) { swap(0, i); sift(0, i); }
      long long count = 0, next = 0;
      for (unsigned i = 0; i < n; ++i) {
        const long long first = i && at[2 * i] < next ? next : at[2 * i];
        if (at[2 * i + 1] >= first) { count += at[2 * i + 1] - first + 1; next = at[2 * i + 1] + 1; }
      }
      n = 0;
      return count;
    }
  };
  catt_runs catt_set(gpuopt_l.threads * 3u);
  const long long catt_warps = gpuopt_l.warps, catt_all = gpuopt_l.blocks_per_sm, catt_l1 = 4096LL;
  long long catt_keep = catt_all;
  bool catt_never = false; (void)catt_keep;
  auto catt_left = [&](long long blocks, size_t &shared, int &percent) -> long long {
    const gpuopt_rt::gpu *g = gpuopt_rt::gpu_of(gpuopt_l.capability);
    if (!g || gpuopt_l.carveout_set) return -1;
    size_t most = 0;
    for (unsigned i = 0; i < 12; ++i) if (g->split[i] > most) most = g->split[i];
    const size_t own = gpuopt_l.static_shared + gpuopt_l.shared + g->reserved;
    for (unsigned i = 0; i < 12; ++i) {
      const size_t size = g->split[i], each = size / (size_t)blocks / 256 * 256;
      if (size < g->usual || each <= own || each * (size_t)(blocks + 1) <= size || each > most) continue;
      shared = each - gpuopt_l.static_shared - g->reserved; percent = (int)(size * 100 / most);
      return 4096LL;
    }
    return -1;
  };
  auto catt_choose = [&](unsigned slot, const long long *block, const long long *sm, long long local, long long strong, long long trips) {
    const long long whole = block[0] + sm[0], bytes = (block[0] * catt_all + sm[0]) * catt_line;
    (void)strong; (void)trips; (void)whole;
    if (local == 0 || local * 2 < whole || bytes <= catt_l1 || bytes * 1000 <= catt_l1 * (strong * 2 >= whole ? 1000LL : 2000LL) || trips < 0 ||
        (trips >= 0 && trips < 16)) return;
    unsigned last = 0; (void)last;
    for (unsigned s = 0; s < 6 && catt_warps % (1LL << s) == 0; ++s) {
      if ((catt_warps >> s) * catt_all < 1) break;
      last = s;
      if ((block[s] * catt_all + sm[s]) * catt_line <= catt_l1) {
        if (gpuopt_c.n[slot] < (1u << s)) gpuopt_c.n[slot] = (unsigned short)(1u << s);
        return;
      }
    }
    for (long long b = catt_all - 1; b > 0; --b) {
      if ((catt_warps >> last) * b < 1) break;
      size_t shared = 0; int percent = -1;
      const long long left = catt_left(b, shared, percent);
      if (left >= 0 && (block[last] * b + sm[last]) * catt_line <= left) {
        if (gpuopt_c.n[slot] < (1u << last)) gpuopt_c.n[slot] = (unsigned short)(1u << last);
        if (b < catt_keep) { catt_keep = b; gpuopt_c.shared = shared; gpuopt_c.carveout = percent; }
        return;
      }
    }
    catt_never = true;
  };
  catt_never = false;
  if (!catt_never) {  // the loop at line 8
    bool catt_ok = true;
    long long catt_len0 = 4, catt_copies0 = 1;  // A[i * n + k]
    (void)catt_len0; (void)catt_copies0;
    const long long catt_d0 = 4LL;
    const long long catt_a0 = catt_d0 < 0 ? -catt_d0 : catt_d0;
    const long long catt_reuse0 = !catt_a0 ? 2 : catt_a0 >= 32 ? 0
        : 32 > catt_a0 * 3 ? 2 : 1;
    long long catt_len1 = 4, catt_copies1 = 1;  // B[j * n + k]
    (void)catt_len1; (void)catt_copies1;
    const long long catt_d1 = 4LL;
    const long long catt_a1 = catt_d1 < 0 ? -catt_d1 : catt_d1;
    const long long catt_reuse1 = !catt_a1 ? 2 : catt_a1 >= 32 ? 0
        : 32 > catt_a1 * 3 ? 2 : 1;
    long long catt_len2 = 4, catt_copies2 = 1;  // C[i * n + j]
    (void)catt_len2; (void)catt_copies2;
    const long long catt_d2 = 0LL;
    const long long catt_a2 = catt_d2 < 0 ? -catt_d2 : catt_d2;
    const long long catt_reuse2 = !catt_a2 ? 2 : catt_a2 >= 32 ? 0
        : 32 > catt_a2 * 3 ? 2 : 1;
    auto catt_lines = [&](long long catt_first, long long catt_part, long long catt_least, long long &catt_b, long long &catt_s) {
      const unsigned catt_begin = (unsigned)(catt_first * 32);
      const unsigned catt_stop = catt_begin + (unsigned)catt_part * 32;
      const unsigned catt_end = catt_stop < gpuopt_l.threads ? catt_stop : gpuopt_l.threads;
      (void)catt_begin; (void)catt_end; (void)catt_least; catt_b = catt_s = 0;
      if (catt_reuse0 >= catt_least && catt_copies0 == 1)
        for (unsigned catt_t = catt_begin; catt_t < catt_end; ++catt_t) {
          const long long catt_x = catt_t % gpuopt_l.block.x;
          const long long catt_y = catt_t / gpuopt_l.block.x % gpuopt_l.block.y;
          const long long catt_z = catt_t / (gpuopt_l.block.x * gpuopt_l.block.y);
          (void)catt_x; (void)catt_y; (void)catt_z;
          catt_set.add(((4LL * (long long)(n) * catt_y) + (4LL * (long long)gpuopt_l.block.y * 0LL * (long long)(n))), catt_len0);
        }
      catt_b += catt_set.lines();
      if (catt_reuse1 >= catt_least && catt_copies1 == 1)
        for (unsigned catt_t = catt_begin; catt_t < catt_end; ++catt_t) {
          const long long catt_x = catt_t % gpuopt_l.block.x;
          const long long catt_y = catt_t / gpuopt_l.block.x % gpuopt_l.block.y;
          const long long catt_z = catt_t / (gpuopt_l.block.x * gpuopt_l.block.y);
          (void)catt_x; (void)catt_y; (void)catt_z;
          catt_set.add(((4LL * (long long)(n) * catt_x) + (4LL * (long long)gpuopt_l.block.x * 0LL * (long long)(n))), catt_len1);
        }
      catt_b += catt_set.lines();
      if (catt_reuse2 >= catt_least && catt_copies2 == 1)
        for (unsigned catt_t = catt_begin; catt_t < catt_end; ++catt_t) {
          const long long catt_x = catt_t % gpuopt_l.block.x;
          const long long catt_y = catt_t / gpuopt_l.block.x % gpuopt_l.block.y;
          const long long catt_z = catt_t / (gpuopt_l.block.x * gpuopt_l.block.y);
          (void)catt_x; (void)catt_y; (void)catt_z;
          catt_set.add(((4LL * catt_x) + (4LL * (long long)gpuopt_l.block.x * 0LL) + (4LL * (long long)(n) * catt_y) + (4LL * (long long)gpuopt_l.block.y * 0LL * (long long)(n))), catt_len2);
        }
      catt_b += catt_set.lines();
    };
    long long catt_block[6] = {0}, catt_sm[6] = {0}, catt_kept[2] = {0};
    for (unsigned catt_k = 0; catt_k < 6 && catt_warps % (1LL << catt_k) == 0; ++catt_k) {
      const long long catt_n = 1LL << catt_k, catt_w = catt_warps / catt_n;
      const long long catt_by = catt_n > 1 ? catt_n / 2 : 1;
      for (long long catt_g = 0; catt_g <= catt_n / 2; catt_g += catt_by) {
        long long catt_b, catt_s; catt_lines(catt_g * catt_w, catt_w, 0, catt_b, catt_s);
        const long long catt_sum = catt_block[catt_k] + catt_sm[catt_k];
        if (catt_b + catt_s < catt_sum) continue;
        if (catt_b + catt_s == catt_sum && catt_b <= catt_block[catt_k]) continue;
        catt_block[catt_k] = catt_b; catt_sm[catt_k] = catt_s;
      }
    }
    for (unsigned catt_k = 0; catt_k < 2; ++catt_k) {
      long long catt_b, catt_s; catt_lines(0, catt_warps, catt_k + 1, catt_b, catt_s);
      catt_kept[catt_k] = catt_b + catt_s;
    }
    const long long catt_trips = ((0LL > (long long)(n) ? 0LL : (long long)(n)));
    if (catt_ok) catt_choose(0, catt_block, catt_sm, catt_kept[0], catt_kept[1], catt_trips);
  }
  return gpuopt_c.n[0] > 1 || catt_keep < catt_all;
}
static void kernel__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c, int n, float *A, float *B, float *C) {
// The launch of a version or of the original is here.
}
#endif
