"""What there is to know of a kernel's loops before any launch: references, trip counts, and their numbers later."""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.api import (
    GUESS,
    Arch,
    Expr,
    Kernel,
    Loop,
    Reference,
    Site,
    SourceFile,
    SymKind,
    dataclass,
    expr,
    footprint,
    references,
    trip_count,
)

from .decide import STRONG_VISITS, Demand, Room, Rules, group_counts
from .options import Options

UNIT = 256  # bytes; every GPU's shared memory is allocated in parts that divide this


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """A loop with its references and trip count; `innermost`: no loop inside makes references."""

    loop: Loop
    line: int
    references: tuple[Reference, ...]
    trips: Expr | None
    innermost: bool


def _pragmas(kernel: Kernel, loop: Loop, source: SourceFile) -> str:
    """The text between the token before a loop and the loop itself."""
    stmt = kernel.stmt(loop.stmt)
    if stmt.lead is None or stmt.span.file != source.path:
        return ""
    return source.data[stmt.lead : stmt.span.start].decode("latin-1")


def survey(kernel: Kernel, source: SourceFile) -> tuple[LoopFacts, ...]:
    """The loops of a kernel in source order."""
    found = [(loop, references(kernel, loop, _pragmas(kernel, loop, source))) for loop in kernel.loops]
    around = {loop.parent for loop, made in found if made}
    return tuple(
        LoopFacts(
            loop=loop,
            line=kernel.stmt(loop.stmt).span.line,
            references=made,
            trips=trip_count(kernel, loop),
            innermost=loop.stmt not in around,
        )
        for loop, made in found
    )


def rules_of(options: Options, arch: Arch) -> Rules:
    """The policy's options with the GPU's own choices filled in."""
    model = arch.catt_model if options.model == "auto" else options.model
    return Rules(
        sectored=model == "sectored",
        margin=round((options.margin or arch.catt_margin) * 1000),
        line_bytes=arch.l1.line_bytes,
        sector_bytes=arch.l1.sector_bytes,
        minimum_trips=options.minimum_trips,
        minimum_warps=options.minimum_warps,
        warp_level=options.warp_level,
        block_level=options.block_level,
    )


def _needs_guess(facts: LoopFacts) -> bool:
    """Whether the loop's numbers depend on parameters."""
    found: list[Expr | None] = [facts.trips]
    for reference in facts.references:
        found.extend((reference.offset, reference.step))
        found.extend(part for inner in reference.inner for part in (inner.step, inner.trips))
    kinds = (SymKind.PARAM, SymKind.TEMPLATE, SymKind.HOST, SymKind.UNKNOWN, SymKind.LOOP)
    return any(symbol.kind in kinds for part in found if part is not None for symbol in expr.symbols(part))


def is_exact(facts: LoopFacts, site: Site) -> bool:
    """Whether every number behind a verdict is a constant of the source."""
    return site.known and not _needs_guess(facts)


def _guessed(facts: LoopFacts, site: Site) -> dict[str, int]:
    """The site's values, with a large number for every parameter that is not known."""
    values = dict(site.values)
    parts: list[Expr | None] = [facts.trips]
    for reference in facts.references:
        parts.extend((reference.offset, reference.step))
        parts.extend(part for inner in reference.inner for part in (inner.step, inner.trips))
    for part in parts:
        for symbol in expr.symbols(part) if part is not None else ():
            if symbol.kind is not SymKind.THREAD:
                values.setdefault(symbol.name, GUESS)
    return values


def _kept(facts: LoopFacts, rules: Rules, values: Mapping[str, int], *, strong: bool) -> list[Reference]:
    """References that a later iteration finds again: their line (paper), or their sector (sectored).

    `strong`: so often, counting loads that are issued together once, that losing them costs much.
    """
    if not rules.sectored:
        return [one for one in facts.references if footprint.has_line_locality(one, values, rules.line_bytes)]
    least = STRONG_VISITS if strong else 2
    found: list[Reference] = []
    for one in facts.references:
        visits = footprint.visits_per_sector(one, values, rules.sector_bytes, batched=strong)
        if visits is not None and visits >= least:
            found.append(one)
    return found


def demand(facts: LoopFacts, rules: Rules, site: Site, enough: int = 0) -> Demand | None:
    """The lines of a loop at a launch for every N, or None where an inner trip count is not known at all.

    Where all warps together touch no more than `enough` bytes, only N = 1 is computed.
    """
    values = _guessed(facts, site)
    count = footprint.sectored_lines if rules.sectored else footprint.paper_lines
    per_block: list[int] = []
    per_sm: list[int] = []
    for groups in group_counts(site.shape.warps):
        lines = count(facts.references, site.shape, values, groups, rules.line_bytes)
        if lines is None:
            return None
        per_block.append(lines.per_block)
        per_sm.append(lines.per_sm)
        if lines.total(site.occupancy.blocks) * rules.line_bytes <= enough:
            break
    found: list[int] = []
    for strong in (False, True):
        kept = count(_kept(facts, rules, values, strong=strong), site.shape, values, 1, rules.line_bytes)
        found.append(kept.per_block + kept.per_sm if kept is not None else 0)
    trips = None if facts.trips is None else expr.evaluate(facts.trips, values)
    return Demand(tuple(per_block), tuple(per_sm), found[0], found[1], trips)


def requests(facts: LoopFacts, rules: Rules, site: Site) -> int | None:
    """CATT eq. 7, summed over the loop's references: lines that one warp asks for in one iteration."""
    values = _guessed(facts, site)
    found = [
        footprint.requests_per_warp(reference, site.shape, values, rules.line_bytes) for reference in facts.references
    ]
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None


def room(arch: Arch, options: Options, site: Site) -> Room:
    """What an SM holds of the kernel at this launch."""
    usable = round(arch.l1.usable_fraction * 1000)

    def beside(blocks: int) -> int | None:
        configuration = configuration_for(arch.shared.configurations, site, arch, blocks)
        if configuration is None:
            return None
        return options.l1_bytes or arch.l1_bytes(configuration) * usable // 1000

    return Room(
        warps=site.shape.warps,
        blocks=site.occupancy.blocks,
        l1_bytes=options.l1_bytes or site.occupancy.l1_bytes * usable // 1000,
        l1_of_blocks=beside,
    )


def configuration_for(configurations: tuple[int, ...], site: Site, arch: Arch, blocks: int) -> int | None:
    """The smallest shared-memory configuration in which exactly `blocks` blocks can be made to fit, None if none.

    A preference for less than the default configuration has no effect, so those below it are not considered.
    """
    for size in configurations:
        if size < arch.shared.default_configuration:
            continue
        per_block = size // blocks // UNIT * UNIT
        wanted = site.shared_bytes + arch.shared.reserved_per_block
        own = per_block - arch.shared.reserved_per_block
        if per_block > wanted and per_block * (blocks + 1) > size and own <= arch.shared.per_block_optin:
            return size
    return None
