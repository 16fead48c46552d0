"""Guards: C++11 text that hands the strides of a kernel's accesses to the shared decision (`blocks.h`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpuopt_driver.api import Arch, BlockWalk, Expr, TurnTouch, block_support, divisors, guard_term, warp_terms

from .options import Options
from .rewrite import SCOPE

_LONG = 512  # loads per warp of a block that is worth an agent
_WAVES = 8  # of resident blocks, below which agents gained nothing in the emulator's model
_MOST_CHECKED = 1 << 22  # blocks of a grid for which an order of the policy's own is checked
_SAVES = "1.2"  # times more that L1 must ask for in the usual order before agents run by default
L1_SHARE = 0.6  # of L1 for one turn of all warps (docs/cta.md)
LINE = 128  # bytes of an L1 line on all GPUs
_RESERVE = 280  # thousandths of L2 that a launch cannot count on (docs/cta.md)


def support(archs: Iterable[Arch]) -> str:
    """Definitions that all guards share, with what is known of memory and L2 of every GPU."""
    archs = _usual(archs)
    ratios = {capability(arch): memory_rate(arch) for arch in archs}
    granules = {capability(arch): arch.l1.sector_bytes for arch in archs}
    gives = {capability(arch): l2_rate(arch) for arch in archs}
    usable = {capability(arch): arch.l2.capacity for arch in archs}
    return (
        block_support()
        + _table("Bytes per cycle from memory by compute capability; 0: not known.", "memory_ratio", ratios)
        + _table("Bytes of L2 that data were seen to use; a device may report more.", "usable_l2", usable)
        + _table("Bytes that L1 asks L2 for at once; 0: not known.", "l1_granule", granules)
        + _table("Bytes per cycle that an SM gets from L2; 0: not known, or L1 keeps no loads.", "l2_rate", gives)
    )


def _usual(archs: Iterable[Arch]) -> tuple[Arch, ...]:
    """One GPU for each compute capability, which is all that a launch knows: the one that stands for it."""
    found: dict[int, Arch] = {}
    for arch in archs:
        if arch.stands or capability(arch) not in found:
            found[capability(arch)] = arch
    return tuple(found.values())


def memory_rate(arch: Arch) -> int:
    """Bytes per cycle of a multiprocessor's clock that the device gets from memory; 0 where nobody knows its clock."""
    if "device.clock_mhz" in arch.assumed:
        return 0
    return round(arch.dram_bytes_per_second / (arch.clock_mhz * 1e6))


def l2_rate(arch: Arch) -> int:
    """Bytes per cycle that a multiprocessor gets from L2; 0 where L1 keeps no global loads, or nobody knows."""
    if not arch.l1.caches_global_loads:
        return 0
    if arch.timing is not None:
        return round(arch.timing.l2_bytes_per_cycle / arch.sms)
    return round(arch.execution.l2_bytes_per_cycle) if arch.execution is not None else 0


def capability(arch: Arch) -> int:
    """Compute capability times ten, as a launch knows it."""
    return 10 * arch.compute_capability[0] + arch.compute_capability[1]


def _table(comment: str, name: str, rows: Mapping[int, int]) -> str:
    cases = " ".join(f"case {capability}: return {value};" for capability, value in sorted(rows.items()))
    body = f"switch (capability) {{ {cases} default: return 0; }}"
    return f"// {comment}\ninline long long {name}(int capability) {{ {body} }}\n"


def _term(value: Expr) -> str:
    return guard_term(value, "cta")


def is_writable(walks: Sequence[BlockWalk]) -> bool:
    """Whether a launch can compute all strides; raises Unwritable otherwise."""
    for walk in walks:
        for part in _parts(walk):
            _term(part)
            list(divisors(part))
    return True


def _parts(walk: BlockWalk) -> list[Expr]:
    return [walk.requests, *walk.blocks, *(part for pair in walk.steps for part in pair)]


def modelled(
    walks: Sequence[BlockWalk], options: Options, sector: int, turn: Sequence[TurnTouch] | None, *, together: bool
) -> str:
    """The guard that picks tiles by the model.

    L1 is looked at where it has room for one turn of the loops of all warps (`turn`), or barriers keep them `together`.
    """
    rules = (sector, round(options.margin * 1000), round(options.share * 1000), _RESERVE)
    near = f"{SCOPE}::l1_granule(gpuopt_l.capability), gpuopt_l1, {SCOPE}::l2_rate(gpuopt_l.capability)"
    fits = f"if (gpuopt_turn * (double)gpuopt_l.blocks_per_sm <= (double)gpuopt_l.l1_bytes * {L1_SHARE})"
    lines = [
        *_l2(options),
        f"  long long gpuopt_l1 = {'(long long)gpuopt_l.l1_bytes' if together else '0'};",
        *([] if together else _turn(turn, [f"{fits} gpuopt_l1 = (long long)gpuopt_l.l1_bytes;"])),
        f"  const {SCOPE}::rules gpuopt_rules = {{ {', '.join(map(str, rules))}, gpuopt_l2, {near} }};",
        f"  {SCOPE}::orders gpuopt_cta_o(gpuopt_l, gpuopt_rules);",
        f"  const long long gpuopt_ratio = {SCOPE}::memory_ratio(gpuopt_l.capability);",
        "  if (!gpuopt_ratio || !gpuopt_cta_o.waits()) return false;",
        *_forms(walks),
    ]
    return "\n".join([*lines, "  return gpuopt_cta_o.choose(gpuopt_c, gpuopt_ratio);"])


def _forms(walks: Sequence[BlockWalk]) -> list[str]:
    """Statements that put the walks' strides into `gpuopt_cta_o`; with a divisor of zero launches keep the original."""
    zero = sorted({f"({_term(one)}) == 0" for walk in walks for part in _parts(walk) for one in divisors(part)})
    lines = [f"  if ({' || '.join(zero)}) return false;"] if zero else []
    for walk in walks:
        steps = " ".join(f"gpuopt_cta_f.walk({_term(by)}, {_term(times)});" for by, times in walk.steps)
        blocks = " ".join(
            f"gpuopt_cta_f.block[{axis}] = {_term(by)};" for axis, by in enumerate(walk.blocks) if _term(by) != "0LL"
        )
        lines.append(
            f"  {{ {SCOPE}::form &gpuopt_cta_f = gpuopt_cta_o.add(); gpuopt_cta_f.bytes = {walk.bytes}; "
            f"gpuopt_cta_f.requests = {_term(walk.requests)}; {steps} {blocks} }}"
        )
    return lines


def gathered(walks: Sequence[BlockWalk], turn: Sequence[TurnTouch] | None, *, must_save: bool) -> list[str]:
    """Statements that choose a tile for agents, and how many of them work (Li et al., 4.3: throttling).

    The tile is what as many blocks as agents work share most in. Warps of a block that nothing holds together drift
    apart and share little, so as many agents work as have room in 0.6 of L1 for one turn of all their warps.
    `must_save`: the original runs where L1 asks for about as much in the usual order.
    """
    lines = [
        f"  const long long gpuopt_unit = {SCOPE}::l1_granule(gpuopt_l.capability);",
        "  if (!gpuopt_unit) return false;",
        f"  const {SCOPE}::rules gpuopt_rules = {{ gpuopt_unit, 1000, 0, 0, 0, 0, 0, 0 }};",
        f"  {SCOPE}::orders gpuopt_cta_o(gpuopt_l, gpuopt_rules);",
        *_forms(walks),
    ]
    lines += _turn(
        turn,
        [
            f"const double gpuopt_room = (double)gpuopt_l.l1_bytes * {L1_SHARE} / gpuopt_turn;",
            "if (gpuopt_room < (double)gpuopt_cta_a) gpuopt_cta_a = gpuopt_room < 1 ? 1u : (unsigned)gpuopt_room;",
        ],
    )
    lines.append("  const double gpuopt_each = gpuopt_cta_o.gather(gpuopt_cta_a, gpuopt_cta_w, gpuopt_cta_h);")
    if must_save:
        lines.append(f"  if (gpuopt_each * {_SAVES} > gpuopt_cta_o.dealt(gpuopt_fit)) return false;")
    else:
        lines.append("  (void)gpuopt_each;")
    return lines


def _turn(turn: Sequence[TurnTouch] | None, then: Sequence[str]) -> list[str]:
    """Statements that run where it is known what one turn of the loops of a block's warps takes of L1: `gpuopt_turn`.

    Warps that nothing holds together drift apart and share little, so the lines of each are counted by themselves.
    """
    terms = warp_terms(turn, "gpuopt_cta_t") if turn is not None else None
    if terms is None:
        return []
    adds, zero = terms
    return [
        f"  if ({' && '.join(['gpuopt_l.l1_bytes', *(f'{one} != 0' for one in zero)])}) {{",
        f"    {SCOPE}::warp_forms gpuopt_cta_t; {adds}",
        f"    const double gpuopt_turn = (double)gpuopt_l.warps * gpuopt_cta_t.lines(gpuopt_l.block, 0, 1, {LINE});",
        *(f"    {one}" for one in then),
        "  }",
    ]


def _l2(options: Options) -> list[str]:
    """How much L2 the decision is for: the policy's, or what is known to be usable of what the device reports."""
    if options.l2_bytes:
        return [f"  const long long gpuopt_l2 = {options.l2_bytes};"]
    return [
        f"  const long long gpuopt_known = {SCOPE}::usable_l2(gpuopt_l.capability);",
        "  const long long gpuopt_all = (long long)gpuopt_l.l2_bytes;",
        "  const long long gpuopt_l2 = gpuopt_known && gpuopt_known < gpuopt_all ? gpuopt_known : gpuopt_all;",
    ]


def worth_agents(walks: Sequence[BlockWalk]) -> str:
    """Blocks that are long (loads per warp) and many (waves): handing one out costs two barriers and an atomic."""
    zero = sorted({f"({_term(one)}) == 0" for walk in walks for one in divisors(walk.requests)})
    loads = " + ".join(_term(walk.requests) for walk in walks)
    resident = "(unsigned long long)gpuopt_l.sms * gpuopt_l.blocks_per_sm"
    blocks = "(unsigned long long)gpuopt_l.grid.x * gpuopt_l.grid.y * gpuopt_l.grid.z"
    lines = [f"  if ({' || '.join(zero)}) return false;"] if zero else []
    lines.append(f"  if ({loads} < {_LONG} || {blocks} < {_WAVES} * {resident}) return false;")
    return "\n".join(lines) + "\n"


def customised(expressions: Sequence[str]) -> str:
    """The guard that lets an order of the policy's own run where it runs every block of the grid once."""
    x, y, z = (f"(long long)({one})" for one in expressions)
    return "\n".join(
        [
            "  const ::dim3 &gpuopt_g = gpuopt_l.grid;",
            "  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;",
            f"  if (gpuopt_all < 2 || gpuopt_all > {_MOST_CHECKED}) return false;",
            f"  {SCOPE}::marks gpuopt_cta_m(gpuopt_g);",
            "  for (unsigned gpuopt_cta_z = 0; gpuopt_cta_z < gpuopt_g.z; ++gpuopt_cta_z)",
            "   for (unsigned gpuopt_cta_y = 0; gpuopt_cta_y < gpuopt_g.y; ++gpuopt_cta_y)",
            "    for (unsigned gpuopt_cta_x = 0; gpuopt_cta_x < gpuopt_g.x; ++gpuopt_cta_x) {",
            f"      const {SCOPE}::numbered gpuopt_o(gpuopt_cta_x, gpuopt_cta_y, gpuopt_cta_z, gpuopt_g);",
            "      (void)gpuopt_o;",
            f"      if (!gpuopt_cta_m.once({x}, {y}, {z})) return false;",
            "    }",
            "  return true;",
        ]
    )


_ORDERS = ((1, 8, 1), (1, 16, 1), (1, 32, 1), (1, 4, 1), (1, 2, 1), (1, 0, 1), (2, 16, 1))


def orders() -> str:
    """All orders of blocks that are worth a measurement: columns of tiles as high as so many blocks."""
    lines = ["  if (gpuopt_l.grid.x == 1 || gpuopt_l.grid.y == 1) return false;"]
    for number, tile in enumerate(_ORDERS, 1):
        numbers = " ".join(f"gpuopt_cta_c.n[{at}] = {size};" for at, size in enumerate(tile))
        fits = f"gpuopt_l.grid.y > {tile[1]}u" if tile[1] else "true"
        lines.append(
            f"  if ({fits}) {{ gpuopt_rt::choice gpuopt_cta_c = gpuopt_o.blank(); {numbers} "
            f'gpuopt_o.add(gpuopt_cta_c, {number}, 1, 1.5, "tiles"); }}'
        )
    return "\n".join(lines)


def forced(tile: Sequence[int], *, clusters: bool) -> str:
    """The guard that always picks one tile, where there is more than one block."""
    bound = " gpuopt_c.n[3] = (unsigned short)gpuopt_l.sms;" if clusters else ""
    numbers = " ".join(f"gpuopt_c.n[{at}] = {min(size, 65535)};" for at, size in enumerate(tile))
    alone = "gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1 && gpuopt_l.grid.z == 1"
    return f"  if ({alone}) return false;\n  {numbers}{bound}\n  return true;"
