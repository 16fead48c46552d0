"""A kernel's guard: C++11 text that hands the numbers of its loops to the shared decision (`support.py`).

It is the body of a function over `gpuopt_l` (the launch), `gpuopt_c` (the choice) and the kernel's parameters;
everything that it declares starts with `catt_`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuopt_driver.api import Reference, dataclass, divisors

from .cpp import cpp, parts
from .decide import Rules
from .options import Options
from .races import in_cpp
from .survey import LoopFacts

_SCOPE = "gpuopt_rt::plugin_catt"


@dataclass(frozen=True, slots=True)
class Slot:
    """One wrapped statement: the loops whose numbers decide its groups, nest by nest, outermost first."""

    nests: tuple[tuple[LoopFacts, ...], ...]
    returns: bool
    single: tuple[str, ...] = ()


def guard(slots: Sequence[Slot], rules: Rules, options: Options, *, block_level: bool) -> str:
    """The guard's body: fills `gpuopt_c.n[k]` for every slot (and shared memory, carve-out), true where that pays."""
    facts = [one for slot in slots for nest in slot.nests for one in nest]
    zero = dict.fromkeys(f"({cpp(divisor)}) == 0" for one in facts for part in parts(one) for divisor in divisors(part))
    lines = _opening(rules, options.l1_bytes, [slot.returns for slot in slots], block_level=block_level)
    lines += _races(slot.single for slot in slots)
    if zero:
        lines.append(f"  if ({' || '.join(zero)}) return false;")
    for number, slot in enumerate(slots):
        for nest in slot.nests:
            lines.append("  catt_d.nest();")
            for one in nest:
                lines.extend(_loop(number, one))
    return "\n".join([*lines, f"  return catt_d.gains({len(slots)});"])


def fixed_guard(slots: Sequence[Slot], tlp: Sequence[int], rules: Rules, *, block_level: bool) -> str:
    """A guard that gives every slot `tlp[0]` warps per block and an SM `tlp[1]` blocks (0: as they are)."""
    lines = _opening(rules, 0, [slot.returns for slot in slots], block_level=block_level)
    lines += _races(slot.single for slot in slots)
    return "\n".join([*lines, f"  return catt_d.fixed({len(slots)}, {tlp[0]}, {tlp[1]});"])


def candidates(slots: Sequence[Slot], rules: Rules, *, block_level: bool) -> str:
    """All pairs of groups and resident blocks that a launch may legally have, thinned out, the mildest first."""
    lines = _opening(rules, 0, [slot.returns for slot in slots], block_level=block_level, known=False)
    lines = [line.replace("gpuopt_c,", "catt_c,") for line in lines]
    lines += _races(slot.single for slot in slots)
    return "\n".join(
        ["  gpuopt_rt::choice catt_c = gpuopt_o.blank();", *lines, f"  catt_d.offer(gpuopt_o, {len(slots)});"]
    )


def _races(single: Iterable[tuple[str, ...]]) -> list[str]:
    """What rules out launches whose threads update locations of each other."""
    conditions = in_cpp(sorted({dimension for dimensions in single for dimension in dimensions}))
    return [f"  if ({' || '.join(conditions)}) return false;  // races"] if conditions else []


def _opening(
    rules: Rules, l1_bytes: int, returns: Sequence[bool], *, block_level: bool, known: bool = True
) -> list[str]:
    """The rules, the decision, and what rules out any version; `known`: L1 must be."""
    flags = (rules.sectored, rules.warp_level, rules.block_level and block_level)
    sizes = (rules.line_bytes, rules.sector_bytes, rules.margin, rules.minimum_trips, rules.minimum_warps, l1_bytes)
    values = ", ".join([*(str(flag).lower() for flag in flags), *map(str, sizes)])
    unknown = ("!catt_d.known()" if known else "!catt_d.all") + (" || gpuopt_l.capability < 70" if any(returns) else "")
    return [
        f"  static const {_SCOPE}::rules catt_rules = {{ {values} }};",
        f"  {_SCOPE}::decision catt_d(gpuopt_l, gpuopt_c, catt_rules);",
        f"  if ({unknown}) return false;",
    ]


def _loop(slot: int, facts: LoopFacts) -> list[str]:
    """The references of one loop, where each thread's accesses are, and the call that decides."""
    count = len(facts.references)
    names: dict[tuple[str, bool], int] = {}
    lines = [
        f"  {{  // the loop at line {facts.line}",
        f"    {_SCOPE}::reference catt_r[{count}];",
    ]
    cases: list[str] = []
    modelled = True
    for index, one in enumerate(facts.references):
        array = names.setdefault((one.array, one.of_block), len(names))
        lines.append(_reference(index, array, one))
        modelled = modelled and all(inner.step is not None and inner.trips is not None for inner in one.inner)
        if one.offset is not None:
            cases.append(f"      if (catt_k == {index}) return {cpp(one.offset)};")
    trips = "-1" if facts.trips is None else cpp(facts.trips)
    if modelled:
        lines += [
            "    auto catt_at = [&](unsigned catt_k, long long catt_x, long long catt_y, long long catt_z) -> "
            "long long {",
            "      (void)catt_k; (void)catt_x; (void)catt_y; (void)catt_z;",
            *cases,
            "      return 0;",
            "    };",
            f"    catt_d.loop({slot}, catt_r, {count}, {trips}, catt_at);",
        ]
    return [*lines, "  }"]


def _reference(index: int, array: int, one: Reference) -> str:
    """One reference: where its lines are, its inner loops, its distance to the next iteration."""
    name = f"catt_r[{index}]"
    alone = one.offset is None
    where = "0" if alone else "1" if one.of_block else "2"
    if one.guarded and not alone:
        where = f"catt_rules.sectored ? 0 : {where}"
    calls = [f"{name}.set({where}, {array}, {one.bytes});"]
    calls += [
        f"{name}.walks(catt_rules, {cpp(inner.trips)}, {cpp(inner.step)});"
        for inner in (() if alone else one.inner)
        if inner.step is not None and inner.trips is not None
    ]
    if one.step is not None:
        calls.append(f"{name}.moves(catt_rules, {cpp(one.step)}, {one.batch});")
    if one.places:
        away = " && ".join(f"gpuopt_l.past_l1({place}u)" for place in one.places)
        calls.append(f"{name}.away = {away};")
    return f"    {' '.join(calls)}  // {_comment(one.text)}"


def _comment(text: str) -> str:
    """Text that cannot continue a line comment or end the file's line structure."""
    return " ".join(text.split()).replace("\\", "/").replace("?", "")[:60]
