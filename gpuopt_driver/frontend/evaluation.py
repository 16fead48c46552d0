"""What evaluating an expression of a kernel may read and write, and whether it has side effects.

A kernel carries one `Effect` for every mention of a variable, every access through a pointer and every call in its own
body, at its place in the text (a macro's at the macro's use). `evaluation` collects those of a range of bytes: of an
expression, a statement, a loop's header. Whatever is not seen through is `unknown`, with the reason, and unknown means:
leave it where it is. Two evaluations may change places where they `commute`.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Effect, Kernel, Place, Space

_MEMORY = frozenset({Space.GLOBAL, Space.TEXTURE, Space.CONSTANT})  # of one address space: views of the same bytes


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What evaluating something may read and write; `unknown`: why that is not all, "" where it is."""

    reads: frozenset[Place] = frozenset()
    writes: frozenset[Place] = frozenset()
    unknown: str = ""

    @property
    def has_side_effects(self) -> bool:
        """Whether anything is changed, or may be."""
        return bool(self.unknown or self.writes)

    def __or__(self, other: Evaluation) -> Evaluation:
        """Both evaluations together."""
        return Evaluation(self.reads | other.reads, self.writes | other.writes, self.unknown or other.unknown)

    def without(self, *spaces: Space) -> Evaluation:
        """The same but for what is in these spaces: memory of which the caller knows more."""
        reads, writes = (
            frozenset(one for one in some if one.space not in spaces) for some in (self.reads, self.writes)
        )
        return Evaluation(reads, writes, self.unknown)

    def outside(self, start: int, end: int) -> Evaluation:
        """The same but for variables that are declared between two bytes of the kernel's file."""
        reads, writes = (
            frozenset(one for one in some if one.space is not Space.LOCAL or not start <= one.declared < end)
            for some in (self.reads, self.writes)
        )
        return Evaluation(reads, writes, self.unknown)

    def obstacle(self, other: Evaluation) -> str:
        """Why the two may not change places, or which of them is evaluated first matters; "" where they commute."""
        if self.unknown or other.unknown:
            return self.unknown or other.unknown
        for changed, seen in ((self.writes, other.reads | other.writes), (other.writes, self.reads)):
            for one in sorted(changed, key=_order):
                if any(overlap(one, two) for two in seen):
                    return f"{one.text} is changed by one and used by the other"
        return ""

    def commutes(self, other: Evaluation) -> bool:
        """Whether the order of the two makes no difference."""
        return not self.obstacle(other)


NOTHING = Evaluation()


def evaluation(kernel: Kernel, start: int, end: int) -> Evaluation:
    """What evaluating the kernel's text between two bytes of its file may read and write."""
    return _together(one for one in kernel.effects if one.start < end and start < one.end)


def _together(effects: Iterable[Effect]) -> Evaluation:
    reads: set[Place] = set()
    writes: set[Place] = set()
    unknown = ""
    for one in effects:
        if one.place is None:
            unknown = unknown or one.unknown
        else:
            (writes if one.is_write else reads).add(one.place)
    return Evaluation(frozenset(reads), frozenset(writes), unknown)


def overlap(one: Place, other: Place) -> bool:
    """Whether two places may have bytes in common."""
    if one.space is Space.LOCAL and other.space is Space.LOCAL:
        some = not one.name or not other.name  # a variable whose address is known, whichever
        return one.exposed and other.exposed if some else (one.name, one.declared) == (other.name, other.declared)
    if Space.LOCAL in (one.space, other.space):
        local, memory = (one, other) if one.space is Space.LOCAL else (other, one)
        return memory.space is Space.UNKNOWN and local.exposed
    if Space.UNKNOWN in (one.space, other.space):
        return True
    return one.space is other.space or {one.space, other.space} <= _MEMORY


def _order(place: Place) -> tuple[str, str, int]:
    return place.space.value, place.name, place.declared
