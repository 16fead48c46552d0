"""Dividing a block's shared memory: what every block of several has of its own, and what they take turns on.

CO-VTB (Yang et al., PACT 2012, section 4.3), by the compiler. A division gives whole arrays, or the leading rows of
one, to every block; an access that provably stays there needs no turn. All facts come from index ranges:
`shared_points` enumerates which bytes all threads of a block touch, and rows begin where a defining
loop's iterations do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.shared_columns import column_phase, terms_of, used_bytes, whole_rows
from gpuopt_driver.analysis.shared_points import NOT_KNOWN, Points, at_thread, is_shared, size_of
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.compiled import function_of
from gpuopt_driver.frontend.expr import Const, evaluate, symbols
from gpuopt_driver.frontend.model import Access, Array, Kernel, Space, StmtKind
from gpuopt_driver.source.text import SourceFile

ALIGNED = 16  # bytes that every block's own part is a multiple of
_MOST_ARRAYS = 4  # subsets of more are not tried
_PLACES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
_INNER = re.compile(r"[\w\s.+\-%/&()]+")
_PLAIN = re.compile(r"\s*(?:const\s+|volatile\s+)*__shared__\b[^{}()#?\"]*;?\s*")


@dataclass(frozen=True, slots=True)
class Declared:
    """A shared array (or variable) that a declaration in the kernel's own body makes; `rows` of `row_bytes` each.

    `cuttable`: every mention of it is an access by full subscripts whose inner ones stay in their row. `used`: all that
    accesses can touch lies in so many first bytes. `phase`: accesses that stay in their own thread's column before
    others touch it (`shared_columns`), in blocks of so many `threads`.
    """

    array: Array
    stmt: int
    size: int
    rows: int
    row_bytes: int
    cuttable: bool
    used: int = 0
    phase: tuple[Access, ...] = ()
    threads: int = 0

    @property
    def held(self) -> int:
        """The bytes that accesses can touch, in whole rows."""
        return -(-(self.used or self.size) // self.row_bytes) * self.row_bytes


@dataclass(frozen=True, slots=True)
class Division:
    """Each block's own: the arrays `whole`, and rows 0 to `rows` of the array `cut`; `own_bytes` in all (aligned).

    `kept`: accesses that go to registers where they are not to own rows: each thread holds its one element of the rest,
    `kept_bytes` in all.
    """

    whole: tuple[str, ...]
    cut: str
    rows: int
    row_bytes: int
    own_bytes: int
    kept: tuple[Access, ...] = ()
    kept_bytes: int = 0


def declared_arrays(kernel: Kernel, source: SourceFile, shapes: Sequence[Shape]) -> tuple[Declared, ...]:
    """The arrays that may be divided: declared once, in plain words, in a kernel that is no template."""
    if kernel.template_head or re.search(rb"\[\s*=\s*[\],]", source.data[kernel.body.start : kernel.body.end]):
        return ()  # a lambda that copies what it names would copy an array
    found: list[Declared] = []
    arrays = {access.array.name: access.array for access in kernel.accesses if is_shared(access)}
    for variable in kernel.variables:
        array = arrays.get(variable.name)
        if variable.space is not Space.SHARED or array is None or array.dynamic or variable.is_static:
            continue
        stmt = kernel.stmt(variable.stmt)
        text = source.data[stmt.span.start : stmt.span.end].decode("utf-8", "replace")
        again = sum(other.name == variable.name for other in kernel.variables)
        if stmt.kind is not StmtKind.DECL or stmt.span.file != source.path or again > 1:
            continue
        mates = [one.name for one in kernel.variables if one.stmt == variable.stmt]
        once = all(len(re.findall(rf"\b{re.escape(name)}\b", text)) == 1 for name in mates)
        size = array.element_bytes if not array.extents else size_of(_any(kernel, array))
        if not _PLAIN.fullmatch(text) or not once or size is None or "*" in variable.type:
            continue
        rows = evaluate(array.extents[0], {}) if array.extents else 1
        if rows is None or size % rows:
            continue
        cuttable = rows > 1 and bool(shapes) and _is_cuttable(kernel, source, array, size // rows, shapes)
        used = used_bytes(kernel, array, size, shapes) if cuttable else size
        phase = column_phase(kernel, source, array, shapes) if cuttable else ()
        threads = shapes[0].threads if phase else 0
        found.append(Declared(array, stmt.id, size, rows, size // rows, cuttable, used, phase, threads))
    return tuple(found)


def _any(kernel: Kernel, array: Array) -> Access:
    return next(access for access in kernel.accesses if access.array == array)


def _is_cuttable(kernel: Kernel, source: SourceFile, array: Array, row_bytes: int, shapes: Sequence[Shape]) -> bool:
    """Whether rows may lie in different places: nothing but full subscripts, none leaves its row."""
    mine = [access for access in kernel.accesses if access.array.name == array.name and is_shared(access)]
    spans = {(access.span.start, access.span.end) for access in mine}
    body = source.data[kernel.body.start : kernel.body.end]
    mentions = len(re.findall(rb"\b%s\b" % re.escape(array.name.encode()), body)) - 1  # but for its declaration
    if mentions != len(spans) or any(access.via or access.span.file != source.path for access in mine):
        return False
    for access in mine:
        groups = subscripts(access.text, array.name)
        if len(groups) != len(array.extents) or not access.span.editable:
            return False
        if not all(_is_of_place(kernel, source, group) for group in groups[1:]):
            return False
        if len(groups) > 1 and not all(_stays(access, array, groups, row_bytes, shape) for shape in shapes):
            return False
    return True


def subscripts(text: str, name: str) -> list[str]:
    """The texts between the brackets behind a name; none where something else stands there."""
    rest = text[len(name) :].lstrip() if text.startswith(name) else ""
    found: list[str] = []
    while rest.startswith("["):
        depth = end = 0
        for end, letter in enumerate(rest):  # noqa: B007 - the end is looked at behind the loop
            depth += (letter == "[") - (letter == "]")
            if depth == 0:
                break
        found.append(rest[1:end].strip())
        rest = rest[end + 1 :].lstrip()
    return found


def _stays(access: Access, array: Array, groups: Sequence[str], row_bytes: int, shape: Shape) -> bool:
    """Whether the inner subscripts stay in a row: what is left of the offset without whole rows does, for all threads.

    They are made of constants and places in the block, so whole rows can only be the first subscript's.
    """
    if access.offset is None:
        return False
    terms = terms_of(access.offset)
    literal = {group: evaluate(extent, {}) for group, extent in zip(groups[1:], array.extents[1:], strict=True)}
    far = any(isinstance(term, Const) and not 0 <= term.value < row_bytes for term in terms)
    for group, extent in literal.items():
        inside = group.isdigit() and extent is not None and int(group) < extent
        if re.search(r"\d", group) and not inside and far:
            return False  # the constant may be whole rows that an inner subscript adds
    try:
        values = [function_of(term) for term in terms if not whole_rows(term, row_bytes)]
        for thread in range(shape.threads):
            point = at_thread(shape, thread)
            if not 0 <= sum(value(point) for value in values) <= row_bytes - access.bytes:
                return False
    except NOT_KNOWN:
        return False
    return True


def _is_of_place(kernel: Kernel, source: SourceFile, text: str) -> bool:
    """Whether a subscript is made of literals and the thread's index, with nothing that multiplies."""
    if not _INNER.fullmatch(text):
        return False
    for name in re.findall(r"[A-Za-z_]\w*(?:\.[xyz])?", text):
        if name in _PLACES:
            continue
        made = [one for one in kernel.variables if one.name == name]
        if len(made) != 1 or len(made[0].definitions) != 1:
            return False
        span = kernel.stmt(made[0].stmt).span
        if not re.search(rb"\b%s\s*=\s*threadIdx\.[xyz]\s*[,;]" % name.encode(), source.data[span.start : span.end]):
            return False
    return True


def divisions(kernel: Kernel, found: Sequence[Declared], room: Callable[[int], Sequence[int]]) -> Iterator[Division]:
    """The divisions to look at. `room`: bytes of an own part that an SM would have room for, by the numbers resident,
    where so many of the bytes that are declared are not needed.

    Whole arrays in every combination that leaves something to take turns on; and for every array that may be cut, of
    its rows as many as there is room for, and the usual fractions. Arrays that nothing reads hold nothing.
    """
    names = dict.fromkeys(access.array.name for access in kernel.accesses if is_shared(access))
    live = {access.array.name for access in kernel.accesses if access.is_read and is_shared(access)}
    found = [one for one in found if one.array.name in live]
    few = sorted(found, key=lambda one: one.size)[:_MOST_ARRAYS]
    for count in range(1, len(few) + 1):
        for chosen in combinations(few, count):
            if count < len(names):
                size = sum(aligned(one.size) for one in chosen)
                yield Division(tuple(one.array.name for one in chosen), "", 0, 0, size)
    for one in found:
        if one.cuttable:
            wished = {min(bytes_, one.size) // one.row_bytes for bytes_ in room(one.size - one.held)}
            wished |= {one.rows * part // 12 for part in (3, 4, 6, 8, 9)}
            begun = {rows // _step(kernel, one) * _step(kernel, one) for rows in wished}
            kept = one.threads * one.array.element_bytes  # one element of every thread
            rest = one.held - kept
            if one.phase and rest > 0 and rest % one.row_bytes == 0:
                yield Division((), one.array.name, rest // one.row_bytes, one.row_bytes, aligned(rest), one.phase, kept)
            for rows in sorted(begun):
                if 0 < rows < one.held // one.row_bytes:
                    yield Division((), one.array.name, rows, one.row_bytes, aligned(rows * one.row_bytes))


def _step(kernel: Kernel, one: Declared) -> int:
    """Rows that one iteration of a loop that defines the array is about: cuts between iterations split the loop."""
    for access in kernel.accesses:
        if access.array.name != one.array.name or not access.is_write or access.offset is None or not access.loops:
            continue
        loop = kernel.loop_of(access.loops[-1])
        step = evaluate(loop.step, {}) if loop is not None and loop.step is not None else None
        for term in terms_of(access.offset):
            if loop is not None and step and [symbol.name for symbol in symbols(term)] == [loop.symbol]:
                value = function_of(term)({loop.symbol: step}) - function_of(term)({loop.symbol: 0})
                return max(1, abs(value) // one.row_bytes)
    return 1


def aligned(size: int) -> int:
    """The bytes that an own part of this size takes."""
    return -(-size // ALIGNED) * ALIGNED


def own_access(kernel: Kernel, division: Division, shapes: Sequence[Shape]) -> Callable[[Access], bool]:
    """Whether an access provably stays in what every block has of its own."""
    every = [Points(kernel, shape) for shape in shapes]
    limit = division.rows * division.row_bytes

    def own(access: Access) -> bool:
        if not is_shared(access) or access.array.dynamic:
            return False
        if access.array.name in division.whole:
            return True
        if access in division.kept:
            return True
        if access.array.name != division.cut or not every:
            return False
        for points in every:
            touched = points.read(access, 0)
            if touched is None or any(not 0 <= point <= limit - access.bytes for point in touched):
                return False
        return True

    return own
