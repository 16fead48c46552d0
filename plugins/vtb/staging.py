"""Work at the start of a region that can be done before the turn: what is stored to shared memory, kept in registers.

`tile[t] = a[i];` becomes `const float v = a[i];`, the turn, `tile[t] = v;`. A short counted loop is split in two: what
computes and loads runs before the turn, what touches shared memory in it, and registers hold what goes from one to the
other. So the loads of one virtual block are under way while another one has its turn. Stores to rows that a virtual
block has of its own (CO-VTB) need no turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field

from gpuopt_driver.api import (
    LOOP_KINDS,
    Access,
    Kernel,
    Region,
    SourceFile,
    Space,
    Stmt,
    StmtKind,
    begins,
    dataclass,
    expr,
)

from . import crossing
from .crossing import Crossing
from .crossing import Part as CrossingPart
from .groups import group_edits
from .halves import LONGEST, SIMPLE, Ends, Halves, loop_text, values_of
from .peel import Part, Peeled, changes, is_private, loads_of, peeled, peeled_text
from .refuse import changed_functions
from .statements import (
    CHANGES,
    COMMENT,
    SCOPE,
    Own,
    assignment,
    changed_in,
    counts_only,
    declares,
    reads_shared_only,
    split_header,
    touches_shared_only,
)

_IF = re.compile(rb"if\s*\(")
Before = Callable[[Access], "int | None"]  # of a store in a loop: how many of the first iterations are to own rows


@dataclass(frozen=True, slots=True)
class Staged:
    """One statement of which a part runs early: a store (`target`, `value` as byte ranges), or a loop (`halves`)."""

    stmt: int
    early: tuple[int, ...]  # the statements (ids) that run, but for their stores, before the turn
    target: tuple[int, int] = (0, 0)
    value: tuple[int, int] = (0, 0)
    halves: Halves | None = None
    peeled: Peeled | None = None
    test: tuple[int, int] = (0, 0)  # of a store that a condition guards
    kind: str = ""  # the type of what is stored where a word says it in every instance of the kernel
    crosses: Crossing = field(default_factory=Crossing)

    @property
    def values(self) -> int:
        """How many values are held from before the turn."""
        if self.halves is not None:
            return len(self.halves.arrays) * (self.halves.count - self.halves.first)
        return len(self.peeled.arrays) * self.peeled.first if self.peeled is not None else 1


def nowhere(_access: Access) -> bool:
    """No access stays in memory of the virtual block's own."""
    return False


def none_first(_access: Access) -> int | None:
    """No iteration stores to rows of the virtual block's own."""
    return 0


def no_iterations(_stmt: int) -> int:
    """No iteration of a loop is about the virtual block's own rows alone."""
    return 0


def nothing_more(_access: Access) -> int:
    """Accesses take the operators of the program's text."""
    return 0


def staged(
    kernel: Kernel, source: SourceFile, region: Region, own: Own = nowhere, before: Before = none_first
) -> tuple[Staged, ...]:
    """The first statements of a region that can be done in two parts."""
    parent = kernel.stmt(region.first).parent
    if parent is None:
        return ()
    found: list[Staged] = []
    for child in kernel.stmt(parent).children:
        if not region.first <= child <= region.last:
            continue
        stmt = kernel.stmt(child)
        if not stmt.span.editable or stmt.span.file != source.path or _is_changed(kernel, source, stmt):
            break
        if begins(stmt, source) is None:
            break  # what is in front of it would be in front of something else
        if stmt.kind is StmtKind.EXPR:
            one = _store(kernel, source, stmt, own)
        elif stmt.kind is StmtKind.IF:
            one = _guarded(kernel, source, stmt, own)
        else:
            one = _loop(kernel, source, stmt, own, before) if stmt.kind in LOOP_KINDS else None
            one = _peeled(kernel, source, stmt, own) if one is None and stmt.kind is StmtKind.FOR else one
        if one is None or one.crosses.obstacle(other.crosses for other in found):
            break
        found.append(one)
        if one.peeled is not None or (one.halves is not None and one.halves.mixed):
            break  # what it does in its turn may be read by what follows
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Kept:
    """A statement at a region's start that is not done in two parts, and why that would not be the same."""

    line: int
    reason: str


def kept_in_turn(
    kernel: Kernel, source: SourceFile, region: Region, found: tuple[Staged, ...], own: Own = nowhere
) -> Kept | None:
    """The statement behind those that are done in two parts, where only what it evaluates keeps it in the turn."""
    parent = kernel.stmt(region.first).parent
    children = kernel.stmt(parent).children if parent is not None else ()
    inside = [kernel.stmt(one) for one in children if region.first <= one <= region.last]
    stmt = inside[len(found)] if len(found) < len(inside) else None
    if stmt is None or not stmt.span.editable or stmt.span.file != source.path:
        return None
    stores = [one for one in kernel.descendants(stmt.id) if one.kind is StmtKind.EXPR]
    ends = [assignment(kernel, source, one, own) for one in stores]
    reasons = [crossing.why_not(kernel, stmt, pair) for pair in ends if pair is not None]
    if stmt.kind is StmtKind.EXPR and not any(reasons):
        early = [crossing.together(kernel, [pair[1]]) for pair in ends if pair is not None]
        reasons = [crossing.Crossing(one).obstacle(other.crosses for other in found) for one in early]
    reason = next(filter(None, reasons), "")
    return Kept(stmt.span.line, reason) if reason else None


def _is_changed(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    """Whether a version has another text for a statement: it names a function's copy, or the block's group."""
    copies = {function.usr for function in changed_functions(kernel)}
    calls = [one.name for one in kernel.call_sites if one.usr in copies]
    return _names_group(kernel, source, stmt) or any(
        stmt.span.start <= one.start < stmt.span.end or not one.editable for one in calls
    )


def _names_group(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    if not any(call.name.endswith("this_thread_block") for call in kernel.calls):
        return False
    edits = group_edits(kernel, source, "") or ()
    return any(stmt.span.start <= edit.start and edit.end <= stmt.span.end for edit in edits)


def distant(
    kernel: Kernel, source: SourceFile, region: Region, found: tuple[Staged, ...], own: Own = nowhere, spare: int = 0
) -> Staged | None:
    """A loop further on in a region, behind barriers, whose first iterations can be peeled.

    What it loads and computes must be the same before the region: from variables that are not changed in between, and
    from memory that the kernel writes only later. `spare`: registers of a thread that nothing else needs; so many
    values may be loaded for expressions that read shared memory, too.
    """
    parent = kernel.stmt(region.first).parent
    if parent is None:
        return None
    children = [one for one in kernel.stmt(parent).children if region.first <= one <= region.last]
    between: set[int] = set()
    for child in children[:1] if not found else ():
        between.update(one.id for one in kernel.descendants(child))
    for child in children[max(1, len(found)) :]:
        stmt = kernel.stmt(child)
        fits = stmt.kind is StmtKind.FOR and stmt.span.editable and begins(stmt, source) is not None
        fits = fits and not _is_changed(kernel, source, stmt)
        one = _peeled(kernel, source, stmt, own, spare) if fits else None
        if one is not None and one.peeled is not None:
            first = kernel.stmt(children[0]).span.start
            text = source.data[first : stmt.span.start].decode("utf-8", "surrogateescape")
            early = _is_early(kernel, stmt, one.peeled, between, {part.stmt for part in found})
            # Memory is `_is_early`'s matter.
            passed = crossing.together(kernel, [(first, stmt.span.start)]).without(Space.GLOBAL)
            early = early and one.crosses.early.commutes(passed)
            return one if early and not changes(text, one.peeled.words) else None
        between.update(inner.id for inner in kernel.descendants(child))
    return None


def _is_early(kernel: Kernel, stmt: Stmt, loop: Peeled, between: set[int], split: set[int]) -> bool:
    """Whether the peeled part of a loop computes the same at the beginning of its region."""
    before = between.union(*({inner.id for inner in kernel.descendants(one)} for one in split))
    changed = {one.name for one in kernel.variables if before.intersection(one.definitions) or one.stmt in before}
    if changed & loop.words or not loop.arrays or not any("[" in text for text in loop.early):
        return False
    loops = [one for one in kernel.ancestors(stmt.id) if one.kind in LOOP_KINDS]
    again = {inner.id for one in loops[-1:] for inner in kernel.descendants(one.id)}
    last = max(inner.id for inner in kernel.descendants(stmt.id))
    writes = [one for one in kernel.accesses if one.is_write and one.array.space not in (Space.SHARED, Space.LOCAL)]
    calls = {function.qualified for function in kernel.functions}
    unknown = any(call.stmt in before and (not call.known or call.name in calls) for call in kernel.calls)
    return not unknown and not any(one.stmt <= last or one.stmt in again for one in writes)


def stores(found: tuple[Staged, ...]) -> frozenset[int]:
    """The statements whose loads and arithmetic come before the turn."""
    return frozenset(stmt for one in found for stmt in one.early)


def _store(kernel: Kernel, source: SourceFile, stmt: Stmt, own: Own) -> Staged | None:
    """`shared[...] = value;`: the value is computed before the turn, and converted as the store would."""
    ends = assignment(kernel, source, stmt, own)
    crosses = crossing.store(kernel, *ends) if ends is not None else None
    if ends is None or crosses is None:
        return None
    (target,) = [access for access in kernel.accesses if access.stmt == stmt.id and access.is_write]
    word = SIMPLE.fullmatch(target.array.element) if not kernel.template_head and _is_element(target) else None
    return Staged(stmt.id, (stmt.id,), *ends, kind=word.group(1) if word is not None else "", crosses=crosses)


def _is_element(access: Access) -> bool:
    """Whether an access is to a whole element of its array: its type is the array's."""
    return access.bytes == access.array.element_bytes and access.text.endswith("]")


def _guarded(kernel: Kernel, source: SourceFile, stmt: Stmt, own: Own) -> Staged | None:
    """`if (test) shared[...] = value;`: the value is computed before the turn, under the same test."""
    inner = [kernel.stmt(one) for one in stmt.children]
    if len(inner) == 1 and inner[0].kind is StmtKind.COMPOUND:
        inner = [kernel.stmt(one) for one in inner[0].children]
    if len(inner) != 1 or inner[0].kind is not StmtKind.EXPR or any(one.stmt == stmt.id for one in kernel.accesses):
        return None
    ends = assignment(kernel, source, inner[0], own)
    found = _IF.match(source.data, stmt.span.start)
    closed = source.data.rfind(b")", stmt.span.start, inner[0].span.start)
    if ends is None or found is None or closed < found.end():
        return None
    rest = source.data[closed + 1 : inner[0].span.start].strip()
    test = source.data[found.end() : closed]
    if rest not in (b"", b"{") or CHANGES.search(test) or COMMENT.search(test) or re.search(rb"\w\s*\(", test):
        return None
    (target,) = [access for access in kernel.accesses if access.stmt == inner[0].id and access.is_write]
    kind = SIMPLE.fullmatch(target.array.element)
    crosses = crossing.store(kernel, *ends, (found.end(), closed))
    if kind is None or crosses is None:
        return None
    return Staged(stmt.id, (inner[0].id,), *ends, test=(found.end(), closed), kind=kind.group(1), crosses=crosses)


def _loop(kernel: Kernel, source: SourceFile, stmt: Stmt, own: Own, before: Before) -> Staged | None:
    """A counted loop as two: declarations and values, then what touches shared memory."""
    loop = kernel.loop_of(stmt.id)
    body = next((kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body"), None)
    if loop is None or body is None or not loop.variable or stmt.kind is not StmtKind.FOR:
        return None
    numbers = [expr.evaluate(part, {}) if part is not None else None for part in (loop.start, loop.step, loop.trips)]
    start, step, trips = numbers
    if start is None or not step or trips is None or trips < 2:
        return None
    inner = [kernel.stmt(one) for one in body.children] if body.kind is StmtKind.COMPOUND else [body]
    parts: list[tuple[Stmt, Ends | None, str]] = []
    early: list[int] = []
    first = -1
    changed = {one.name for one in kernel.variables if loop.variable == one.name and changed_in(one, inner)}
    for one in inner:
        ends = assignment(kernel, source, one, nowhere) if one.kind is StmtKind.EXPR else None
        if ends is not None:
            (target,) = [access for access in kernel.accesses if access.stmt == one.id and access.is_write]
            number = before(target) if not own(target) else trips
            if number is None or first not in (-1, number):
                return None
            first = number
            early.append(one.id)
            parts.append((one, ends, target.array.element))
        elif one.kind is StmtKind.DECL and declares(kernel, source, one):
            early.append(one.id)
            parts.append((one, None, ""))
        elif one.kind is StmtKind.EXPR and touches_shared_only(kernel, source, one):
            parts.append((one, None, "late"))
        else:
            return None
    header = (stmt.span.start, body.span.start)
    if changed or not early or not counts_only(source.data[header[0] : header[1]]):
        return None
    if first > 0 and any(late == "late" for _, _, late in parts):
        return None
    index = f"(({loop.variable}) - ({start})) / ({step})"
    text = source.data[slice(*header)].decode("utf-8", "surrogateescape")
    headers = split_header(text, loop.variable, start + step * first) if first > 0 else ("", " ".join(text.split()))
    halves = values_of(kernel, source, headers, index, trips, max(first, 0), parts)
    crosses = crossing.loop(kernel, stmt, body, loop.variable, [_part(*one) for one in parts])
    if halves is None or crosses is None:
        return None
    return Staged(stmt.id, tuple(early), halves=halves, crosses=crosses)


def _part(stmt: Stmt, ends: Ends | None, kind: str, loads: tuple[Access, ...] = ()) -> CrossingPart:
    """What of a statement in a loop's body comes before the turn and what in it; `loads` of a late one do."""
    text = (stmt.span.start, stmt.span.end)
    if ends is not None:
        return CrossingPart((ends[1],), (ends[0],))
    if kind != "late":
        return CrossingPart(early=(text,))
    return CrossingPart(tuple((one.span.start, one.span.end) for one in loads), (text,))


def _peeled(kernel: Kernel, source: SourceFile, stmt: Stmt, own: Own, spare: int = 0) -> Staged | None:
    """A loop of which the first iterations are peeled: nothing in it is the virtual block's own memory."""
    loop = kernel.loop_of(stmt.id)
    body = next((kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body"), None)
    inside = {one.id for one in kernel.descendants(stmt.id)}
    mine = [access for access in kernel.accesses if access.stmt in inside]
    far = (Space.GLOBAL, Space.TEXTURE, Space.CONSTANT) if spare else (Space.GLOBAL, Space.TEXTURE)
    loads = any(access.is_read and access.array.space in far for access in mine)
    room = LONGEST
    if loop is None or body is None or not loads or any(map(own, mine)):
        return None
    parts: list[Part] = []
    for one in [kernel.stmt(child) for child in body.children] if body.kind is StmtKind.COMPOUND else [body]:
        ends = assignment(kernel, source, one, nowhere) if one.kind is StmtKind.EXPR else None
        if ends is not None:
            (target,) = [access for access in kernel.accesses if access.stmt == one.id and access.is_write]
            parts.append((one, ends, target.array.element))
        elif one.kind is StmtKind.EXPR and touches_shared_only(kernel, source, one):
            parts.append((one, None, "late"))
        elif spare and one.kind is StmtKind.EXPR and reads_shared_only(kernel, source, one):
            parts.append((one, None, "late"))
            room = min(LONGEST, spare)
        elif (one.kind is StmtKind.DECL and declares(kernel, source, one)) or (
            one.kind in (StmtKind.FOR, StmtKind.IF) and is_private(kernel, source, one, body)
        ):
            parts.append((one, None, "own"))
        else:
            return None
    made = peeled(kernel, source, stmt, loop, body, parts, room)
    pieces = [_part(*one, tuple(loads_of(kernel, source, one[0])) if one[2] == "late" else ()) for one in parts]
    crosses = crossing.loop(kernel, stmt, body, loop.variable, pieces) if made is not None else None
    if made is None or crosses is None:
        return None
    if made.rest:  # iterations that are not peeled are in the turn with all that they do
        crosses = Crossing(crosses.early, crosses.late | crosses.early)
    early = [kernel.descendants(one.id) for one, ends, kind in parts if ends is not None or kind == "own"]
    ids = () if made.rest else tuple(one.id for some in early for one in some)
    return Staged(stmt.id, ids, peeled=made, crosses=crosses)


def late_name(number: int) -> str:
    """What names of a loop begin with that is peeled further on in region `number`."""
    return f"gpuopt_w{number}"


def text_of(
    source: SourceFile,
    found: tuple[Staged, ...],
    number: int,
    later: Staged | None = None,
    leads: str = "",
    entered: str = "",
) -> str:
    """The text for these statements: values, the turn, stores. `number` makes the names of regions differ.

    `later`: a loop further on, of which the part before the turn is in this text, too. `leads`: what else comes last
    before the turn, `entered`: what comes first in it.
    """
    before: list[str] = []
    after = [entered] if entered else []
    if later is not None and later.peeled is not None:
        before.append(peeled_text(later.peeled, late_name(number))[0])

    def text(start: int, end: int) -> str:
        return " ".join(source.data[start:end].decode("utf-8", "surrogateescape").split())

    for at, one in enumerate(found):
        name = f"gpuopt_v{number}_{at}"
        if one.halves is not None:
            early, late = loop_text(one.halves, name)
            before.append(early)
            after.append(late)
        elif one.peeled is not None:
            early, late = peeled_text(one.peeled, name)
            before.append(early)
            after.append(late)
        elif one.test != (0, 0):
            test = text(*one.test)
            before.append(f"{one.kind} {name} = 0; if ({test}) {name} = {text(*one.value)};")
            after.append(f"if ({test}) {text(*one.target)} = {name};")
        else:
            kind = one.kind or f"{SCOPE}::value_of<decltype({text(*one.target)})>"
            before.append(f"const {kind} {name} = {text(*one.value)};")
            after.append(f"{text(*one.target)} = {name};")
    return " ".join([*before, *([leads] if leads else []), "gpuopt_at.enter();", *after])
