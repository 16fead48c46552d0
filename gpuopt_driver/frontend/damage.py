"""How much of a unit was lost to errors: whether parsing it with more headers may pay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.blame import Ranges, code_alone, start_of
from gpuopt_driver.frontend.declarations import HostFunction
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.frontend.translation import Diagnostic, Translation
from gpuopt_driver.source.text import SourceFile

_WORD = re.compile(rb"[A-Za-z_]\w*")
_BRACKET = re.compile(rb"[(){};]")
_DECLARATION = re.compile(rb"[^;{}]*(?:\{|<%)")


def damage_of(kernels: Sequence[Kernel], lost: int, translation: Translation) -> int:
    """The number of kernels with errors, and of those of which nothing is left, beside what is `lost` of launches."""
    errors = [error for error in translation.errors if not error.is_missing_file]
    return damaged(kernels) + lost + (_lost_kernels(kernels, translation.files, errors) if errors else 0)


def lost_launches(
    launches: Sequence[Launch],
    translation: Translation,
    functions: Sequence[HostFunction],
    *,
    launched_only: bool = False,
) -> int:
    """The number of launches that are missing or not understood because of errors, known before kernels are read.

    `launched_only`: what stays as it is, whatever it launches, need not be understood.
    """
    errors = [error for error in translation.errors if not error.is_missing_file]
    if not errors:
        return 0
    files = translation.files
    asked = (launch for launch in launches if not (launched_only and launch.is_by_runtime))
    vague = sum(_is_hit(launch, files, errors) for launch in asked)
    wrong: dict[str, list[int]] = {}
    for error in errors:
        wrong.setdefault(error.file, []).append(error.offset)
    started: dict[str, list[int]] = {}
    for launch in launches:
        started.setdefault(launch.span.file, []).append(launch.span.start)
    lost = sum(_lost_in(function, started, wrong) for function in functions if not function.is_instantiation)
    return vague + lost + _lost_functions(functions, files, started, wrong)


def _lost_kernels(kernels: Sequence[Kernel], files: Mapping[str, SourceFile], errors: list[Diagnostic]) -> int:
    """Definitions of kernels with errors in their declarations, of which nothing is left."""
    found: set[tuple[str, int]] = set()
    for error in errors:
        source = files.get(error.file)
        if source is None:
            continue
        data, at = source.data, error.offset
        start = max(data.rfind(b";", 0, at), data.rfind(b"}", 0, at)) + 1
        declaration = _DECLARATION.match(data, start)
        if declaration is None or b"__global__" not in declaration.group():
            continue
        spans = [kernel.span for kernel in kernels if kernel.span.file == error.file]
        if not any(span.start <= at < span.end for span in spans):
            found.add((error.file, start))
    return len(found)


def damaged(kernels: Iterable[Kernel]) -> int:
    """The number of kernels with errors; launching from a kernel is one at every level."""
    return sum(kernel.has_errors for kernel in kernels if "cdp" not in kernel.special)


def _is_hit(launch: Launch, files: Mapping[str, SourceFile], errors: list[Diagnostic]) -> bool:
    """Whether an error is on a line that speaks of what an unknown configuration is made of."""
    if launch.kernel and launch.grid.x is not None and launch.block.x is not None:
        return False
    source = files.get(launch.span.file)
    if source is None:
        return False
    words = set(_WORD.findall(source.data[launch.span.start : launch.config.end]))
    for error in errors:
        if error.file == launch.span.file:
            line = source.position(error.offset)[0]
            start = source.line_starts[line - 1]
            end = source.line_starts[line] if line < len(source.line_starts) else len(source.data)
            if words & set(_WORD.findall(source.data[start:end])):
                return True
    return False


def _lost_functions(
    functions: Sequence[HostFunction],
    files: Mapping[str, SourceFile],
    started: Mapping[str, Sequence[int]],
    wrong: Mapping[str, Sequence[int]],
) -> int:
    """Launches that are written in functions of which nothing is left, because of errors in their heads."""
    extents: dict[str, list[tuple[int, int]]] = {}
    for one in functions:
        extents.setdefault(one.place.source.path, []).append((one.root.start, one.root.end))
    lost = 0
    for path, offsets in wrong.items():
        data = files[path].data if path in files else b""
        data = lexing.tidied(data) or data
        if b"<<<" not in data:
            continue
        text = code_alone(data)
        known = Ranges(extents.get(path, ()))
        bodies = {_body_behind(text, at) for at in offsets if not known.has(at)}
        for body in filter(None, bodies):
            here = {at for at in started.get(path, ()) if body[0] <= at < body[1]}
            lost += max(0, text.count(b"<<<", *body) - len(here))
    return lost


def _body_behind(text: bytes, offset: int) -> tuple[int, int] | None:
    """The braces behind the head of a definition that an offset is in, in code alone; None for other declarations."""
    depth, opened = 0, 0
    for found in _BRACKET.finditer(text, start_of(text, offset)):
        mark = found.group()
        depth += {b"(": 1, b")": -1, b"{": 1, b"}": -1}.get(mark, 0)
        if mark == b"{" and depth == 1 and not opened:
            opened = found.start() + 1
        elif mark == b"}" and opened and depth == 0:
            return opened, found.start()
        elif not opened and (depth < 0 or (mark == b";" and depth == 0)):
            return None
    return None


def _lost_in(function: HostFunction, started: Mapping[str, Sequence[int]], wrong: Mapping[str, Sequence[int]]) -> int:
    """Launches that are written in a function with errors but not in its tree."""
    data, start, end = function.place.source.data, function.root.start, function.root.end
    if data.find(b"<<", start, end) < 0:  # however they are spaced
        return 0
    path = function.place.source.path
    data = lexing.tidied(data) or data
    written = data.count(b"<<<", start, end)
    if not written:
        return 0
    here = {at for at in started.get(path, ()) if start <= at < end}
    if written <= len(here) or not any(start <= at < end for at in wrong.get(path, ())):
        return 0
    marks = sum(text == b"<<<" for kind, text, _at in lexing.tokens(data, start, end) if kind == "mark3")
    return max(0, marks - len(here))
