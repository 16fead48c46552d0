"""The guard: the division that the GPU's regression prefers at this launch. Twin of `decide.py`.

It is the body of a function over `gpuopt_l`, `gpuopt_c` and the kernel's parameters; its names start with `um_`.
"""

from __future__ import annotations

from gpuopt_driver.api import Arch, divisors, guard_loads, guard_term, loop_loads

from .decide import LEAST_HITS, ROOMIER, TIED, is_fixed
from .options import Options
from .predict import LEAST_PERFORMANCE, Survey, by_instructions

NAME = "unified_memory"
_SCOPE = f"gpuopt_rt::plugin_{NAME}"


def guard(survey: Survey, options: Options, arch: Arch, *, fewer: bool) -> str:
    """The guard's body for a kernel whose loops can be computed at a launch."""
    partition = arch.partition
    assert partition is not None, "asked before"
    work = (*survey.work.inside, survey.work.outside) if by_instructions(partition) else ()
    zero = guard_loads.zero_divisors(survey.loops, "um")
    zero += [f"({guard_term(one, 'um')}) == 0" for part in work for one in divisors(part)]
    lines = _start(options, arch, zero, fewer=fewer)
    lines += [f"  um_d.instructions = (double)({guard_term(part, 'um')});" for part in work[-1:]]
    for index, item in enumerate(survey.loops):
        lines += [f"  um_d.each = (double)({guard_term(part, 'um')});" for part in work[:-1][index : index + 1]]
        lines += guard_loads.loop_text(item, "um", _SCOPE, "um_d.loop")
    return "\n".join([*lines, "  return um_d.gains(gpuopt_c);"])


def free_guard(options: Options, arch: Arch) -> str:
    """The guard's body for a kernel of which nothing is known: more L1 where that costs no resident block."""
    return "\n".join([*_start(options, arch, [], fewer=False), "  return um_d.is_free(gpuopt_c);"])


def candidates(options: Options, arch: Arch, *, fewer: bool) -> str:
    """All divisions of L1 and shared memory that a launch may have."""
    return "\n".join([*_start(options, arch, [], fewer=fewer), "  um_d.offer(gpuopt_o);"])


def _start(options: Options, arch: Arch, zero: list[str], *, fewer: bool) -> list[str]:
    partition = arch.partition
    assert partition is not None, "asked before"
    terms = (partition.constant, partition.occupancy, partition.hit_rate, partition.both)
    times = (partition.wave, partition.missed, partition.asked, partition.instruction, partition.sector)
    numbers = ", ".join(f"{value:.9g}" for value in (*terms, *times, options.minimum_gain))
    flags = f"{str(fewer).lower()}, {str(is_fixed(arch)).lower()}"
    return [
        f"  static const {_SCOPE}::l1_rules um_rules = {guard_loads.cache_text(loop_loads.cache_of(arch, 1), 0)};",
        f"  static const {_SCOPE}::model um_model = {{ {numbers}, {arch.limits.warps_per_sm}, "
        f"{partition.static_counts}, {flags} }};",
        f"  if (gpuopt_l.capability != {_capability(arch)}) return false;",
        *([f"  if ({' || '.join(zero)}) return false;"] if zero else []),
        f"  {_SCOPE}::decision um_d(gpuopt_l, um_rules, um_model);",
        "  if (!um_d.known()) return false;",
    ]


def always(arch: Arch, percent: int) -> str:
    """A guard for a percentage that the policy names."""
    return f"  gpuopt_c.carveout = {percent};\n  return gpuopt_l.capability == {_capability(arch)};"


def _capability(arch: Arch) -> int:
    return 10 * arch.compute_capability[0] + arch.compute_capability[1]


SUPPORT = (
    guard_loads.support(NAME)
    + """\
#ifndef GPUOPT_UNIFIED_MEMORY_GUARD
#define GPUOPT_UNIFIED_MEMORY_GUARD
// Coefficients of equation 1 and of time by waves and by instructions (0: none), and the gain asked for; warps that an
// SM holds; how often the driver counts static shared memory; whether fewer blocks may be resident; whether the driver
// gives every kernel all the shared memory that there is.
struct model {
  double b0, b1, b2, b3, wave, missed, asked, instruction, sector, minimum;
  unsigned warps, statics;
  bool fewer, fixed;
};
struct decision {
  const launch &l;
  const l1_rules &r;
  const model &m;
  const gpu *g;
  size_t most, size;
  double blocks[12], l1[12], asked[12], missed[12], iterations;
  double instructions, each;  // of one warp; in an iteration of the loop that comes next
  decision(const launch &l_, const l1_rules &r_, const model &m_)
      : l(l_), r(r_), m(m_), g(gpu_of(l_.capability)), most(0), size(0), iterations(0), instructions(0), each(0) {
    if (!g) return;
    size = (l.static_shared + l.shared + g->reserved + 127) / 128 * 128;
    for (unsigned i = 0; i < 12; ++i) {
      if (g->split[i] > most) most = g->split[i];
      const size_t fit = size ? g->split[i] / size : l.blocks_per_sm;
      size_t left = g->unified > g->split[i] ? g->unified - g->split[i] : 0;
      if (left > g->capacity) left = g->capacity;
      blocks[i] = (i && !g->split[i]) || fit < (m.fewer ? 1 : l.blocks_per_sm) ? 0
                  : fit < l.blocks_per_sm ? (double)fit : (double)l.blocks_per_sm;
      l1[i] = (double)(left * g->usable / 1000);
      asked[i] = missed[i] = 0;
    }
  }
  // Whether the GPU is known, the kernel takes shared memory from L1, and nobody has set a preference.
  bool known() const {
    cudaFuncCache preference = cudaFuncCachePreferNone;
    if (!g || !l.blocks_per_sm || (l.static_shared + l.shared == 0 && !m.fixed) || l.carveout_set) return false;
    if (cudaDeviceGetCacheConfig(&preference) != cudaSuccess) { cudaGetLastError(); return false; }
    return preference == cudaFuncCachePreferNone;
  }
  template <class At> void loop(const l1_load *of, const long long *steps, unsigned count, long long trips, At at) {
    l1_loop<At> one(l, r, of, steps, count, at);
    double held[2] = { 0, 0 };  // lines once per SM, and for every block
    double coming[2] = { 0, 0 };  // and the units that loads bring
    for (unsigned k = 0; k < count; ++k) {
      held[of[k].of_block] += (double)one.fresh(k, r.line);
      coming[of[k].of_block] += (double)one.fresh(k, r.fetch);
    }
    if (trips < 0) trips = 0;
    iterations += (double)trips;
    instructions += each > 0 ? each * (double)trips : 0;
    for (unsigned k = 0; k < count; ++k) {
      const double visits = one.visits(k), units = (double)one.fresh(k, r.fetch);
      const double wanted = (double)one.asked(k, r.fetch);
      for (unsigned i = 0; i < 12; ++i) {
        if (blocks[i] < 1 || l1[i] < 1) continue;
        const double lost = 1 - l1_survives(r, (held[0] + held[1] * blocks[i]) * (double)r.line / l1[i]);
        // Visits of one batch find each other's units on their way, if there is room for these.
        double apart = 1 - l1_survives(r, (coming[0] + coming[1] * blocks[i]) * (double)r.fetch / l1[i]);
        if (apart > lost) apart = lost;
        const double batches = (double)(((long long)visits + of[k].batch - 1) / of[k].batch);
        const double again = (batches - 1) * lost + (visits - batches) * apart;
        asked[i] += wanted * blocks[i] * (double)trips;
        missed[i] += units * (of[k].of_block ? blocks[i] : 1) * (1 + again) / visits * (double)trips;
      }
    }
  }
  double hits(unsigned i) const { return asked[i] > 0 ? 1 - missed[i] / asked[i] : 0; }
  double of_sm() const { return (double)l.grid.x * l.grid.y * l.grid.z / (l.sms > 0 ? l.sms : 1); }
  double waves(unsigned i) const { return (double)(long long)(of_sm() / blocks[i] + 1 - 1e-9); }
  double performance(unsigned i) const {
    const double share = blocks[i] * l.warps / m.warps;
    if (m.asked > 0) {  // one over the time of an SM
      const double all = of_sm() / blocks[i], turns = waves(i);
      const double parts[3] = { m.wave * iterations * turns, m.missed * missed[i] * all, m.asked * asked[i] * turns };
      double sum = 0;
      for (unsigned k = 0; k < 3; ++k) { const double square = parts[k] * parts[k]; sum += square * square; }
      return sum > 0 ? 1 / sqrt(sqrt(sum)) : 0;
    }
    if (m.instruction > 0) {
      const double time = m.instruction * instructions * m.warps + m.sector * missed[i];
      return time > 0 ? blocks[i] / (time * of_sm()) : 0;
    }
    const double line = m.b0 + m.b1 * share + m.b2 * hits(i) + m.b3 * share * hits(i);
    return line > LOWEST ? line : LOWEST;
  }
  bool fits(unsigned i) const { return blocks[i] >= 1 && l1[i] >= 1; }
  // Whether a division costs waves of blocks (where they are not known: resident blocks).
  bool costs(unsigned i, unsigned usual) const {
    return m.asked > 0 ? waves(i) > waves(usual) : blocks[i] < blocks[usual];
  }
  // The largest L1 that costs nothing, where it is larger by half.
  unsigned roomiest(unsigned usual) const {
    unsigned base = 0;
    while (!fits(base) || costs(base, usual)) ++base;
    return l1[base] < ROOMIER * l1[usual] ? usual : base;
  }
  // That one, if hits are lost; what costs more only where it promises enough.
  unsigned best_of(unsigned usual) const {
    double top = 0, most_worth = 0, worth[12];
    for (unsigned i = 0; i < 12; ++i)
      if (fits(i) && hits(i) > top) top = hits(i);
    const unsigned base = m.fixed || hits(usual) < top - LEAST ? roomiest(usual) : usual;
    for (unsigned i = 0; i < 12; ++i) {
      worth[i] = fits(i) && costs(i, usual) && hits(i) >= hits(base) + LEAST ? performance(i) : 0;
      if (worth[i] < performance(base) * m.minimum) worth[i] = 0;
      if (worth[i] > most_worth) most_worth = worth[i];
    }
    int best = -1;
    for (unsigned i = 0; i < 12; ++i) {
      if (worth[i] <= 0 || worth[i] < most_worth * TIED) continue;
      const double gap = best < 0 ? 1 : worth[i] - worth[best];
      const double fewer = best < 0 ? 1 : m.asked > 0 ? waves((unsigned)best) - waves(i) : 0;
      if (fewer > 0 || (fewer == 0 && (gap > 0 || (gap == 0 && blocks[i] > blocks[best])))) best = (int)i;
    }
    return best < 0 ? base : (unsigned)best;
  }
  // The driver's division; -1: not one of those that the launch may have.
  int drivers() const {
    size_t use = (m.statics * l.static_shared + l.shared + g->reserved) * l.resident_blocks;
    if (use < g->usual) use = g->usual;
    for (unsigned i = 0; i < 12; ++i)
      if (g->split[i] >= use || g->split[i] == most) return fits(i) ? (int)i : -1;
    return -1;
  }
  // The least percentage above the next smaller division: what the driver takes a hundred of is not quite `most`.
  bool take(unsigned one, int usual, choice &c) const {
    if ((int)one == usual) return false;
    c.carveout = one ? (int)(g->split[one - 1] * 100 / most) + 1 : 0;
    return true;
  }
  void offer(offers &o) const {
    const int usual = drivers();
    for (unsigned i = 0; i < 12; ++i) {
      choice c = o.blank();
      if (fits(i) && (int)i != usual && take(i, usual, c))
        o.add(c, i + 1, 1, usual >= 0 && blocks[i] < blocks[usual] ? blocks[usual] / blocks[i] : 1.5);
    }
  }
  bool gains(choice &c) const {
    const int usual = drivers();
    return usual >= 0 && take(best_of((unsigned)usual), usual, c);
  }
  bool is_free(choice &c) const {
    const int usual = drivers();
    return usual >= 0 && take(roomiest((unsigned)usual), usual, c);
  }
};
#endif
""".replace("LEAST", f"{LEAST_HITS:g}")
    .replace("LOWEST", f"{LEAST_PERFORMANCE:g}")
    .replace("ROOMIER", f"{ROOMIER:g}")
    .replace("TIED", f"{TIED:g}")
)
