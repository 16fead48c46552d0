"""A loop in two halves: the text that computes before the turn and the text that stores in it.

Registers (a local array with constant indices, as both loops are unrolled) hold values and variables in between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuopt_driver.api import Kernel, SourceFile, Stmt, StmtKind, Variable, dataclass

from .statements import common_row, own_row

LONGEST = 32  # values of a loop that registers may hold
SIMPLE = re.compile(r"(?:const )?((?:unsigned |signed )?(?:char|short|int|long|long long)|unsigned|float|double|bool)")
_NAME, _PLACE = "\x01", "\x02"  # what no source text has
Ends = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Halves:
    """The loop's header, its iterations' `index`, how many there are, and how many of the first need no turn.

    These have the header `lead` and do `own`. `early` and `late` are statements in which two marks stand for the names'
    common beginning and the place in the arrays; `arrays` are (type, name).
    """

    lead: str
    header: str
    index: str
    count: int
    first: int
    arrays: tuple[tuple[str, str], ...]
    own: tuple[str, ...]
    early: tuple[str, ...]
    late: tuple[str, ...]
    mixed: bool = False  # whether the late half does more than store values


def values_of(
    kernel: Kernel,
    source: SourceFile,
    headers: tuple[str, str],
    index: str,
    count: int,
    first: int,
    parts: Sequence[tuple[Stmt, Ends | None, str]],
) -> Halves | None:
    """The halves of a loop of such parts (statement; where target and value stand; element type, or "late").

    `headers`: of the `first` iterations, which are about own rows, and of the others.
    """

    def text(start: int, end: int) -> str:
        return " ".join(source.data[start:end].decode("utf-8", "surrogateescape").split())

    arrays: list[tuple[str, str]] = []
    own: list[str] = []
    early: list[str] = []
    late: list[str] = []
    for stmt, ends, kind in parts:
        if stmt.kind is StmtKind.DECL:
            own.append(text(stmt.span.start, stmt.span.end))
            early.append(own[-1])
        elif ends is None:
            late.append(text(stmt.span.start, stmt.span.end))
        else:
            element = SIMPLE.fullmatch(kind)
            if element is None:
                return None
            name, target = f"{_NAME}_{len(arrays)}", text(*ends[0])
            arrays.append((element.group(1), name))
            own.append(f"{own_row(target)} = {text(*ends[1])};")
            early.append(f"{name}[{_PLACE}] = {text(*ends[1])};")
            late.append(f"{common_row(target) if first else target} = {name}[{_PLACE}];")
    needed = set(re.findall(r"\b[A-Za-z_]\w*", " ".join(late)))
    restored: list[str] = []
    for stmt, _, _ in parts:
        for variable in kernel.variables:
            if variable.stmt != stmt.id or variable.name not in needed or stmt.kind is not StmtKind.DECL:
                continue
            kept_type = SIMPLE.fullmatch(variable.type)
            if kept_type is None or any(other.name == variable.name for other in _outer(kernel, parts, variable.stmt)):
                return None
            name = f"{_NAME}_{variable.name}"
            arrays.append((kept_type.group(1), name))
            early.append(f"{name}[{_PLACE}] = {variable.name};")
            restored.append(f"const {kept_type.group(1)} {variable.name} = {name}[{_PLACE}]; (void){variable.name};")
    mixed = any(kind == "late" for _, _, kind in parts)
    if not 0 < len(arrays) * (count - first) <= LONGEST:
        return None
    behind = (*restored, *late)
    return Halves(*headers, index, count, first, tuple(arrays), tuple(own), tuple(early), behind, mixed)


def _outer(kernel: Kernel, parts: Sequence[tuple[Stmt, Ends | None, str]], stmt: int) -> list[Variable]:
    """Variables of the loop's other declarations: two of one name cannot be told apart."""
    own = {one.id for one, _, _ in parts}
    return [one for one in kernel.variables if one.stmt in own and one.stmt != stmt]


def loop_text(halves: Halves, name: str) -> tuple[str, str]:
    """The two loops, with names that begin with `name`."""
    place = halves.index if not halves.first else f"{halves.index} - {halves.first}"

    def filled(text: str) -> str:
        return text.replace(_NAME, name).replace(_PLACE, place)

    size = halves.count - halves.first
    room = " ".join(f"{kind} {filled(one)}[{size}];" for kind, one in halves.arrays)
    late = " ".join(map(filled, halves.late))
    early = " ".join(map(filled, halves.early))
    opening, closing = ("", "") if len(halves.early) == 1 and len(halves.late) == 1 else ("{ ", " }")
    own = f'_Pragma("unroll") {halves.lead} {opening}{" ".join(halves.own)}{closing} ' if halves.first else ""
    return (
        f'{room} {own}_Pragma("unroll") {halves.header} {opening}{early}{closing}',
        f'_Pragma("unroll") {halves.header} {opening}{late}{closing}',
    )
