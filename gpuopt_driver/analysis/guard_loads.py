"""A loop's loads as C++11 text for guards: twin of `loop_loads.count`, evaluated at the launch at hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gpuopt_driver.analysis.guard_terms import are_writable, divisors, guard_term
from gpuopt_driver.analysis.l1_reuse import INVARIANT, Cache
from gpuopt_driver.analysis.loop_loads import LoopLoads
from gpuopt_driver.frontend.expr import Expr


def is_writable(item: LoopLoads) -> bool:
    """Whether a launch can compute the loop's numbers."""
    return item.modelled and are_writable(_parts(item))


def cache_text(cache: Cache, l1_bytes: int) -> str:
    """The initialiser of `l1_rules`: sizes, an L1 capacity that overrides the GPU's (0: none), and what survives."""
    points = ", ".join(f"{{ {ratio:g}, {left:g} }}" for ratio, left in cache.survival)
    return f"{{ {cache.line}, {cache.fetch}, {cache.past}, {l1_bytes}, {len(cache.survival)}, {{ {points} }} }}"


def zero_divisors(loops: Sequence[LoopLoads], prefix: str) -> list[str]:
    """Conditions under which a number of the loops cannot be computed."""
    found: dict[str, None] = {}
    for item in loops:
        for value in _parts(item):
            found.update(dict.fromkeys(f"({guard_term(divisor, prefix)}) == 0" for divisor in divisors(value)))
    return list(found)


def loop_text(item: LoopLoads, prefix: str, scope: str, call: str, marked: Collection[int] = ()) -> list[str]:
    """A block that hands the loop's loads to `call(loads, steps, count, trips, at)`; `marked` loads are flagged."""
    count = len(item.loads)
    names: dict[tuple[str, bool], int] = {}
    rows, steps, cases = [], [], []
    for index, (one, group) in enumerate(zip(item.loads, item.groups, strict=True)):
        reference = one.reference
        assert reference.offset is not None, "only loops with known addresses get a guard"
        assert reference.step is not None, "only loops with known distances get a guard"
        number = names.setdefault(group, len(names))
        flags = f"{str(reference.of_block).lower()}, {str(index in marked).lower()}, {reference.batch}"
        rows.append(f"      {{ {number}, {reference.bytes}, {flags} }},  // {_comment(reference.text)}")
        steps.append(guard_term(reference.step, prefix))
        cases.append(f"      if ({prefix}_k == {index}) return {guard_term(reference.offset, prefix)};")
    trips = guard_term(item.trips, prefix)
    lanes = f"unsigned {prefix}_k, long long {prefix}_x, long long {prefix}_y, long long {prefix}_z"
    return [
        f"  {{  // the loop at line {item.line}",
        f"    static const {scope}::l1_load {prefix}_r[{count}] = {{",
        *rows,
        "    };",
        f"    const long long {prefix}_s[{count}] = {{ {', '.join(steps)} }};",
        f"    auto {prefix}_at = [&]({lanes}) -> long long {{",
        f"      (void){prefix}_k; (void){prefix}_x; (void){prefix}_y; (void){prefix}_z;",
        *cases,
        "      return 0;",
        "    };",
        f"    {call}({prefix}_r, {prefix}_s, {count}, {trips}, {prefix}_at);",
        "  }",
    ]


def _parts(item: LoopLoads) -> list[Expr | None]:
    found: list[Expr | None] = [item.trips]
    for one in item.loads:
        found += [one.reference.offset, one.reference.step]
    return found


def _comment(text: str) -> str:
    """Text that cannot continue a line comment or end the file's line structure."""
    return " ".join(text.split()).replace("\\", "/").replace("?", "")[:60]


SUPPORT = """\
#ifndef GPUOPT_L1_LOADS_SCOPE
#define GPUOPT_L1_LOADS_SCOPE
// Sizes in bytes; l1 0: what the GPU has. `survival`: reuse left at a footprint relative to L1.
struct l1_rules { long long line, fetch, past, l1; unsigned points; double survival[8][2]; };
// A load of a loop: loads with one `group` may share lines; those of `batch` iterations are issued together.
struct l1_load { int group; long long bytes; bool of_block, marked; int batch; };

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

// The loads of one loop in one block.
template <class At> struct l1_loop {
  const launch &l;
  const l1_rules &r;
  const l1_load *of;
  const long long *steps;
  unsigned count;
  At at;
  intervals found;
  l1_loop(const launch &l_, const l1_rules &r_, const l1_load *of_, const long long *steps_, unsigned count_, At at_)
      : l(l_), r(r_), of(of_), steps(steps_), count(count_), at(at_), found((size_t)count_ * l_.threads) {}
  void add(unsigned k, unsigned begin, unsigned end, long long size) {
    for (unsigned t = begin; t < end && t < l.threads; ++t)
      found.add(at(k, t % l.block.x, t / l.block.x % l.block.y, t / (l.block.x * l.block.y)), of[k].bytes, size);
  }
  // Units that the block's warps ask for one by one.
  long long asked(unsigned k, long long size) {
    long long sum = 0;
    for (unsigned w = 0; w < l.warps; ++w) {
      add(k, w * 32, w * 32 + 32, size);
      sum += found.distinct();
    }
    return sum;
  }
  // Units that the block touches through a load and through no load of its group before it.
  long long fresh(unsigned k, long long size) {
    long long before = 0, now = 0;
    for (unsigned pass = 0; pass < 2; ++pass) {
      before = now;
      for (unsigned j = 0; j < k + pass; ++j)
        if (of[j].group == of[k].group) add(j, 0, l.threads, size);
      now = found.distinct();
    }
    return now - before;
  }
  // Iterations that ask for the same unit.
  double visits(unsigned k) const {
    const long long far = steps[k] < 0 ? -steps[k] : steps[k];
    return far ? (double)((r.fetch + far - 1) / far) : INVARIANT;
  }
};

static inline double l1_survives(const l1_rules &r, double ratio) {
  if (ratio <= r.survival[0][0]) return r.survival[0][1];
  for (unsigned k = 1; k < r.points; ++k)
    if (ratio <= r.survival[k][0])
      return r.survival[k - 1][1] + (r.survival[k][1] - r.survival[k - 1][1]) * (ratio - r.survival[k - 1][0]) /
                                        (r.survival[k][0] - r.survival[k - 1][0]);
  return r.survival[r.points - 1][1];
}
#endif
""".replace("INVARIANT", f"{INVARIANT}.0")


def support(author: str) -> str:
    """The definitions that `loop_text` needs, for the guards of one plugin."""
    return SUPPORT.replace("SCOPE", author.upper())
