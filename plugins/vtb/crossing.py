"""What may be evaluated before a turn though it stands behind something that stays in the turn: what crosses what.

Each statement that is done in two parts has an early and a late one. A whole region's early parts come first, so each
of them passes the late ones of the statements before it. That is the same only where the two commute, which the
frontend tells (`evaluation`). Shared memory is left out: which accesses go there, and which of them are a virtual
block's own, is looked at access by access where statements are divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from gpuopt_driver.api import NOTHING, Evaluation, Kernel, Space, Stmt, dataclass, evaluation

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Crossing:
    """What a statement evaluates before the turn, and what in it; what is evaluated in both is in both."""

    early: Evaluation = NOTHING
    late: Evaluation = NOTHING

    def obstacle(self, earlier: Iterable[Crossing]) -> str:
        """Why the early part may not pass the late ones of the statements before it; "" where it may."""
        return next((why for one in earlier if (why := self.early.obstacle(one.late))), "")


@dataclass(frozen=True, slots=True)
class Part:
    """A statement of a loop's body, as byte ranges of what comes before the turn and in it."""

    early: tuple[Range, ...] = ()
    late: tuple[Range, ...] = ()


def together(kernel: Kernel, ranges: Iterable[Range]) -> Evaluation:
    """What these byte ranges read and write, but for shared memory."""
    return reduce(or_, (evaluation(kernel, *one) for one in ranges), NOTHING).without(Space.SHARED)


def whole(kernel: Kernel, stmt: Stmt) -> Evaluation:
    """The same of a statement."""
    return together(kernel, [(stmt.span.start, stmt.span.end)])


def store(kernel: Kernel, target: Range, value: Range, test: Range | None = None) -> Crossing | None:
    """`target = value;` (under a test that is evaluated twice) in two parts; None where that is not the same."""
    early, late = together(kernel, [value]), together(kernel, [target])
    if not early.commutes(late):
        return None
    if test is None:
        return Crossing(early, late)
    again = together(kernel, [test])
    if again.has_side_effects or not again.commutes(early | late):
        return None
    return Crossing(early | again, late | again)


def why_not(kernel: Kernel, stmt: Stmt, ends: tuple[Range, Range]) -> str:
    """Why a store in (or as) a statement is not the same in two parts, "" where that is not known."""
    target, value = ends
    early, late = together(kernel, [value]), together(kernel, [target])
    around = together(kernel, [(stmt.span.start, target[0])])  # a test, a loop's header
    own = around.outside(stmt.span.start, stmt.span.end)
    if own.has_side_effects:
        return own.unknown or f"{min(one.text for one in own.writes)} is changed by what is evaluated twice"
    return early.obstacle(late) or own.obstacle(early | late)


def header(kernel: Kernel, stmt: Stmt, body: Stmt, variable: str) -> Evaluation | None:
    """What a loop's header reads, its variable included; None where evaluating it again would change anything else."""
    found = together(kernel, [(stmt.span.start, body.span.start)])
    others = [one for one in found.writes if one.space is not Space.LOCAL or one.name != variable]
    return None if found.unknown or others else Evaluation(found.reads | found.writes)


def loop(kernel: Kernel, stmt: Stmt, body: Stmt, variable: str, parts: Sequence[Part]) -> Crossing | None:
    """A loop that is run before the turn and again in it, each time with its parts; None where that is not the same.

    In an iteration an early part passes the late ones in front of it, over iterations each passes all; variables that
    the body declares are new in every iteration.
    """
    again = header(kernel, stmt, body, variable)
    if again is None:
        return None
    made = [(together(kernel, one.early), together(kernel, one.late)) for one in parts]
    start, end = body.span.start, body.span.end
    for at, (_early, late) in enumerate(made):
        kept = any(start <= one.declared < end for one in late.writes)  # the turn has but a copy of it
        if kept or not all(late.commutes(early) for early, _late in made[at:]):
            return None
    early, late = (reduce(or_, some, NOTHING).outside(start, end) for some in zip(*made, strict=True))
    changed = Evaluation(writes=early.writes | late.writes)
    if not early.commutes(late) or not again.commutes(changed):
        return None
    both = (early | again, late | again)
    return Crossing(*(one.outside(stmt.span.start, stmt.span.end) for one in both))
