"""The guard: whether L2 traffic falls at this launch when the chosen loads go past L1. Twin of the static model.

It is the body of a function over `gpuopt_l` (the launch) and the kernel's parameters; its names start with `cb_`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Arch, guard_loads, l1_reuse

from .decide import LEAST_OVERFLOW
from .options import Options
from .rewrite import NAME
from .static import Loads

_SCOPE = f"gpuopt_rt::plugin_{NAME}"


def guard(loops: Sequence[Loads], bypassed: frozenset[int], options: Options, arch: Arch, cache: l1_reuse.Cache) -> str:
    """The guard's body; `bypassed` numbers loads through the loops."""
    lines: list[str] = []
    first = 0
    for item in loops:
        mine = {index - first for index in bypassed if first <= index < first + len(item.made.loads)}
        lines += guard_loads.loop_text(item.made, "cb", _SCOPE, "cb_d.loop", mine)
        first += len(item.made.loads)
    zero = guard_loads.zero_divisors([item.made for item in loops], "cb")
    refused = [f"  if ({' || '.join(zero)}) return false;"] if zero else []
    closing = ["  gpuopt_c.gives_way = cb_d.tight;", "  return cb_d.gains();"]
    return "\n".join([*_opening(options, arch, cache), *refused, *lines, *closing])


def always(arch: Arch) -> str:
    """A guard for choices that the policy makes: every launch on this GPU's generation."""
    return f"  return gpuopt_l.capability == {_capability(arch)};"


def candidates(arch: Arch) -> str:
    """The chosen loads past L1, whatever the model says of the launch."""
    return (
        f"  if (gpuopt_l.capability != {_capability(arch)}) return false;\n"
        '  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.5, "loads past L1");'
    )


def as_profiled(arch: Arch, warps: int) -> str:
    """A guard for choices from a profile: the GPU that it was made for, with about as many resident warps."""
    return (
        f"  const unsigned cb_w = gpuopt_l.warps * gpuopt_l.blocks_per_sm;\n"
        f"  return gpuopt_l.capability == {_capability(arch)} && cb_w * 5 >= {warps * 4} && cb_w * 4 <= {warps * 5};"
    )


def _capability(arch: Arch) -> int:
    return 10 * arch.compute_capability[0] + arch.compute_capability[1]


def _opening(options: Options, arch: Arch, cache: l1_reuse.Cache) -> list[str]:
    return [
        f"  static const {_SCOPE}::l1_rules cb_rules = {guard_loads.cache_text(cache, options.l1_bytes)};",
        f"  if (gpuopt_l.capability != {_capability(arch)}) return false;",
        f"  {_SCOPE}::decision cb_d(gpuopt_l, cb_rules, {options.minimum_gain:g});",
        "  if (!cb_d.known()) return false;",
    ]


SUPPORT = (
    guard_loads.support(NAME)
    + """\
#ifndef GPUOPT_CACHE_BYPASS_GUARD
#define GPUOPT_CACHE_BYPASS_GUARD
struct decision {
  const launch &l;
  const l1_rules &r;
  const double minimum, l1;
  double all, mine;  // bytes from L2: with all loads cached, with the marked ones past L1
  bool lawful;       // marked loads are read once each, no line by two warps, and no loop gets worse
  bool tight;        // what stays in L1 overflows it, too: fewer threads at a time may be better
  bool overflows;    // a loop holds so much that it loses something for certain
  decision(const launch &l_, const l1_rules &r_, double minimum_)
      : l(l_), r(r_), minimum(minimum_), l1(r_.l1 ? (double)r_.l1 : (double)l_.l1_bytes), all(0), mine(0),
        lawful(true), tight(false), overflows(false) {}
  bool known() const { return l.warps && l.blocks_per_sm && l.l1_bytes; }
  bool gains() const { return lawful && overflows && mine > 0 && all >= mine * minimum; }
  template <class At> void loop(const l1_load *of, const long long *steps, unsigned count, long long trips, At at) {
    l1_loop<At> one(l, r, of, steps, count, at);
    const double blocks = l.blocks_per_sm;
    double held[2] = { 0, 0 }, bytes[2] = { 0, 0 };
    for (unsigned k = 0; k < count; ++k) {
      const long long lines = one.fresh(k, r.line);
      const double size = (double)lines * (of[k].of_block ? blocks : 1) * (double)r.line;
      held[0] += size;
      if (!of[k].marked) held[1] += size;
      else if (one.visits(k) > 1 || one.asked(k, r.line) != lines) lawful = false;
    }
    for (unsigned k = 0; k < count; ++k) {
      const double visits = one.visits(k);
      const double units = (double)one.fresh(k, r.fetch) * (of[k].of_block ? blocks : 1);
      for (unsigned choice = 0; choice < 2; ++choice) {
        if (choice && of[k].marked) bytes[1] += (double)one.asked(k, r.past) * blocks * (double)r.past;
        else {
          const double lost = 1 - l1_survives(r, held[choice] / l1);
          bytes[choice] += units * (1 + (visits - 1) * lost) / visits * (double)r.fetch;
        }
      }
    }
    if (trips < 0) trips = 0;
    if (held[1] < held[0] && held[1] > l1) tight = true;
    if (held[0] > LEAST_OVERFLOW * l1) overflows = true;
    if (bytes[1] > bytes[0]) lawful = false;
    all += bytes[0] * (double)trips; mine += bytes[1] * (double)trips;
  }
};
#endif
""".replace("LEAST_OVERFLOW", f"{LEAST_OVERFLOW:g}")
)
