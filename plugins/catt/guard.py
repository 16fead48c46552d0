"""The run-time twin of `decide.py`: C++11 text that takes the same decision from the true numbers of a launch.

It is the body of a function over `gpuopt_l` (the launch), `gpuopt_c` (the choice) and the kernel's parameters. A
property test compiles it and holds it against Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .cpp import RUNS, cpp, divisors, parts
from .decide import WEAK, Rules
from .numbers import loop_text
from .options import Options
from .survey import UNIT, LoopFacts


@dataclass(frozen=True, slots=True)
class Slot:
    """One wrapped statement: the loops whose numbers decide its groups, nest by nest, outermost first."""

    nests: tuple[tuple[LoopFacts, ...], ...]
    returns: bool


def guard(slots: Sequence[Slot], rules: Rules, options: Options, *, block_level: bool) -> str:
    """The guard's body: fills `gpuopt_c.n[k]` for every slot (and shared memory, carve-out), true where that pays."""
    capacity = f"{options.l1_bytes}LL" if options.l1_bytes else "(long long)gpuopt_l.l1_bytes"
    checks = ["gpuopt_l.warps == 0", "gpuopt_l.blocks_per_sm == 0", "gpuopt_l.l1_bytes == 0"]
    if any(slot.returns for slot in slots):
        checks.append("gpuopt_l.capability < 70")
    found = [part for slot in slots for nest in slot.nests for facts in nest for part in parts(facts)]
    checks += dict.fromkeys(f"({cpp(divisor)}) == 0" for part in found for divisor in divisors(part))
    room = max((len(facts.references) for slot in slots for nest in slot.nests for facts in nest), default=1)
    lines = [
        f"  if ({' || '.join(checks)}) return false;",
        f"  enum {{ catt_line = {rules.line_bytes} }};",
        RUNS.rstrip("\n"),
        f"  catt_runs catt_set(gpuopt_l.threads * {max(room, 1)}u);",
        f"  const long long catt_warps = gpuopt_l.warps, catt_all = gpuopt_l.blocks_per_sm, catt_l1 = {capacity};",
        "  long long catt_keep = catt_all;",
        "  bool catt_never = false; (void)catt_keep;",
        *(_beside(options.l1_bytes) if block_level else ()),
        *_choose(rules, block_level=block_level),
    ]
    for number, slot in enumerate(slots):
        for nest in slot.nests:
            lines.append("  catt_never = false;")
            for facts in nest:
                lines.extend(loop_text(number, facts, rules))
    lines += _finish(len(slots), block_level=block_level)
    return "\n".join(lines)


def _beside(l1_bytes: int) -> list[str]:
    """`catt_left(blocks, shared, percent)`: L1 beside a configuration in which exactly `blocks` blocks fit, or -1."""
    left = f"{l1_bytes}LL" if l1_bytes else "(long long)gpuopt_rt::l1_beside(*g, size)"
    return [
        "  auto catt_left = [&](long long blocks, size_t &shared, int &percent) -> long long {",
        "    const gpuopt_rt::gpu *g = gpuopt_rt::gpu_of(gpuopt_l.capability);",
        "    if (!g || gpuopt_l.carveout_set) return -1;",
        "    size_t most = 0;",
        "    for (unsigned i = 0; i < 12; ++i) if (g->split[i] > most) most = g->split[i];",
        "    const size_t own = gpuopt_l.static_shared + gpuopt_l.shared + g->reserved;",
        "    for (unsigned i = 0; i < 12; ++i) {",
        f"      const size_t size = g->split[i], each = size / (size_t)blocks / {UNIT} * {UNIT};",
        "      if (size < g->usual || each <= own || each * (size_t)(blocks + 1) <= size || each > most) continue;",
        "      shared = each - gpuopt_l.static_shared - g->reserved; percent = (int)(size * 100 / most);",
        f"      return {left};",
        "    }",
        "    return -1;",
        "  };",
    ]


def _choose(rules: Rules, *, block_level: bool) -> list[str]:
    """`catt_choose`: decide.decide for one loop; raises gpuopt_c.n of a slot, lowers catt_keep."""
    trips = "trips < 0" if rules.sectored else "false"
    fewest = rules.minimum_warps if rules.sectored else 1
    nothing = "local == 0 || local * 2 < whole" if rules.sectored else "local == 0"
    margin = (
        f"(strong * 2 >= whole ? {rules.margin}LL : {rules.margin * WEAK}LL)" if rules.sectored else f"{rules.margin}LL"
    )
    lines = [
        "  auto catt_choose = [&](unsigned slot, const long long *block, const long long *sm, long long local, "
        "long long strong, long long trips) {",
        "    const long long whole = block[0] + sm[0], bytes = (block[0] * catt_all + sm[0]) * catt_line;",
        "    (void)strong; (void)trips; (void)whole;",
        f"    if ({nothing} || bytes <= catt_l1 || bytes * 1000 <= catt_l1 * {margin} || {trips} ||",
        f"        (trips >= 0 && trips < {rules.minimum_trips})) return;",
        "    unsigned last = 0; (void)last;",
        "    for (unsigned s = 0; s < 6 && catt_warps % (1LL << s) == 0; ++s) {",
    ]
    if not rules.warp_level:
        lines.append("      if (s) break;")
    lines += [
        f"      if ((catt_warps >> s) * catt_all < {fewest}) break;",
        "      last = s;",
        "      if ((block[s] * catt_all + sm[s]) * catt_line <= catt_l1) {",
        "        if (gpuopt_c.n[slot] < (1u << s)) gpuopt_c.n[slot] = (unsigned short)(1u << s);",
        "        return;",
        "      }",
        "    }",
    ]
    if block_level and rules.block_level:
        lines += [
            "    for (long long b = catt_all - 1; b > 0; --b) {",
            f"      if ((catt_warps >> last) * b < {fewest}) break;",
            "      size_t shared = 0; int percent = -1;",
            "      const long long left = catt_left(b, shared, percent);",
            "      if (left >= 0 && (block[last] * b + sm[last]) * catt_line <= left) {",
            "        if (gpuopt_c.n[slot] < (1u << last)) gpuopt_c.n[slot] = (unsigned short)(1u << last);",
            "        if (b < catt_keep) { catt_keep = b; gpuopt_c.shared = shared; gpuopt_c.carveout = percent; }",
            "        return;",
            "      }",
            "    }",
        ]
    return [*lines, "    catt_never = true;", "  };"]


def _finish(slots: int, *, block_level: bool) -> list[str]:
    used = " || ".join(f"gpuopt_c.n[{slot}] > 1" for slot in range(slots))
    return [f"  return {used}{' || catt_keep < catt_all' if block_level else ''};"]


def fixed_guard(slots: int, tlp: Sequence[int], returns: Iterable[bool], *, block_level: bool) -> str:
    """A guard that gives every slot `tlp[0]` warps per block and an SM `tlp[1]` blocks (0: as they are)."""
    warps, blocks = tlp[0], tlp[1]
    lines = ["  if (gpuopt_l.warps == 0 || gpuopt_l.blocks_per_sm == 0) return false;"]
    if any(returns):
        lines.append("  if (gpuopt_l.capability < 70) return false;")
    lines.append("  bool catt_any = false;")
    if warps:
        assign = " ".join(f"gpuopt_c.n[{slot}] = (unsigned short)(gpuopt_l.warps / {warps});" for slot in range(slots))
        lines.append(
            f"  if (gpuopt_l.warps > {warps} && gpuopt_l.warps % {warps} == 0) {{ {assign} catt_any = true; }}"
        )
    if blocks and block_level:
        lines += [
            *_beside(0),
            f"  if (gpuopt_l.blocks_per_sm > {blocks}) {{",
            "    size_t shared = 0; int percent = -1;",
            f"    if (catt_left({blocks}, shared, percent) >= 0) {{",
            "      gpuopt_c.shared = shared; gpuopt_c.carveout = percent; catt_any = true;",
            "    }",
            "  }",
        ]
    return "\n".join([*lines, "  return catt_any;"])
