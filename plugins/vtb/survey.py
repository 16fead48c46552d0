"""What the plugin knows of a kernel before it decides: access regions, phases, and what every launch holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuopt_driver.api import (
    WAIT,
    Access,
    BlockUse,
    Context,
    Expr,
    Kernel,
    Latencies,
    Region,
    Shape,
    SharedUse,
    Site,
    Split,
    SymKind,
    aligned,
    dataclass,
    expr,
    joined,
    occupancy,
    shared_regions,
    sites,
    split_cost,
)

from .decide import Choice, Held, Phases, choose
from .guard import FORMS, largest, numbers
from .instances import agreed
from .options import Options
from .order import barriers_of, longest_pipe, order_of, own_barriers
from .scheme import Scheme, ahead_of
from .staging import no_iterations, none_first, nothing_more, nowhere
from .uses import may_use_shared

SCALE = 10  # the cost analysis counts tenths of cycles
TURN = 4  # bytes of shared memory that say whose turn it is
_GUESS = 64  # stands for an argument that a trip count depends on
_LARGE = 1 << 20  # the same where grids are large, too: no loop over what a grid leaves is empty
_NEAR = 150  # cycles of private work for which no turn is given up
_SHARE = 0.1  # of private work for which a region is not made larger
_DYNAMIC = (16, 48, 96)  # KB of dynamic shared memory that are tried where it is not known


@dataclass(frozen=True, slots=True)
class Facts:
    """A kernel's regions (or why there are none), its phases, and the block shapes for which that holds (none: any)."""

    scheme: Scheme
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is predicted for one launch (or a guess at one)."""

    site: Site
    dynamic: int
    plain: Held
    choice: Choice
    divided: bool = False  # the choice is CO-VTB


def survey(kernel: Kernel, context: Context) -> Facts | None:
    """The facts of a kernel that uses shared memory, or may use what it has; None for others."""
    if not may_use_shared(kernel):
        return None
    shapes = known_shapes(context)
    scheme = agreed(kernel, context, _turns_on_all)
    return Facts(scheme, shapes if len(scheme.use.regions) else ())


def _turns_on_all(kernel: Kernel, context: Context) -> Scheme:
    return scheme_of(kernel, context, known_shapes(context))


def scheme_of(
    kernel: Kernel,
    context: Context,
    shapes: Sequence[Shape],
    own: Callable[[Access], bool] = nowhere,
    before: Callable[[Access], int | None] = none_first,
    more: Callable[[Access], int] = nothing_more,
    spare: int = 0,
    opens: Callable[[int], int] = no_iterations,
) -> Scheme:
    """Regions and phases where the accesses `own` (and the iterations `before`, see Scheme) need no turn.

    `more`: operators that accesses take beside those of the program's text.
    """
    source = context.unit.files[kernel.span.file]
    latencies = Latencies.of(context.arch)

    def costs(regions: Sequence[Region], stmts: Sequence[int] = (0,)) -> Split:
        found = [ahead_of(kernel, source, region, own, before, spare, opens) for region in regions]
        early = frozenset(stmt for one in found for stmt in one.stores())
        iterations = {stmt: count for one in found for stmt, count in one.iterations().items()}
        return split_cost(kernel, source, regions, latencies, stmts, early, more, iterations)

    def cost(stmts: Sequence[int], regions: Sequence[Region]) -> tuple[float, float]:
        split = costs(regions, stmts)
        outside, inside = (_value(part, {}) / SCALE for part in (split.private.cycles, split.shared.cycles))
        return outside, inside

    def worth(stmts: Sequence[int], regions: Sequence[Region]) -> bool:
        outside, inside = cost(stmts, regions)
        return outside > _NEAR and outside > _SHARE * (outside + inside)

    use = shared_regions(kernel, shapes, worth, own)
    regions = joined(kernel, use.regions, lambda between: sum(cost(between, ())) <= _NEAR)
    return Scheme(SharedUse(regions, use.problem), costs(regions), own=own, before=before, spare=spare, opens=opens)


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


def _value(value: Expr, values: dict[str, int], argument: int = _GUESS) -> float:
    """The number behind an expression; what is not known is a guess."""
    known = dict(values)
    for symbol in expr.symbols(value):
        if symbol.kind is SymKind.BLOCK_DIM:
            known.setdefault(symbol.name, 128 if symbol.name.endswith("x") else 1)
        elif symbol.kind is SymKind.PARAM:
            known.setdefault(symbol.name, argument)
        elif symbol.kind is not SymKind.THREAD:
            known.setdefault(symbol.name, _GUESS)
        else:
            known.setdefault(symbol.name, 0)
    return float(expr.evaluate(value, known) or 0)


def fractions(kernel: Kernel, context: Context, facts: Facts) -> list[float]:
    """The part of the kernel's time (of one warp that runs alone) that each region takes, by the static estimate."""
    source = context.unit.files[kernel.span.file]
    latencies = Latencies.of(context.arch)
    whole = _value(expr.add(facts.scheme.split.private.cycles, facts.scheme.split.shared.cycles), {}, _LARGE)
    found = []
    for region in facts.scheme.use.regions:
        early = facts.scheme.ahead(kernel, source, region).stores()
        one = split_cost(kernel, source, (region,), latencies, early=early)
        found.append(_value(one.shared.cycles, {}, _LARGE) / whole if whole else 0.0)
    return found


def phases_of(scheme: Scheme, context: Context, site: Site) -> Phases:
    """The kernel's phases with a launch's numbers."""
    outside, inside, instructions, scattered, serial, loads, entries, meeting, waits_outside, waits_inside = (
        _value(part, dict(site.values)) for part in numbers(scheme.split)
    )
    latencies = Latencies.of(context.arch)
    less = (latencies.memory - latencies.near) / WAIT
    return Phases(
        outside / SCALE,
        inside / SCALE,
        instructions,
        scattered,
        serial,
        loads,
        float(latencies.memory),
        entries,
        meeting,
        outside / SCALE - waits_outside * less,
        inside / SCALE - waits_inside * less,
        float(latencies.near),
    )


def verdicts(kernel: Kernel, context: Context, scheme: Scheme, options: Options) -> list[Verdict]:
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
        found.extend(_verdict(kernel, context, scheme, site, size, options) for size in sizes)
    return found


def _verdict(kernel: Kernel, context: Context, scheme: Scheme, site: Site, dynamic: int, options: Options) -> Verdict:
    grid = site.values["gridDim.x"] * site.values["gridDim.y"] * site.values["gridDim.z"]
    plain = held_by(kernel, context, scheme, site, dynamic, 1)
    if plain is None:
        return Verdict(site, dynamic, Held(1, 0, 0), Choice(1, pipe=False, gain=1.0))
    divided = scheme.division is not None
    form = FORMS.get(options.form, 15)
    mask = form >> 2 if divided else form & 3
    factors = [options.factor] if options.factor else [2**n for n in range(1, 5) if 2**n <= largest(options)]
    own = own_barriers(kernel, known_shapes(context), options)
    pipes = longest_pipe(own, order_of(kernel, scheme.use.regions))
    choice = choose(
        phases_of(scheme, context, site),
        grid,
        context.arch.sms,
        site.shape.warps,
        lambda factor: held_by(kernel, context, scheme, site, dynamic, factor, barriers_of(own)),
        factors=factors,
        longest=(15 * (mask & 1), pipes * (mask >> 1)),
        safe=not options.factor and options.margin > 0,
    )
    return Verdict(site, dynamic, plain, choice, divided and choice.factor > 1)


def held_by(
    kernel: Kernel, context: Context, scheme: Scheme, site: Site, dynamic: int, factor: int, barriers: int = 1
) -> Held | None:
    """What an SM holds with this factor (1: the original) and so many barriers; None where it cannot run so."""
    static = context.resources.static_shared_bytes
    static = (kernel.static_shared_bytes or 0) if static is None else static
    limits = context.arch.limits
    registers = context.resources.registers
    if registers is None:  # so many that they do not stand in the way: the launch decides with the true number
        registers = limits.registers_per_sm // limits.threads_per_sm
    grid = site.values["gridDim.x"] * site.values["gridDim.y"] * site.values["gridDim.z"]
    threads = site.shape.threads if factor == 1 else site.shape.warps * 32 * factor
    if threads > limits.threads_per_block:
        return None
    if factor > 1 and scheme.own_bytes:
        static, dynamic = scheme.common_bytes, aligned(dynamic) + factor * scheme.own_bytes
    static += TURN if factor > 1 else 0
    use = BlockUse(threads, registers, static, dynamic, -(-grid // factor), barriers if factor > 1 else 1)
    one = occupancy(context.arch, use, largest_l1=factor > 1)  # the guard asks for the smallest configuration
    return Held(factor, one.resident_blocks, one.l1_bytes) if one.resident_blocks else None
