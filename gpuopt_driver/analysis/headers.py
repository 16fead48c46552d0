"""Where the parts of a loop's header stand in the text, and where text may be put in front of a statement."""

from __future__ import annotations

import re

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.model import Stmt, StmtKind
from gpuopt_driver.source.text import SourceFile

_GAP = re.compile(rb"(?:\s|//[^\\\n]*(?=\n)|/\*.*?\*/)*", re.DOTALL)
_UNROLL = re.compile(
    rb"(?:\#|%:)[ \t]*pragma[ \t]+(?:GCC[ \t]+)?(?:no)?unroll\b[^\\\n]*(?=\n)"
    rb'|_Pragma\s*\(\s*"(?:GCC )?(?:no)?unroll\b[^"\\]*"\s*\)'
)


@dataclass(frozen=True, slots=True)
class Header:
    """Byte ranges of what is evaluated before the first iteration; None: there is no such part (or it is empty)."""

    init: tuple[int, int] | None
    condition: tuple[int, int] | None


def loop_header(stmt: Stmt, source: SourceFile) -> Header | None:
    """The parts of a loop's header; None where macros hide them, or for loops over a range."""
    if not stmt.span.editable or stmt.span.file != source.path:
        return None
    if stmt.kind is StmtKind.DO:
        return Header(None, None)
    found = lexing.header(source.data, stmt.span.start, stmt.span.end)
    if found is None:
        return None
    opening, end, semicolons = found
    if stmt.kind is StmtKind.WHILE:
        return Header(None, (opening + 1, end))
    if stmt.kind is not StmtKind.FOR or len(semicolons) != 2:
        return None
    first, second = semicolons
    return Header(_part(source, opening + 1, first), _part(source, first + 1, second))


def _part(source: SourceFile, start: int, end: int) -> tuple[int, int] | None:
    return (start, end) if source.data[start:end].strip() else None


def in_front(stmt: Stmt, source: SourceFile) -> int | None:
    """Where to insert what runs before a statement: behind the token before, so that its pragmas stay with it.

    Never on the line of a directive. None where a preprocessor line is in the way.
    """
    if stmt.lead is None:
        return None
    line_start = source.data.rfind(b"\n", 0, stmt.lead) + 1
    if not source.data[line_start : stmt.lead].lstrip().startswith(b"#"):
        return stmt.lead
    between = source.data[stmt.lead : stmt.span.start]
    return None if b"#" in between else stmt.span.start


def begins(stmt: Stmt, source: SourceFile) -> int | None:
    """Where a statement begins that is to be replaced: at the first of its unroll pragmas, if it has any.

    None where more in front of it is its own, or may be: an attribute, a macro, another pragma, a preprocessor line.
    """
    if stmt.lead is None:
        return None
    data, end = source.data, stmt.span.start
    first, at = end, _gap(data, stmt.lead, end)
    while at < end:
        pragma = _UNROLL.match(data, at, end)
        if pragma is None:
            return None
        first = min(first, at)
        at = _gap(data, pragma.end(), end)
    return first


def _gap(data: bytes, at: int, end: int) -> int:
    match = _GAP.match(data, at, end)
    return match.end() if match else at
