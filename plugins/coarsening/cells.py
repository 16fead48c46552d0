"""Which elements neighbouring threads may load and store at once, and what must hold for that.

A thread that does the work of some neighbours loads their elements before the work of the first one and stores them
behind that of the last one. The neighbours are different threads of the program, whose accesses have no order among
each other; what counts is that of each one alone. So an element's load may not pass a store of the same thread that can
mean it, nor its store another access.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from gpuopt_driver.api import (
    Access,
    Aligned,
    Array,
    Const,
    Counted,
    Disjoint,
    Expr,
    Extent,
    IndexLimit,
    Kernel,
    Op,
    SourceFile,
    Space,
    StmtKind,
    Unit,
    Unwritable,
    beside_thread,
    counted_number,
    dataclass,
    extent,
    is_multiple,
    reaching,
)

LANES = 4  # neighbours whose work a thread does
VECTOR_BYTES = 16  # what a thread loads at once
_SCALARS = re.compile(r"((un)?signed )?(char|short|int|long|long long)|float|double|bool")
_PLAIN = frozenset({StmtKind.EXPR, StmtKind.DECL, StmtKind.IF})
_PERHAPS = re.compile(rb"\?|&&|\|\||\{|\b(and|or)\b")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_ASSIGNS = re.compile(rb"\s*(<<|>>|[-+*/%&|^])?=(?!=)")


@dataclass(frozen=True, slots=True)
class Cell:
    """Elements of one array, threadIdx.x + `beside`: where they are named, when a thread has them."""

    array: Array
    beside: Expr
    accesses: tuple[Access, ...]
    limits: tuple[IndexLimit, ...]
    facts: tuple[Disjoint | Counted, ...]

    @property
    def is_aligned(self) -> bool:
        """Whether they are aligned where the array is; else each thread has to look."""
        return is_multiple(self.beside, LANES)

    @property
    def loads(self) -> bool:
        """Whether anything reads the elements."""
        return any(one.is_read for one in self.accesses)

    @property
    def stores(self) -> bool:
        """Whether anything writes the elements."""
        return any(one.is_write for one in self.accesses)


def found(kernel: Kernel, unit: Unit) -> tuple[Cell, ...]:
    """The elements that neighbours may have together."""
    source = unit.files[kernel.span.file]
    candidates: dict[tuple[str, Expr], list[Access]] = {}
    for access in kernel.accesses:
        beside = _beside(kernel, access)
        if beside is not None and _constant(beside) % LANES == 0:  # else not aligned beside the others
            candidates.setdefault((access.array.name, beside), []).append(access)
    hiding = _hiding(unit) if candidates else frozenset()
    extents = _Extents(kernel)
    made: list[Cell] = []
    for (name, beside), accesses in candidates.items():
        if _is_named(kernel, source, name, accesses):
            made += _cell(kernel, source, hiding, extents, beside, accesses)
    return tuple(made)


def limits(cells: Iterable[Cell]) -> tuple[IndexLimit, ...]:
    """What holds where all neighbours have all of the elements."""
    return tuple(dict.fromkeys(limit for cell in cells for limit in cell.limits))


def facts(cells: Sequence[Cell]) -> tuple[Disjoint | Aligned | Counted, ...]:
    """What a launch must show."""
    aligned = dict.fromkeys(Aligned(cell.array.name, VECTOR_BYTES) for cell in cells if cell.is_aligned)
    return (*aligned, *dict.fromkeys(fact for cell in cells for fact in cell.facts))


def _hiding(unit: Unit) -> frozenset[bytes]:
    """The macros that may hide under which conditions something is evaluated."""
    return frozenset[bytes]().union(*(_hiding_in(file.data) for file in unit.files.values()))


@functools.lru_cache(maxsize=1 << 10)
def _hiding_in(text: bytes) -> frozenset[bytes]:
    return frozenset(match.group(1) for match in _DEFINED.finditer(text) if _PERHAPS.search(match.group(2)))


def _beside(kernel: Kernel, access: Access) -> Expr | None:
    """How far from the element of the thread's index an access is; None where that is not so, or it must stay."""
    array = access.array
    is_plain = (
        array.is_param and array.space is Space.GLOBAL and _SCALARS.fullmatch(array.element.removeprefix("const "))
    )
    if not is_plain or access.is_atomic or access.is_volatile or array.volatile or access.via or access.offset is None:
        return None
    if access.bytes != array.element_bytes or not any(param.name == array.name for param in kernel.params):
        return None
    return beside_thread(access.offset, access.bytes)


def _constant(value: Expr) -> int:
    """The constant part of a sum."""
    parts = value.args if isinstance(value, Op) and value.op == "+" else (value,)
    return sum(part.value for part in parts if isinstance(part, Const))


def _is_named(kernel: Kernel, source: SourceFile, name: str, accesses: Sequence[Access]) -> bool:
    """Whether accesses begin with the parameter's name as written, which keeps its value, and mean one element each."""
    for effect in kernel.effects:
        if effect.place is not None and effect.place.name == name and (effect.is_write or effect.place.exposed):
            return False
    starts = {one.span.start for one in accesses}
    if any(
        one.span.start in starts and one.span.file == source.path and one not in accesses for one in kernel.accesses
    ):
        return False
    return all(
        one.span.editable
        and one.span.file == source.path
        and _is_element(source.data[one.span.start : one.span.end], name.encode())
        for one in accesses
    )


def _is_element(text: bytes, name: bytes) -> bool:
    """Whether a text is a name with one subscript, `x[i]`."""
    inside = text.removeprefix(name).strip()
    if not text.startswith(name) or not inside.startswith(b"["):
        return False
    depth = 0
    for at, byte in enumerate(inside):
        depth += (byte == ord("[")) - (byte == ord("]"))
        if depth == 0:
            return at == len(inside) - 1
    return False


class _Extents:
    """Where the accesses of each array go, worked out once: every cell asks about all others."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._known: dict[str, Extent | Unwritable] = {}

    def of(self, name: str) -> Extent:
        """Where all accesses of an array go. Unwritable where nobody can say."""
        known = self._known.get(name)
        if known is None:
            try:
                known = extent(self._kernel, [one for one in self._kernel.accesses if one.array.name == name])
            except Unwritable as error:
                known = error
            self._known[name] = known
        if isinstance(known, Unwritable):
            raise known
        return known


def _cell(
    kernel: Kernel,
    source: SourceFile,
    hiding: frozenset[bytes],
    extents: _Extents,
    beside: Expr,
    accesses: Sequence[Access],
) -> Iterator[Cell]:
    stored = [one for one in accesses if one.is_write]
    anchors = [_certain(kernel, source, hiding, one) for one in stored or accesses]
    certain = [limits for limits in anchors if limits is not None]
    if not certain:
        return
    array, anchor = accesses[0].array, min(certain, key=len)
    try:
        facts = dict.fromkeys(_counted(kernel, accesses[0], anchor))
        facts.update(dict.fromkeys(_disjoint(kernel, source, extents, accesses)))
    except Unwritable:
        return
    yield Cell(array, beside, tuple(accesses), anchor, tuple(facts))


def _counted(kernel: Kernel, access: Access, anchor: Iterable[IndexLimit]) -> Iterator[Disjoint | Counted]:
    """That limits and places are the numbers that 64 bits make of them."""
    for limit in anchor:
        yield from (counted_number(kernel, side) for side in limit.sides)
    if access.offset is not None:
        yield counted_number(kernel, Op("/", (access.offset, Const(access.bytes))))


def _disjoint(
    kernel: Kernel, source: SourceFile, extents: _Extents, accesses: Sequence[Access]
) -> Iterator[Disjoint | Counted]:
    """That other accesses are elsewhere, which those would pass. Unwritable where that cannot be asked for."""
    array = accesses[0].array
    mine: Extent | None = None
    elsewhere: set[str] = set()
    for other in kernel.accesses:
        if (
            other.array.name in elsewhere
            or other in accesses
            or other.array.space in (Space.SHARED, Space.LOCAL, Space.CONSTANT)
        ):
            continue
        if not _passes(kernel, source, accesses, other) or (
            array.name != other.array.name and _apart(array, other.array)
        ):
            continue
        if other.array.name == array.name or not other.array.is_param:
            raise Unwritable(other.text)
        mine = mine or extent(kernel, accesses)
        elsewhere.add(other.array.name)
        yield Disjoint(mine, extents.of(other.array.name))


def _apart(array: Array, other: Array) -> bool:
    """Whether one of two pointers is declared to be the only way to what it points to."""
    return array.restrict or other.restrict


def _certain(
    kernel: Kernel, source: SourceFile, hiding: frozenset[bytes], access: Access
) -> tuple[IndexLimit, ...] | None:
    """Under which limits a thread makes an access for certain; None where that is not known."""
    stmt = kernel.stmt(access.stmt)
    if stmt.kind not in _PLAIN:
        return None
    end = min((kernel.stmt(child).span.start for child in stmt.children), default=stmt.span.end)
    words = _WORD.findall(source.data, stmt.span.start, end)
    if _PERHAPS.search(source.data, stmt.span.start, end) or not hiding.isdisjoint(words):
        return None
    return reaching(kernel, access.stmt)


def _passes(kernel: Kernel, source: SourceFile, accesses: Iterable[Access], other: Access) -> bool:
    """Whether moving the accesses' loads to the front and their stores to the end passes another access that counts."""
    for one in accesses:
        together = bool(set(one.loops) & set(other.loops))
        in_front = other.stmt < one.stmt or (other.stmt == one.stmt and not _is_last(kernel, source, other))
        behind = other.stmt > one.stmt or (other.stmt == one.stmt and not _is_last(kernel, source, one))
        if one.is_read and other.is_write and (together or in_front):
            return True
        if one.is_write and (together or behind):
            return True
    return False


def _is_last(kernel: Kernel, source: SourceFile, access: Access) -> bool:
    """Whether an access is the target of the assignment that its statement is: written when all others are made."""
    stmt = kernel.stmt(access.stmt)
    if not access.is_write or access.via or stmt.kind is not StmtKind.EXPR or access.span.start != stmt.span.start:
        return False
    writes = [one for one in kernel.accesses if one.stmt == access.stmt and one.is_write]
    calls = any(
        site.name.file == source.path and stmt.span.start <= site.name.start < stmt.span.end
        for site in kernel.call_sites
    )
    return len(writes) == 1 and not calls and _ASSIGNS.match(source.data, access.span.end) is not None
