"""The rewrite: a kernel's text in which built-in variables, barriers and shared memory are those of a virtual block.

Built-in variables are shadowed by local ones, so that macros and lambdas follow. Everything stays on its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpuopt_driver.api import (
    Context,
    Edit,
    Function,
    FunctionCopy,
    Kernel,
    Region,
    SourceFile,
    Span,
    Stmt,
    StmtKind,
    Sync,
    SyncKind,
    begins,
    body_edits,
    shadows,
)

from . import codes
from .columns import column_edits, put_back
from .groups import group_edits
from .leading import Leading
from .order import Order
from .parts import MEMORY, declarations
from .peel import peeled_text
from .refuse import changed_functions
from .reuse import reused_text
from .scheme import Scheme
from .staging import late_name, text_of
from .statements import SCOPE

NAME = codes.NAME
_BOUNDS = re.compile(rb"__launch_bounds__\s*\(")
_COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*")', re.DOTALL)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(?!pragma)", re.MULTILINE)
_WORDS = {
    "__syncthreads": "sync",
    "__syncthreads_count": "count",
    "__syncthreads_and": "all",
    "__syncthreads_or": "any",
}


def edits(kernel: Kernel, context: Context, scheme: Scheme, most: int, kind: str, order: Order) -> tuple[Edit, ...]:
    """The edits of the kernel's own definition; versions have up to `most` times its threads. `kind`: see `place`."""
    source = context.unit.files[kernel.span.file]
    own = MEMORY if scheme.division is not None else ""
    hidden = shadows(kernel.builtins, "gpuopt_at")
    opening = (
        f" __shared__ unsigned gpuopt_gone; const {kind} gpuopt_at(gpuopt_plan, &gpuopt_gone); "
        f"if (!gpuopt_at.exists) return; gpuopt_at.begin(); {own}{hidden}{{"
    )
    over = " gpuopt_at.over();" if order is Order.TOLD else ""
    made = [_at(kernel.span, kernel.inner.start, opening), _at(kernel.span, kernel.inner.end, f"{over}}}")]
    made.extend(_barriers(kernel.span.file, kernel.body, kernel.syncs))
    made.extend(group_edits(kernel, source, NAME) or ())
    made.extend(turns(kernel, source, scheme, order))
    made.extend(declarations(kernel, source, scheme, NAME))
    made.extend(column_edits(kernel, source, scheme, NAME))
    made.extend(_bounds(kernel, source.data, most))
    return tuple(made)


def turns(kernel: Kernel, source: SourceFile, scheme: Scheme, order: Order) -> list[Edit]:
    """Waiting for the turn in front of every region, giving it up behind it and in front of jumps out of it.

    Where virtual blocks come unequally often, a return says that no more turns are needed.
    """
    texts: dict[int, str] = {}

    def add(at: int, text: str) -> None:
        texts[at] = texts.get(at, "") + text

    made: list[Edit] = []
    if scheme.reused is not None:
        made.append(_instead(kernel, source, scheme.reused.stmt, reused_text(scheme, scheme.reused)))
    # In source order, so where two regions meet the first one ends before the second begins.
    for number, region in enumerate(scheme.use.regions):
        first, last = kernel.stmt(region.first), kernel.stmt(region.last)
        ahead = scheme.ahead(kernel, source, region)
        entered = put_back(scheme.division) if number == 0 else ""
        early, later, leads = ahead.first, ahead.later, ahead.leads
        if later is not None and later.peeled is not None:
            made.append(_instead(kernel, source, later.stmt, peeled_text(later.peeled, late_name(number))[1]))
        if ahead.opens is not None:
            text = f"{text_of(source, (), number, None, ahead.opens.before, entered)} {ahead.opens.behind}"
            made.append(_instead(kernel, source, first.id, text))
        lead = first.span.start if first.lead is None else first.lead
        start = _begin(first, source)
        end = kernel.stmt(early[-1].stmt).span.end if early else start
        if early and not _DIRECTIVE.search(source.data, start, end):
            lines = source.data.count(b"\n", start, end)
            text = text_of(source, early, number, later, leads.before if leads is not None else "", entered)
            made.extend(_rest(kernel, source, leads) if leads is not None else ())
            made.append(Edit(source.path, start, end, _bytes(text) + b"\n" * lines, NAME))
        elif ahead.opens is None:
            add(lead, " " + text_of(source, (), number, later, "", entered))
        for jump in region.jumps:
            span = kernel.stmt(jump).span
            add(span.start, "{ gpuopt_at.leave(); " + _over(kernel, jump, order))
            add(span.end, " }")
        add(last.span.end, " gpuopt_at.leave();")
    jumps = {jump for region in scheme.use.regions for jump in region.jumps}
    for stmt in kernel.stmts:
        if order is Order.TOLD and stmt.kind is StmtKind.RETURN and stmt.id not in jumps:
            add(stmt.span.start, "{ " + _over(kernel, stmt.id, order))
            add(stmt.span.end, " }")
    return [*made, *(_at(kernel.span, at, text) for at, text in texts.items())]


def _instead(kernel: Kernel, source: SourceFile, stmt: int, text: str) -> Edit:
    """This text in the place of a statement, on as many lines."""
    start, end = _begin(kernel.stmt(stmt), source), kernel.stmt(stmt).span.end
    lines = source.data.count(b"\n", start, end)
    return Edit(source.path, start, end, _bytes(text) + b"\n" * lines, NAME)


def _begin(stmt: Stmt, source: SourceFile) -> int:
    """Where the text begins that is replaced with a statement: a loop's pragmas go with it."""
    start = begins(stmt, source)
    return stmt.span.start if start is None else start


def _rest(kernel: Kernel, source: SourceFile, leads: Leading) -> list[Edit]:
    """What a loop of which the first iterations come before the turn leaves where it stood."""
    gone = [_instead(kernel, source, stmt, "") for stmt in leads.moved]
    return [*gone, _instead(kernel, source, leads.stmt, leads.behind)]


def _over(kernel: Kernel, jump: int, order: Order) -> str:
    """What a virtual block says that leaves the kernel here."""
    return "gpuopt_at.over(); " if order is Order.TOLD and kernel.stmt(jump).kind is StmtKind.RETURN else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def place(most: int, order: Order) -> str:
    """The type of what a thread knows of its place in at most `most` virtual blocks; 0: each is one warp."""
    return f"{SCOPE}::place<{most}, {'false' if order is Order.TOLD else 'true'}>"


def copies(kernel: Kernel, kind: str) -> tuple[FunctionCopy, ...]:
    """The device functions that the version needs copies of."""
    return tuple(FunctionCopy(function, _function(kernel, function, kind)) for function in changed_functions(kernel))


def _function(kernel: Kernel, function: Function, kind: str) -> tuple[Edit, ...]:
    opening = f"const {kind} gpuopt_at(gpuopt_plan); (void)gpuopt_at; {shadows(function.builtins, 'gpuopt_at')}"
    return (
        *body_edits(function.inner, opening, NAME),
        *_barriers(function.span.file, function.body, kernel.syncs),
    )


def _barriers(file: str, body: Span, syncs: Iterable[Sync]) -> list[Edit]:
    """The block barriers in a body, each place once."""
    found: dict[int, Edit] = {}
    for sync in syncs:
        span = sync.span
        plain = sync.kind is SyncKind.BLOCK and sync.text.startswith("__syncthreads")
        if plain and span.file == file and body.start <= span.start and span.end <= body.end:
            word = re.match(r"\w+", sync.text)
            name = word.group() if word else ""
            end = span.start + len(name)
            found[span.start] = Edit(file, span.start, end, f"gpuopt_at.{_WORDS[name]}".encode(), NAME)
    return list(found.values())


def _bounds(kernel: Kernel, data: bytes, most: int) -> list[Edit]:
    """Launch bounds for as many threads as a version may have."""
    made = []
    first = kernel.span.start
    head = _COMMENT.sub(_blanked, data[first : kernel.body.start])
    for match in _BOUNDS.finditer(head):
        closed = _closing(head, match.end() - 1)
        inner = head[match.end() : closed]
        threads = b" ".join(inner[: _comma(inner)].split()).decode("utf-8", "surrogateescape")
        text = f"(({threads}) * {most} < 1024 ? ({threads}) * {most} : 1024)" + "\n" * inner.count(b"\n")
        made.append(Edit(kernel.span.file, first + match.end(), first + closed, _bytes(text), NAME))
    return made


def _blanked(found: re.Match[bytes]) -> bytes:
    """A comment as blanks on as many lines; a string as it is."""
    return found.group(1) or re.sub(rb"[^\n]", b" ", found.group())


def _closing(data: bytes, at: int) -> int:
    depth = 0
    for index in range(at, len(data)):
        depth += {40: 1, 41: -1}.get(data[index], 0)
        if depth == 0:
            return index
    return at + 1


def _comma(inner: bytes) -> int:
    """Where the first argument ends."""
    depth = 0
    for index, byte in enumerate(inner):
        depth += {40: 1, 60: 1, 41: -1, 62: -1}.get(byte, 0)
        if byte == 44 and depth == 0:
            return index
    return len(inner)


def _at(span: Span, at: int, text: str) -> Edit:
    return Edit(span.file, at, at, text.encode(), NAME)


def crosses_macro(kernel: Kernel, regions: Sequence[Region]) -> Span | None:
    """Where a region has an end that cannot be edited, None if there is none."""
    for region in regions:
        ends = (region.first, region.last, *region.jumps)
        for stmt in map(kernel.stmt, ends):
            if not stmt.span.editable or (stmt.parent is not None and kernel.stmt(stmt.parent).kind is StmtKind.SWITCH):
                return stmt.span
    return None
