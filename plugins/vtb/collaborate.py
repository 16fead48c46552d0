"""CO-VTB: which part of shared memory is every virtual block's own, by index ranges and the SM's capacity.

Yang et al., PACT 2012, section 4.3. Every division that index ranges allow (`shared_division`) has regions of its own,
as accesses that stay in own memory need no turn; the decision's model says which one pays, and whether any does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from gpuopt_driver.api import (
    Access,
    Context,
    Declared,
    Division,
    Kernel,
    Latencies,
    Shape,
    SharedUse,
    Space,
    dataclass,
    declared_arrays,
    divisions,
    own_access,
    own_iterations,
    rows_before,
    split_cost,
)

from .columns import in_two, is_put_back
from .decide import Held, cycles
from .guard import FORMS, is_writable, largest
from .options import Options
from .reuse import reused
from .rewrite import crosses_macro
from .scheme import Scheme
from .survey import TURN, Facts, Verdict, held_by, known_shapes, phases_of, scheme_of, verdicts

_MOST = 16  # divisions that are looked at
_BETTER = 1.05  # what CO-VTB must win over VTB
_CHOICE = 3  # operators of `divided::operator[]` (support_device.py): which part a row is in, and where there
_SIDE = 1  # the same of `column` (there): a comparison, the register or the own row follow at once
_RESIDENT = (1, 2, 3, 4, 6, 8)  # launched blocks of an SM for which an own part is tried


@dataclass(frozen=True, slots=True)
class Considered:
    """The best division that was found (None: none), what is predicted for it, whether it is made, and why (not)."""

    scheme: Scheme | None = None
    told: tuple[Verdict, ...] = ()
    chosen: bool = False
    reason: str = ""


def collaborate(
    kernel: Kernel, context: Context, facts: Facts, plain: list[Verdict], options: Options, *, alone: bool = False
) -> Considered:
    """The best scheme with memory of virtual blocks' own and what is predicted for it. `alone`: VTB is not possible."""
    forced = not FORMS.get(options.form, 15) & 3
    if not FORMS.get(options.form, 15) & 12 or not plain:
        return Considered(reason="the policy asks for another form" if plain else "no launch is known")
    best_plain = 1.0 if alone else max(one.choice.gain for one in plain)
    bound = max(_bound(context, facts, one) for one in plain)
    if not forced and bound < options.margin:
        return Considered(reason=f"if turns cost nothing and took no L1, {bound:.2f} would be won at most")
    source, shapes = context.unit.files[kernel.span.file], known_shapes(context)
    declared = declared_arrays(kernel, source, shapes)
    static = kernel.static_shared_bytes or 0

    def room(unused: int) -> tuple[int, ...]:
        return _room(context, static - unused, options)

    found: tuple[float, Scheme, list[Verdict]] | None = None
    base = least = _turns(context, facts.scheme, plain)
    for number, division in enumerate(divisions(kernel, declared, room)):
        if number >= _MOST:
            break
        common = _common(static, division, declared)
        spare = _spare(kernel, context, replace(facts.scheme, division=division, common_bytes=common), plain, options)
        scheme = divided(kernel, context, shapes, division, spare)
        if scheme.use.problem or crosses_macro(kernel, scheme.use.regions) or not is_writable(scheme.split):
            continue
        if division.kept and scheme.reused is None and not is_put_back(kernel, scheme.use.regions, division):
            continue
        turns = _turns(context, scheme, plain)
        if not alone and turns >= base:
            continue
        common = max(0, common - division.kept_bytes) if scheme.reused is not None else common
        scheme = replace(scheme, declared=declared, common_bytes=common)
        told = verdicts(kernel, context, scheme, options)
        if not (alone or _holds_more(kernel, context, scheme, told)) or not (forced or alone or _pays(told, plain)):
            continue
        gain = max(one.choice.gain if one.choice.factor > 1 else 0.0 for one in told)
        if gain > 0 and (found is None or gain > found[0] * 1.001 or (gain >= found[0] and turns < least)):
            found, least = (gain, scheme, told), turns
    if found is None:
        return Considered(reason="no part of shared memory that could be a virtual block's own makes its turns shorter")
    needed = max(options.margin, best_plain * _BETTER)
    if not (forced or options.margin == 0 or found[0] >= needed):
        best = max((one.choice for one in found[2]), key=lambda one: one.gain)
        reason = (
            f"CO-VTB({best.factor}) is predicted to gain {found[0]:.2f}, VTB {best_plain:.2f}: {needed:.2f} is needed"
        )
        return Considered(found[1], tuple(found[2]), False, reason)
    return Considered(found[1], tuple(found[2]), True, f"gain {found[0]:.2f}, VTB {best_plain:.2f}")


def _pays(told: Sequence[Verdict], plain: Sequence[Verdict]) -> bool:
    """Whether a division is predicted to beat VTB with as many blocks in one, in the same form, at some launch."""
    for one, other in zip(told, plain, strict=True):
        whole = {(tried.factor, tried.pipe): tried.gain for tried in other.choice.tried}
        for tried in one.choice.tried:
            if tried.gain >= _BETTER * whole.get((tried.factor, tried.pipe), 0.0):
                return True
    return False


def _holds_more(kernel: Kernel, context: Context, scheme: Scheme, told: Sequence[Verdict]) -> bool:
    """Whether more of the program's blocks are resident at some launch than before: there is memory left to use."""
    for one in told:
        for tried in one.choice.tried:
            held = held_by(kernel, context, scheme, one.site, one.dynamic, tried.factor)
            if held is not None and tried.factor * held.blocks > one.plain.blocks:
                return True
    return False


def _spare(kernel: Kernel, context: Context, scheme: Scheme, plain: Sequence[Verdict], options: Options) -> int:
    """Registers of a thread that are left where shared memory limits what is resident, with any factor that may be."""
    limits = context.arch.limits
    needed = context.resources.registers or limits.registers_per_sm // limits.threads_per_sm
    factors = [options.factor] if options.factor else range(2, largest(options) + 1)
    resident = 1
    for one in plain:
        for factor in factors:
            held = held_by(kernel, context, scheme, one.site, one.dynamic, factor)
            resident = max(resident, factor * held.blocks * one.site.shape.warps * 32 if held is not None else 0)
    return max(0, min(limits.registers_per_thread, limits.registers_per_sm // resident) - needed)


def divided(kernel: Kernel, context: Context, shapes: Sequence[Shape], division: Division, spare: int = 0) -> Scheme:
    """The scheme of one division: its regions are about what is left to take turns on.

    `spare`: registers of a thread that nothing else needs.
    """
    own = cache(own_access(kernel, division, shapes))
    before = cache(lambda access: rows_before(kernel, division, access, shapes))
    source = context.unit.files[kernel.span.file]
    opens = cache(lambda stmt: own_iterations(kernel, division, stmt, shapes))

    def more(access: Access) -> int:
        """An access to the array that is cut asks where its row is, unless that is known in the version's text."""
        if access in division.kept:
            return 0 if in_two(kernel, source, access, before(access) or 0) is not None else _SIDE
        is_cut = access.array.name == division.cut and access.array.space is Space.SHARED
        return _CHOICE if is_cut and not own(access) and not before(access) else 0

    scheme = scheme_of(kernel, context, shapes, own, lambda access: before(access) or 0, more, spare, opens)
    scheme = replace(scheme, division=division)
    loop = reused(kernel, source, scheme, shapes)
    if loop is None:
        return scheme
    inside = {inner.id for inner in kernel.descendants(loop.stmt)}

    def less(access: Access) -> int:
        return 0 if access.stmt in inside and not loop.asks else more(access)

    whole = split_cost(kernel, source, (), Latencies.of(context.arch), more=less)
    return replace(scheme, use=SharedUse(), split=whole, reused=loop)


def _common(static: int, division: Division, declared: Sequence[Declared]) -> int:
    """The static bytes that stay for turns."""
    whole = sum(one.size for one in declared if one.array.name in division.whole)
    unused = sum(one.size - one.held for one in declared if one.array.name == division.cut)
    return max(0, static - whole - unused - division.rows * division.row_bytes)


def _room(context: Context, static: int, options: Options) -> tuple[int, ...]:
    """Own bytes for which so many launched blocks of so many virtual ones fill an SM's shared memory."""
    shared = context.arch.shared
    capacity = max(shared.configurations)
    rooms = {
        (capacity // blocks - shared.reserved_per_block - static - TURN) // (factor - 1)
        for blocks in _RESIDENT
        for factor in (2, 4, 8)
        if factor <= largest(options)
    }
    return tuple(sorted(room for room in rooms if room > 0))


def _turns(context: Context, scheme: Scheme, plain: Sequence[Verdict]) -> float:
    """Cycles in regions, at the launch where they are most."""
    return max(phases_of(scheme, context, one.site).inside for one in plain)


def _bound(context: Context, facts: Facts, one: Verdict) -> float:
    """The gain if turns cost nothing, no L1 were lost, and only threads limited what is resident."""
    p = phases_of(facts.scheme, context, one.site)
    blocks = one.site.values["gridDim.x"] * one.site.values["gridDim.y"] * one.site.values["gridDim.z"]
    warps, arch = one.site.shape.warps, context.arch
    free = replace(p, outside=p.outside + p.inside, inside=0.0, entries=0.0)
    many = Held(2, max(1, arch.limits.threads_per_sm // (64 * warps)), arch.l1.capacity)
    ideal = cycles(free, blocks, arch.sms, many, warps, pipe=False)
    return cycles(p, blocks, arch.sms, one.plain, warps, pipe=False) / ideal if ideal else 0.0
