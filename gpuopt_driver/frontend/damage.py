"""How much of a unit was lost to errors: whether parsing it with more headers may pay."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.blame import code_alone, start_of
from gpuopt_driver.frontend.declarations import HostFunction
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.frontend.translation import Diagnostic, Translation

_WORD = re.compile(rb"[A-Za-z_]\w*")
_BRACKET = re.compile(rb"[(){};]")
_DECLARATION = re.compile(rb"[^;{}]*(?:\{|<%)")


def damage_of(unit: Unit, translation: Translation, functions: list[HostFunction]) -> int:
    """The number of kernels with errors, of launches that are missing or not understood because of errors, and of
    templates whose instantiations are perhaps missing for that reason.
    """
    kernels = damaged(unit.kernels)
    errors = [error for error in translation.errors if not error.is_missing_file]
    if not errors:
        return kernels
    vague = sum(_is_hit(launch, unit, errors) for launch in unit.launches)
    lost = sum(_lost_launches(function, unit, errors) for function in functions if not function.is_instantiation)
    lost += _lost_functions(functions, unit, errors)
    return kernels + vague + lost + _lost_kernels(unit, errors) + _lost_instantiations(unit)


def _lost_instantiations(unit: Unit) -> int:
    """Kernel templates whose launches are in templates that nobody is seen to call."""
    launched = {launch.kernel for launch in unit.launches if launch.in_template}
    return sum(kernel.facts_of is None and kernel.usr in launched for kernel in unit.kernels if kernel.template_head)


def _lost_kernels(unit: Unit, errors: list[Diagnostic]) -> int:
    """Definitions of kernels with errors in their declarations, of which nothing is left."""
    found: set[tuple[str, int]] = set()
    for error in errors:
        source = unit.files.get(error.file)
        if source is None:
            continue
        data, at = source.data, error.offset
        start = max(data.rfind(b";", 0, at), data.rfind(b"}", 0, at)) + 1
        declaration = _DECLARATION.match(data, start)
        kernels = [kernel.span for kernel in unit.kernels if kernel.span.file == error.file]
        if declaration and b"__global__" in declaration.group() and not any(k.start <= at < k.end for k in kernels):
            found.add((error.file, start))
    return len(found)


def damaged(kernels: Iterable[Kernel]) -> int:
    """The number of kernels with errors; launching from a kernel is one at every level."""
    return sum(kernel.has_errors for kernel in kernels if "cdp" not in kernel.special)


def _is_hit(launch: Launch, unit: Unit, errors: list[Diagnostic]) -> bool:
    """Whether an error is on a line that speaks of what an unknown configuration is made of."""
    if launch.kernel and launch.grid.x is not None and launch.block.x is not None:
        return False
    source = unit.files.get(launch.span.file)
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


def _lost_functions(functions: list[HostFunction], unit: Unit, errors: list[Diagnostic]) -> int:
    """Launches that are written in functions of which nothing is left, because of errors in their heads."""
    known = [(one.place.source.path, one.root.start, one.root.end) for one in functions]
    bodies: set[tuple[str, int, int]] = set()
    for path in {error.file for error in errors}.intersection(unit.files):
        data = unit.files[path].data
        if b"<<" not in data:
            continue
        text = code_alone(lexing.tidied(data) or data)
        for error in errors:
            at = error.offset
            if error.file != path or any(file == path and start <= at < end for file, start, end in known):
                continue
            body = _body_behind(text, at)
            if body is not None and text.count(b"<<<", *body):
                bodies.add((path, *body))
    return sum(_unseen(unit, *body) for body in bodies)


def _unseen(unit: Unit, path: str, start: int, end: int) -> int:
    data = unit.files[path].data
    here = {one.span.start for one in unit.launches if one.span.file == path and start <= one.span.start < end}
    return max(0, code_alone(lexing.tidied(data) or data).count(b"<<<", start, end) - len(here))


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


def _lost_launches(function: HostFunction, unit: Unit, errors: list[Diagnostic]) -> int:
    """Launches that are written in a function with errors but not in its tree."""
    data, start, end = function.place.source.data, function.root.start, function.root.end
    path = function.place.source.path
    data = lexing.tidied(data) or data
    written = data.count(b"<<<", start, end)
    if not written:
        return 0
    here = {
        launch.span.start for launch in unit.launches if launch.span.file == path and start <= launch.span.start < end
    }
    if written <= len(here) or not any(error.file == path and start <= error.offset < end for error in errors):
        return 0
    marks = sum(text == b"<<<" for kind, text, _at in lexing.tokens(data, start, end) if kind == "mark3")
    return max(0, marks - len(here))
