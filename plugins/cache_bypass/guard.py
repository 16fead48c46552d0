"""The guard: whether L2 traffic falls at this launch when the chosen loads go past L1. Twin of `evaluate.py`.

It is the body of a function over `gpuopt_l` (the launch) and the kernel's parameters; its names start with `cb_`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Arch, Expr, divisors, guard_term

from .evaluate import INVARIANT, Cache
from .options import Options
from .rewrite import NAME
from .static import TRIPS, LoopLoads

_SCOPE = f"gpuopt_rt::plugin_{NAME}"


def guard(loops: Sequence[LoopLoads], bypassed: frozenset[int], options: Options, arch: Arch, cache: Cache) -> str:
    """The guard's body for the loops that hold bypassed loads; `bypassed` numbers loads through the kernel."""
    zero: dict[str, None] = {}
    lines: list[str] = []
    first = 0
    for item in loops:
        for value in _parts(item):
            zero.update(dict.fromkeys(f"({_term(divisor)}) == 0" for divisor in divisors(value)))
        mine = {index - first for index in bypassed if first <= index < first + len(item.loads)}
        lines += _loop(item, mine)
        first += len(item.loads)
    refused = [f"  if ({' || '.join(zero)}) return false;"] if zero else []
    return "\n".join([*_opening(options, arch, cache), *refused, *lines, "  return cb_d.gains();"])


def always(arch: Arch) -> str:
    """A guard for choices that the policy makes: every launch on this GPU's generation."""
    return f"  return gpuopt_l.capability == {_capability(arch)};"


def as_profiled(arch: Arch, warps: int) -> str:
    """A guard for choices from a profile: the GPU that it was made for, with about as many resident warps."""
    return (
        f"  const unsigned cb_w = gpuopt_l.warps * gpuopt_l.blocks_per_sm;\n"
        f"  return gpuopt_l.capability == {_capability(arch)} && cb_w * 5 >= {warps * 4} && cb_w * 4 <= {warps * 5};"
    )


def is_writable(item: LoopLoads) -> bool:
    """Whether a launch can compute the loop's numbers."""
    try:
        for value in _parts(item):
            if value is not None:
                _term(value)
                list(divisors(value))
    except ValueError:
        return False
    return True


def _capability(arch: Arch) -> int:
    return 10 * arch.compute_capability[0] + arch.compute_capability[1]


def _term(value: Expr) -> str:
    return guard_term(value, "cb")


def _parts(item: LoopLoads) -> list[Expr | None]:
    found: list[Expr | None] = [item.trips]
    for one in item.loads:
        found += [one.reference.offset, one.reference.step]
    return found


def _opening(options: Options, arch: Arch, cache: Cache) -> list[str]:
    points = ", ".join(f"{{ {ratio:g}, {left:g} }}" for ratio, left in cache.survival)
    sizes = f"{cache.line}, {cache.fetch}, {cache.past}, {options.l1_bytes}"
    return [
        f"  static const {_SCOPE}::rules cb_rules = {{ {sizes}, {options.minimum_gain:g}, {len(cache.survival)}, "
        f"{{ {points} }} }};",
        f"  if (gpuopt_l.capability != {_capability(arch)}) return false;",
        f"  {_SCOPE}::decision cb_d(gpuopt_l, cb_rules);",
        "  if (!cb_d.known()) return false;",
    ]


def _loop(item: LoopLoads, bypassed: set[int]) -> list[str]:
    count = len(item.loads)
    names: dict[tuple[str, bool], int] = {}
    lines = [f"  {{  // the loop at line {item.line}", f"    static const {_SCOPE}::load cb_r[{count}] = {{"]
    steps, cases = [], []
    for index, (one, group) in enumerate(zip(item.loads, item.groups, strict=True)):
        reference = one.reference
        assert reference.offset is not None, "only loops with known addresses get a guard"
        assert reference.step is not None, "only loops with known distances get a guard"
        number = names.setdefault(group, len(names))
        flags = f"{str(reference.of_block).lower()}, {str(index in bypassed).lower()}"
        lines.append(f"      {{ {number}, {reference.bytes}, {flags} }},  // {_comment(reference.text)}")
        steps.append(_term(reference.step))
        cases.append(f"      if (cb_k == {index}) return {_term(reference.offset)};")
    trips = f"{TRIPS}" if item.trips is None else _term(item.trips)
    return [
        *lines,
        "    };",
        f"    const long long cb_s[{count}] = {{ {', '.join(steps)} }};",
        "    auto cb_at = [&](unsigned cb_k, long long cb_x, long long cb_y, long long cb_z) -> long long {",
        "      (void)cb_k; (void)cb_x; (void)cb_y; (void)cb_z;",
        *cases,
        "      return 0;",
        "    };",
        f"    cb_d.loop(cb_r, cb_s, {count}, {trips}, cb_at);",
        "  }",
    ]


def _comment(text: str) -> str:
    """Text that cannot continue a line comment or end the file's line structure."""
    return " ".join(text.split()).replace("\\", "/").replace("?", "")[:60]


SUPPORT = """\
#ifndef GPUOPT_CACHE_BYPASS_GUARD
#define GPUOPT_CACHE_BYPASS_GUARD
// Sizes in bytes; l1 0: what the GPU has. `survival`: reuse left at a footprint relative to L1.
struct rules { long long line, fetch, past, l1; double minimum; unsigned points; double survival[8][2]; };
// A load of a loop: loads with one `group` may share lines.
struct load { int group; long long bytes; bool of_block, bypassed; };

// Distinct units of memory among intervals.
struct intervals {
  long long (*at)[2];
  unsigned n;
  explicit intervals(size_t room) : at(new long long[room ? room : 1][2]), n(0) {}
  ~intervals() { delete[] at; }
  static long long unit(long long byte, long long size) {
    return byte >= 0 ? byte / size : -((size - 1 - byte) / size);
  }
  static int order(const void *a, const void *b) {
    const long long *x = static_cast<const long long *>(a), *y = static_cast<const long long *>(b);
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
  }
  void add(long long start, long long bytes, long long size) {
    at[n][0] = unit(start, size); at[n][1] = unit(start + bytes - 1, size); ++n;
  }
  long long distinct() {
    qsort(at, n, sizeof(at[0]), order);
    long long count = 0, next = 0;
    for (unsigned i = 0; i < n; ++i) {
      const long long first = i && at[i][0] < next ? next : at[i][0];
      if (at[i][1] >= first) { count += at[i][1] - first + 1; next = at[i][1] + 1; }
    }
    n = 0;
    return count;
  }
private:
  intervals(const intervals &);
  intervals &operator=(const intervals &);
};

struct decision {
  const launch &l;
  const rules &r;
  const double l1;
  double all, mine;  // bytes from L2: with all loads cached, with the chosen ones past L1
  bool lawful;       // no bypassed load is shared by warps here, and no loop gets worse
  decision(const launch &l_, const rules &r_)
      : l(l_), r(r_), l1(r_.l1 ? (double)r_.l1 : (double)l_.l1_bytes), all(0), mine(0), lawful(true) {}
  bool known() const { return l.warps && l.blocks_per_sm && l.l1_bytes; }
  bool gains() const { return lawful && mine > 0 && all >= mine * r.minimum; }
  double survives(double bytes) const {
    const double ratio = bytes / l1;
    if (ratio <= r.survival[0][0]) return r.survival[0][1];
    for (unsigned k = 1; k < r.points; ++k)
      if (ratio <= r.survival[k][0])
        return r.survival[k - 1][1] + (r.survival[k][1] - r.survival[k - 1][1]) * (ratio - r.survival[k - 1][0]) /
                                          (r.survival[k][0] - r.survival[k - 1][0]);
    return r.survival[r.points - 1][1];
  }
  template <class At> void add(intervals &to, const load &one, unsigned k, At at, unsigned begin, unsigned end,
                               long long size) const {
    for (unsigned t = begin; t < end && t < l.threads; ++t)
      to.add(at(k, t % l.block.x, t / l.block.x % l.block.y, t / (l.block.x * l.block.y)), one.bytes, size);
  }
  // Units that the block's warps ask for one by one.
  template <class At> long long asked(intervals &found, const load &one, unsigned k, At at, long long size) const {
    long long sum = 0;
    for (unsigned w = 0; w < l.warps; ++w) {
      add(found, one, k, at, w * 32, w * 32 + 32, size);
      sum += found.distinct();
    }
    return sum;
  }
  // Units that the block touches through a load and through no load of its group before it.
  template <class At> long long fresh(intervals &found, const load *of, unsigned k, At at, long long size) const {
    long long before = 0;
    for (unsigned pass = 0; pass < 2; ++pass) {
      for (unsigned j = 0; j < k + pass; ++j)
        if (of[j].group == of[k].group) add(found, of[j], j, at, 0, l.threads, size);
      const long long now = found.distinct();
      if (pass) return now - before;
      before = now;
    }
    return 0;
  }
  template <class At> void loop(const load *of, const long long *steps, unsigned count, long long trips, At at) {
    intervals found((size_t)count * l.threads);
    const double blocks = l.blocks_per_sm;
    double held[2] = { 0, 0 }, bytes[2] = { 0, 0 };
    for (unsigned k = 0; k < count; ++k) {
      const long long lines = fresh(found, of, k, at, r.line);
      const double size = (double)lines * (of[k].of_block ? blocks : 1) * (double)r.line;
      held[0] += size;
      if (!of[k].bypassed) held[1] += size;
      else if (asked(found, of[k], k, at, r.line) != lines) lawful = false;
    }
    for (unsigned k = 0; k < count; ++k) {
      const long long far = steps[k] < 0 ? -steps[k] : steps[k];
      const double visits = far ? (double)((r.fetch + far - 1) / far) : INVARIANT;
      if (of[k].bypassed && visits > 1) lawful = false;
      const double units = (double)fresh(found, of, k, at, r.fetch) * (of[k].of_block ? blocks : 1);
      for (unsigned choice = 0; choice < 2; ++choice) {
        if (choice && of[k].bypassed)
          bytes[1] += (double)asked(found, of[k], k, at, r.past) * blocks * (double)r.past / (far ? 1 : INVARIANT);
        else
          bytes[choice] += units * (1 + (visits - 1) * (1 - survives(held[choice]))) / visits * (double)r.fetch;
      }
    }
    if (trips < 0) trips = 0;
    if (bytes[1] > bytes[0]) lawful = false;
    all += bytes[0] * (double)trips; mine += bytes[1] * (double)trips;
  }
};
#endif
""".replace("INVARIANT", f"{INVARIANT}.0")
