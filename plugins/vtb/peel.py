"""A loop at a region's start whose first iterations are peeled: what they load and compute runs before the turn.

Registers hold their values; in the turn they are stored, and the loop goes on behind them (VTB_pipe's loop peeling,
Yang et al., PACT 2012, section 4.2). The loop may start at the thread's index, run any number of times, have loops of
its own that touch no shared memory, and use what it loads in an expression that changes shared memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpuopt_driver.api import Access, Kernel, Loop, SourceFile, Space, Stmt, StmtKind, dataclass, expr

from .halves import LONGEST, SIMPLE, Ends

HEADER = re.compile(rb"for\s*\(\s*([\w ]+?)\s+(\w+)\s*=([^;,]+);([^;,]+);([^;,]+)\)\s*\Z")
STEP = re.compile(rb"(?:\+\+|--)\s*\w+|\w+\s*(?:\+\+|--|[-+]=[\w\s+*-]+|=[\w\s+*-]+)")
IMPURE = re.compile(rb"\+\+|--|(?<![=!<>])=(?!=)|\[|->|\w\s*\(|\*\s*\w+\s*\)|&\s*\w")
LEAVES = re.compile(rb"\b(?:return|goto|break|continue|asm|static|auto)\b|//|/\*|#|\[&?=?\]")
_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+([\w \t()]+?)[ \t]*$", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_THREADS = 1024  # of a block
_NAME = "\x01"  # the names' common beginning: what no source text has


@dataclass(frozen=True, slots=True)
class Peeled:
    """The pieces of such a loop; `early` and `late` are statements, `arrays` (type, name) hold values in between."""

    kind: str
    variable: str
    start: str
    step: int
    condition: str
    increment: str
    body: str
    first: int  # iterations that are peeled
    rest: bool  # whether there may be more
    arrays: tuple[tuple[str, str], ...]
    early: tuple[str, ...]
    late: tuple[str, ...]
    declared: frozenset[str] = frozenset()  # of the body's own, which nothing in it mentions before

    @property
    def words(self) -> frozenset[str]:
        """The names from outside in what runs before the turn."""
        header = frozenset(re.findall(r"[A-Za-z_]\w*", f"{self.start} {self.condition}"))
        text = frozenset(re.findall(r"[A-Za-z_]\w*", " ".join(self.early)))
        return (header | (text - self.declared)) - {self.variable}


Part = tuple[Stmt, "Ends | None", str]  # a statement; where its target and value stand; element type, "late" or "own"


def peeled(
    kernel: Kernel,
    source: SourceFile,
    stmt: Stmt,
    loop: Loop,
    body: Stmt,
    parts: list[Part],
    room: int = LONGEST,
) -> Peeled | None:
    """The loop of these parts with its first iterations peeled, or None where that is not known to be the same.

    `room`: the most values that registers hold.
    """
    data = source.data
    found = HEADER.match(data[stmt.span.start : body.span.start])
    step = expr.evaluate(loop.step, {}) if loop.step is not None else None
    if found is None or not step or found[2].decode() != loop.variable:
        return None
    kind = SIMPLE.fullmatch(found[1].decode())
    inside = {one.id for one in kernel.descendants(body.id)}
    changed = {one.name.encode() for one in kernel.variables if inside.intersection(one.definitions)}
    texts = (found[3], found[4], found[5])
    if kind is None or STEP.fullmatch(found[5].strip()) is None or changed & set(_WORD.findall(b" ".join(texts))):
        return None
    text = _PRAGMA.sub(b"", data[body.span.start : body.span.end])
    if any(IMPURE.search(one) for one in texts[:2]) or LEAVES.search(text):
        return None
    made = _halves(kernel, source, body, parts)
    if made is None:
        return None
    arrays, early, late, again = made
    if changes(" ".join(late), re.findall(r"[A-Za-z_]\w*", " ".join((*early, *map(line, texts))))):
        return None
    trips = _most(loop)
    first = min(room // max(1, len(arrays)), trips if trips is not None else room)
    if not arrays or first < 2:
        return None
    words = [line(text) for text in texts]
    return Peeled(
        kind.group(1),
        loop.variable,
        words[0],
        step,
        words[1],
        words[2],
        line(data[body.span.start : body.span.end]),
        first,
        trips is None or trips > first,
        tuple(arrays),
        tuple(early),
        (*again, *late),
        _declared(kernel, source, parts),
    )


def _declared(kernel: Kernel, source: SourceFile, parts: list[Part]) -> frozenset[str]:
    """The names that such a loop's body declares before anything else in it mentions them: they are its own."""
    found: set[str] = set()
    text = ""
    for stmt, _, _ in parts:
        mine = [one.name for one in kernel.variables if one.stmt == stmt.id]
        words = text + line(source.data[stmt.span.start : stmt.span.end])
        found.update(name for name in mine if len(re.findall(rf"\b{re.escape(name)}\b", words)) == 1)
        text = f"{words} "
    return frozenset(found)


def changes(text: str, names: Iterable[str]) -> bool:
    """Whether a text may change one of these variables (parameters are no local variables of the kernel's)."""
    words = "|".join(sorted({re.escape(one) for one in names}))
    sign = r"(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
    return (
        bool(words) and re.search(rf"(?:\+\+|--|&)\s*(?:{words})\b(?!\s*\[)|\b(?:{words})\s*{sign}", text) is not None
    )


def _most(loop: Loop) -> int | None:
    """The most iterations of any thread, None where more than constants and the thread's index decide."""
    if loop.trips is None or any(symbol.name != "threadIdx.x" for symbol in expr.symbols(loop.trips)):
        return None
    threads = range(_THREADS) if expr.symbols(loop.trips) else range(1)
    counts = [expr.evaluate(loop.trips, {"threadIdx.x": thread}) for thread in threads]
    return None if None in counts else max(one or 0 for one in counts)


def _halves(
    kernel: Kernel, source: SourceFile, body: Stmt, parts: list[Part]
) -> tuple[list[tuple[str, str]], list[str], list[str], list[str]] | None:
    """The values that are kept, the statements before the turn and in it, and declarations in front of the latter.

    Loops keep what stands in front of them in the body: pragmas.
    """
    arrays: list[tuple[str, str]] = []
    early: list[str] = []
    late: list[str] = []
    again: list[str] = []  # variables that the body declares and the turn needs

    def keep(element: str, value: str) -> str | None:
        kind = SIMPLE.fullmatch(element)
        if kind is None:
            return None
        name = f"{_NAME}_{len(arrays)}[{_NAME}_g]"
        arrays.append((kind.group(1), f"{_NAME}_{len(arrays)}"))
        early.append(f"{name} = {value};")
        return name

    for stmt, ends, element in parts:
        start = stmt.span.start if stmt.lead is None or stmt.lead < body.span.start else stmt.lead
        if ends is not None:
            name = keep(element, line(source.data[slice(*ends[1])]))
            late.append(f"{line(source.data[slice(*ends[0])])} = {name};")
        elif element == "late":
            name, at = "", stmt.span.start
            pieces: list[str] = []
            for load in loads_of(kernel, source, stmt):
                name = keep(load.array.element, line(source.data[load.span.start : load.span.end]))
                pieces += [source.data[at : load.span.start].decode("utf-8", "surrogateescape"), name or ""]
                at = load.span.end
            pieces.append(source.data[at : stmt.span.end].decode("utf-8", "surrogateescape"))
            late.append(" ".join("".join(pieces).split()))
        else:
            name = ""
            early.append(line(source.data[start : stmt.span.end]))
        if name is None:
            return None
    needed = set(re.findall(r"[A-Za-z_]\w*", " ".join(late)))
    declared = [one for one in kernel.variables if any(one.stmt == stmt.id for stmt, _, _ in parts)]
    for variable in (one for one in declared if one.name in needed):
        name = keep(variable.type, variable.name)
        if name is None:
            return None
        again.append(f"{arrays[-1][0]} {variable.name} = {name};")
    return arrays, early, late, again


def loads_of(kernel: Kernel, source: SourceFile, stmt: Stmt) -> Iterator[Access]:
    """The loads from memory in a statement that are not part of each other, in the order of their text."""
    mine = [one for one in kernel.accesses if one.stmt == stmt.id]
    far = [one for one in mine if one.array.space in (Space.GLOBAL, Space.CONSTANT) and one.span.editable]
    far = [one for one in far if one.span.file == source.path and not one.via and not one.is_volatile]
    end = stmt.span.start
    for one in sorted(far, key=lambda one: (one.span.start, -one.span.end)):
        inner = [other for other in mine if one.span.start <= other.span.start and other.span.end <= one.span.end]
        if one.span.start >= end and all(other.array.space is not Space.SHARED for other in inner):
            end = one.span.end
            yield one


def is_private(kernel: Kernel, source: SourceFile, stmt: Stmt, body: Stmt) -> bool:
    """Whether a loop or condition in the body only computes: no shared memory, writes to the body's own variables."""
    inside = {one.id for one in kernel.descendants(stmt.id)}
    own = {one.id for one in kernel.descendants(body.id)}
    functions = {function.qualified for function in kernel.functions}
    accesses = [one for one in kernel.accesses if one.stmt in inside]
    if any(one.array.space is Space.SHARED or one.is_volatile or one.is_atomic for one in accesses):
        return False
    if any(one.is_write and one.array.space is not Space.LOCAL for one in accesses):
        return False
    if any(call.stmt in inside and call.name in functions for call in kernel.calls):
        return False
    if any(sync.stmt in inside for sync in kernel.syncs):
        return False
    changed = [one for one in kernel.variables if inside.intersection(one.definitions)]
    kinds = {kernel.stmt(one).kind for one in inside}
    plain = {StmtKind.COMPOUND, StmtKind.IF, StmtKind.FOR, StmtKind.DECL, StmtKind.EXPR, StmtKind.EMPTY}
    spans = [kernel.stmt(one).span for one in inside]
    in_place = all(span.file == source.path and span.editable for span in spans)
    return kinds <= plain and in_place and all(one.stmt in own for one in changed)


def peeled_text(loop: Peeled, name: str) -> tuple[str, str]:
    """What runs before the turn and in it, with names that begin with `name`."""
    g, more = f"{name}_g", f"{name}_more"
    head = f'_Pragma("unroll") for (int {g} = 0; {g} < {loop.first}; ++{g}) {{ '
    at = f"const {loop.kind} {loop.variable} = ({loop.start}) + {g} * ({loop.step}); "
    room = " ".join(f"{kind} {array.replace(_NAME, name)}[{loop.first}];" for kind, array in loop.arrays)
    early, late = (" ".join(part).replace(_NAME, name) for part in (loop.early, loop.late))
    before = f"{room} {head}{at}if (!({loop.condition})) break; {early} }}"
    behind = (
        f"for ({loop.kind} {loop.variable} = ({loop.start}) + {loop.first} * ({loop.step}); {loop.condition}; "
        f"{loop.increment}) {loop.body}"
    )
    flag = f"bool {more} = true; " if loop.rest else ""
    stop = f"{{ {more} = false; break; }}" if loop.rest else "break;"
    inside = f"{flag}{head}{at}if (!({loop.condition})) {stop} {late} }}"
    return before, f"{inside} if ({more}) {behind}" if loop.rest else inside


def line(text: bytes) -> str:
    """A text on one line, with its pragmas."""
    return " ".join(_PRAGMA.sub(rb'_Pragma("\1")', text).decode("utf-8", "surrogateescape").split())
