"""Whether a loop's first iteration runs, asked in front of the loop by its own header."""

from __future__ import annotations

from gpuopt_driver.api import (
    Access,
    Const,
    Evaluation,
    Header,
    Kernel,
    Loop,
    SourceFile,
    Space,
    Stmt,
    StmtKind,
    dataclass,
    evaluation,
    loop_header,
)


@dataclass(frozen=True, slots=True)
class Unasked:
    """Why that cannot be asked."""

    reason: str


def runs(kernel: Kernel, source: SourceFile, outer: Loop, access: Access) -> str | Unasked:
    """A statement that makes the variable `@` true where the access is made in the first iteration of `outer`.

    The headers of the loops around the access, each inside of the one before; "" where all of them run for certain.
    """
    around = [stmt for stmt in access.loops if stmt >= outer.stmt]
    text, closing = "", ""
    for number in around:
        loop = kernel.loop_of(number)
        if loop is not None and isinstance(loop.trips, Const) and loop.trips.value > 0:
            continue
        stmt = kernel.stmt(number)
        header = loop_header(stmt, source)
        where = f"the loop at {kernel.line_of(stmt.span)}"
        if header is None:
            return Unasked(f"the header of {where} cannot be repeated")
        refusal = _obstacle(kernel, source, kernel.stmt(outer.stmt), stmt, header)
        if refusal:
            return Unasked(f"{where}: {refusal}")
        if header.condition is None:
            continue
        init = f"{_text(source, header.init)}; " if header.init is not None else ""
        text += f"{{ {init}if ({_text(source, header.condition)}) "
        closing += " }"
    return f"{text}@ = true;{closing}" if text else ""


def _text(source: SourceFile, part: tuple[int, int]) -> str:
    """A part of a header on one line."""
    return " ".join(source.data[part[0] : part[1]].decode("utf-8", "surrogateescape").split())


def _obstacle(kernel: Kernel, source: SourceFile, outer: Stmt, stmt: Stmt, header: Header) -> str:
    """Why evaluating a loop's header once more, in front of the outer loop, is not the same; "" where it is."""
    declared = header.init is not None and any(
        kernel.stmt(child).role == "init" and kernel.stmt(child).kind is StmtKind.DECL for child in stmt.children
    )
    for part in (header.init, header.condition):
        if part is not None and any(mark in source.data[part[0] : part[1]] for mark in (b"//", b"/*", b"#", b"\\")):
            return "a comment or a preprocessor line in the header"
    init = evaluation(kernel, *header.init) if header.init is not None else Evaluation()
    condition = evaluation(kernel, *header.condition) if header.condition is not None else Evaluation()
    both = init | condition
    if both.unknown:
        return both.unknown
    if condition.writes or any(one.space is not Space.LOCAL for one in init.writes):
        return "the header has side effects"
    if header.init is not None and not declared and (stmt is not outer or init.reads & init.writes):
        return "the counter is declared elsewhere"
    if stmt is outer:
        return ""
    changed = evaluation(kernel, outer.span.start, outer.span.end).writes
    for one in both.reads:
        if one.space is not Space.LOCAL:
            return "the header reads memory"
        is_own = header.init is not None and header.init[0] <= one.declared < header.init[1]
        if not is_own and (outer.span.start <= one.declared or one in changed):
            return f"{one.name or 'a variable'} changes in the loop around it"
    return ""
