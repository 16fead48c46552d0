"""What the source alone says of a kernel's loads: which may go past L1, and the paper's metrics by the model."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Context, Kernel, LoopLoad, LoopLoads, dataclass, expr, l1_reuse, loop_loads

from .metrics import Load, Metrics
from .place import refuse_load


@dataclass(frozen=True, slots=True)
class Loads:
    """A loop's loads with why each stays in L1 ("": it may go past), and which can be rewritten at all."""

    made: LoopLoads
    reasons: tuple[str, ...]
    legal: tuple[bool, ...]


def survey(kernel: Kernel, context: Context) -> tuple[Loads, ...]:
    """The loops that make loads of their own, in source order."""
    return tuple(_judged(kernel, item) for item in loop_loads.loop_loads(kernel, context.unit.files[kernel.span.file]))


def _judged(kernel: Kernel, item: LoopLoads) -> Loads:
    arrays = [one.reference.array for one in item.loads]
    refused = [_refusal(kernel, one) for one in item.loads]
    reasons = [
        reason
        or _stays(kernel, item, one)
        or ("its array is read in another way too" if arrays.count(array) > 1 else "")
        for one, array, reason in zip(item.loads, arrays, refused, strict=True)
    ]
    return Loads(item, tuple(reasons), tuple(not reason for reason in refused))


def _refusal(kernel: Kernel, load: LoopLoad) -> str:
    return next((reason for access in load.accesses if (reason := refuse_load(kernel, access))), "")


def _stays(kernel: Kernel, item: LoopLoads, load: LoopLoad) -> str:
    """Why a load is not a candidate: that L1 may serve it later cannot be ruled out."""
    reference = load.reference
    if reference.offset is None or reference.step is None:
        return "its address depends on data"
    if not reference.of_block:
        return "all blocks read the same"
    around = item.loop
    while around.parent is not None:
        outer = kernel.loop_of(around.parent)
        if outer is None:
            return "the loops around it are not modelled"
        around = outer
        names = {symbol.name for access in load.accesses for symbol in expr.symbols(access.offset or expr.ZERO)}
        if around.symbol not in names:
            return "a loop around its loop reads the same again"
    return ""


def streams(item: Loads, counted: loop_loads.Counted) -> frozenset[int]:
    """The loads that may go past L1 at a launch: read once each, and no line by two warps.

    That a load which finds its lines again may be better off past L1 is for a profile to say: on an H200 a walk of two
    matrices with one of them bypassed was between 0.65 and 1.2 times as fast.
    """
    once = (index for index in counted.alone if counted.terms[index].visits == 1)
    return frozenset(index for index in once if not item.reasons[index])


def metrics(loops: Sequence[Loads], counted: Sequence[loop_loads.Counted], cache: l1_reuse.Cache) -> Metrics:
    """The paper's metrics of all loads as the model predicts them; accesses and hits in units of what a miss brings."""
    loads: list[Load] = []
    together: dict[tuple[int, int], float] = {}
    for item, found in zip(loops, counted, strict=True):
        first = len(loads)
        accesses = [float(term.asked * found.trips) for term in found.terms]
        hits = [accesses[at] - _missed(found, {at}, cache) for at in range(len(found.terms))]
        for at, (one, term) in enumerate(zip(item.made.loads, found.terms, strict=True)):
            reference = one.reference
            loads.append(
                Load(
                    index=first + at,
                    text=reference.text,
                    line=reference.line,
                    column=one.accesses[0].span.column,
                    access=accesses[at],
                    hit=hits[at],
                    efficiency_on=term.useful / (term.asked * cache.fetch),
                    efficiency_off=term.useful / (term.past * cache.past),
                )
            )
            for other in range(at):
                pair = accesses[other] + accesses[at] - _missed(found, {other, at}, cache)
                if abs(pair - hits[other] - hits[at]) > 0.5:
                    together[first + other, first + at] = pair
    return Metrics("static", tuple(loads), cache.line, cache.fetch, together)


def _missed(found: loop_loads.Counted, cached: set[int], cache: l1_reuse.Cache) -> float:
    survives = cache.survives(sum(found.terms[at].lines for at in cached) * cache.line)
    return sum(found.terms[at].misses(survives) for at in cached) * found.trips


def total(counted: Sequence[loop_loads.Counted], cached: frozenset[int], cache: l1_reuse.Cache) -> float:
    """Bytes from L2 of a whole kernel when the loads with these numbers are cached."""
    bytes_, first = 0.0, 0
    for found in counted:
        mine = frozenset(index - first for index in cached if first <= index < first + len(found.terms))
        bytes_ += l1_reuse.traffic(found.terms, mine, cache) * found.trips
        first += len(found.terms)
    return bytes_
