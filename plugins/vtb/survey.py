"""What the plugin knows of a kernel before it decides: access regions, phases, and what every launch holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuopt_driver.api import (
    BlockUse,
    Context,
    Expr,
    Kernel,
    Latencies,
    Region,
    Shape,
    SharedUse,
    Site,
    Space,
    Split,
    SymKind,
    expr,
    joined,
    occupancy,
    shared_regions,
    sites,
    split_cost,
)

from .decide import Choice, Held, Phases, choose
from .guard import FORMS, largest, numbers
from .options import Options
from .staging import staged, stores

SCALE = 10  # the cost analysis counts tenths of cycles
_GUESS = 64  # stands for an argument that a trip count depends on
_NEAR = 150  # cycles of private work for which no turn is given up
_SHARE = 0.1  # of private work for which a region is not made larger
_DYNAMIC = (16, 48, 96)  # KB of dynamic shared memory that are tried where it is not known


@dataclass(frozen=True, slots=True)
class Facts:
    """A kernel's regions (or why there are none), its phases, and the block shapes for which that holds (none: any)."""

    use: SharedUse
    split: Split
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is predicted for one launch (or a guess at one)."""

    site: Site
    dynamic: int
    plain: Held
    choice: Choice


def survey(kernel: Kernel, context: Context) -> Facts | None:
    """The facts of a kernel that uses shared memory; None for others."""
    if not any(access.array.space is Space.SHARED for access in kernel.accesses):
        return None
    shapes = known_shapes(context)
    source = context.unit.files[kernel.span.file]
    latencies = Latencies.of(context.arch)

    def early(regions: Sequence[Region]) -> frozenset[int]:
        return frozenset[int]().union(*(stores(staged(kernel, source, region)) for region in regions))

    def cost(stmts: Sequence[int], regions: Sequence[Region]) -> tuple[float, float]:
        split = split_cost(kernel, source, regions, latencies, stmts, early(regions))
        outside, inside = (_value(part, {}) / SCALE for part in (split.private.cycles, split.shared.cycles))
        return outside, inside

    def worth(stmts: Sequence[int], regions: Sequence[Region]) -> bool:
        outside, inside = cost(stmts, regions)
        return outside > _NEAR and outside > _SHARE * (outside + inside)

    use = shared_regions(kernel, shapes, worth)
    regions = joined(kernel, use.regions, lambda between: sum(cost(between, ())) <= _NEAR)
    use = SharedUse(regions, use.problem, use.line)
    return Facts(
        use, split_cost(kernel, source, regions, latencies, early=early(regions)), shapes if len(regions) else ()
    )


def known_shapes(context: Context) -> tuple[Shape, ...]:
    """The block shapes of all launches, none where one is not known."""
    found: dict[Shape, None] = {}
    for launch in context.launches:
        parts = (launch.block.x, launch.block.y, launch.block.z)
        values = [expr.evaluate(part, {}) if part is not None else None for part in parts]
        if None in values:
            return ()
        x, y, z = (value or 1 for value in values)
        found.setdefault(Shape(x, y, z))
    return tuple(found)


def _value(value: Expr, values: dict[str, int]) -> float:
    """The number behind an expression; what is not known is a guess."""
    known = dict(values)
    for symbol in expr.symbols(value):
        if symbol.kind is SymKind.BLOCK_DIM:
            known.setdefault(symbol.name, 128 if symbol.name.endswith("x") else 1)
        elif symbol.kind is not SymKind.THREAD:
            known.setdefault(symbol.name, _GUESS)
        else:
            known.setdefault(symbol.name, 0)
    return float(expr.evaluate(value, known) or 0)


def fractions(kernel: Kernel, context: Context, facts: Facts) -> list[float]:
    """The part of the kernel's time (of one warp that runs alone) that each region takes, by the static estimate."""
    source = context.unit.files[kernel.span.file]
    latencies = Latencies.of(context.arch)
    whole = _value(expr.add(facts.split.private.cycles, facts.split.shared.cycles), {})
    found = []
    for region in facts.use.regions:
        one = split_cost(kernel, source, (region,), latencies)
        found.append(_value(one.shared.cycles, {}) / whole if whole else 0.0)
    return found


def phases_of(facts: Facts, context: Context, site: Site) -> Phases:
    """The kernel's phases with a launch's numbers."""
    outside, inside, instructions, scattered, serial, loads, entries = (
        _value(part, dict(site.values)) for part in numbers(facts.split)
    )
    memory = float(Latencies.of(context.arch).memory)
    return Phases(outside / SCALE, inside / SCALE, instructions, scattered, serial, loads, memory, entries)


def verdicts(kernel: Kernel, context: Context, facts: Facts, options: Options) -> list[Verdict]:
    """What is predicted for every launch; several guesses where shared memory is not known."""
    resources = context.resources
    found: list[Verdict] = []
    for site in sites(
        kernel,
        context.launches,
        context.arch,
        registers=resources.registers,
        static_shared_bytes=resources.static_shared_bytes,
    ):
        launch = site.launch
        dynamic = launch.shared if launch is not None else None
        value = expr.evaluate(dynamic, {}) if dynamic is not None else None
        unknown = kernel.uses_dynamic_shared and (launch is None or (dynamic is not None and value is None))
        sizes = [1024 * one for one in _DYNAMIC] if unknown else [value or 0]
        found.extend(_verdict(kernel, context, facts, site, size, options) for size in sizes)
    return found


def _verdict(kernel: Kernel, context: Context, facts: Facts, site: Site, dynamic: int, options: Options) -> Verdict:
    static = context.resources.static_shared_bytes
    static = (kernel.static_shared_bytes or 0) if static is None else static
    grid = site.values["gridDim.x"] * site.values["gridDim.y"] * site.values["gridDim.z"]

    limits = context.arch.limits
    registers = context.resources.registers
    if registers is None:  # so many that they do not stand in the way: the launch decides with the true number
        registers = limits.registers_per_sm // limits.threads_per_sm

    def held(factor: int) -> Held | None:
        use = BlockUse(site.shape.threads * factor, registers, static, dynamic, -(-grid // factor))
        if use.threads > context.arch.limits.threads_per_block:
            return None
        one = occupancy(context.arch, use, largest_l1=factor > 1)  # the guard asks for the smallest configuration
        return Held(factor, one.resident_blocks, one.l1_bytes) if one.resident_blocks else None

    plain = held(1)
    nothing = Choice(1, pipe=False, gain=1.0)
    if plain is None or site.shape.threads % 32:
        return Verdict(site, dynamic, plain or Held(1, 0, 0), nothing)
    form = FORMS.get(options.form, 2)
    factors = [options.factor] if options.factor else [2**n for n in range(1, 5) if 2**n <= largest(options)]
    phases = phases_of(facts, context, site)
    forms = (False, True) if form == 2 else (form == 1,)
    warps, sms = site.shape.warps, context.arch.sms
    return Verdict(site, dynamic, plain, choose(phases, grid, sms, warps, plain, held, factors=factors, forms=forms))
