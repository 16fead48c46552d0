"""What a compiler makes of known numbers: loops that it unrolls, divisions that become multiplications."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from gpuopt_driver.api import Expr, Function, Kernel, Loop, SourceFile, Space, Span, SymKind, counted, dataclass, expr

from .known import is_usable

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_WORD = re.compile(r"(?:blockDim|gridDim)\s*\.\s*[xyz]\b|[A-Za-z_]\w*")
_DIVIDES = re.compile(r"[/%]=?\s*(?:\(\s*(?:unsigned|int|long|size_t|[us]?int\d+_t)[\w\s]*\)\s*)*")
_LOOP = re.compile(r"\b(?:for|while)\s*(?=\()")
_HALVES = re.compile(r">>=|/=|>>\s*1\b|/\s*2\b")


@dataclass(frozen=True, slots=True)
class Gain:
    """One thing that known numbers spare: which ones (by the names of index forms), and what it is."""

    names: frozenset[str]
    text: str
    weight: int


def gains(kernel: Kernel, source: SourceFile, values: Mapping[str, int], most: int) -> tuple[Gain, ...]:
    """Loops of at most `most` iterations whose trip count becomes known, and divisors that do."""
    found = [one for loop in kernel.loops for one in _of_loop(kernel, loop, values, most)]
    for span, names in _texts(kernel, source, values):
        found.extend(_divisions(plain(source, span), names, span.line))
    for function in kernel.functions:
        text = plain(source, function.body) if function.body.file == source.path else ""
        if _LOOP.search(text):
            small = {name for name, value in values.items() if 1 < abs(value) <= most}
            found.extend(_handed_on(kernel, source, function, small))
            found.extend(_halves(text, function, values))
    return tuple(dict.fromkeys(found))


def possible(kernel: Kernel, source: SourceFile) -> tuple[Gain, ...]:
    """What numbers could spare that are not known: divisors, bounds of loops which may turn out to be short."""
    names = {f"{name}.{axis}": 0 for name in ("blockDim", "gridDim") for axis in "xyz"}
    names.update({param.name: 0 for param in kernel.params if is_usable(param)})
    found = [_unknown_bound(kernel, loop, names) for loop in kernel.loops]
    for span, numbers in _texts(kernel, source, names):
        found.extend(_divisions(plain(source, span), numbers, span.line))
    for function in kernel.functions:
        text = plain(source, function.body) if function.body.file == source.path else ""
        if _LOOP.search(text):
            found.extend(_handed_on(kernel, source, function, names))
            found.extend(_halves(text, function, names))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def used(kernel: Kernel, source: SourceFile, values: Mapping[str, int]) -> frozenset[str]:
    """The known numbers that the kernel's own text names."""
    return _names(plain(source, kernel.inner), values) | {
        name for name in values if "." in name and any(name.startswith(one.name) for one in kernel.builtin_uses)
    }


def indexing(kernel: Kernel, values: Mapping[str, int]) -> frozenset[str]:
    """The known numbers that addresses and trip counts depend on."""
    forms: list[Expr | None] = [access.offset for access in kernel.accesses]
    forms += [part for loop in kernel.loops for part in (loop.trips, loop.start, loop.step)]
    return frozenset(one.name for form in forms if form is not None for one in expr.symbols(form)) & values.keys()


def private_bytes(kernel: Kernel) -> int:
    """Bytes of a thread's own arrays of known size, which are registers once the loops around them are unrolled."""
    total = 0
    for array in kernel.arrays:
        extents = [expr.evaluate(extent, {}) for extent in array.extents]
        if array.space is Space.LOCAL and extents and None not in extents:
            total += array.element_bytes * math.prod(extent for extent in extents if extent is not None)
    return total


def plain(source: SourceFile, span: Span) -> str:
    """Source text with blanks for comments and strings."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source.text(span))


def _trips(loop: Loop, values: Mapping[str, int]) -> int | None:
    """The trip count in the first thread of the first block, or, where a variable steps otherwise, of that kind."""
    firsts = {f"{name}.{axis}": 0 for name in ("threadIdx", "blockIdx") for axis in "xyz"}
    if loop.trips is not None:
        return expr.evaluate(loop.trips, {**firsts, **values})
    start = expr.evaluate(loop.start, values) if loop.start is not None and loop.changing else None
    return None if start is None else abs(start).bit_length()


def _bounds(loop: Loop) -> frozenset[str]:
    """The numbers of a launch that a loop's trip count depends on."""
    form = loop.trips if loop.trips is not None else loop.start if loop.changing else None
    kinds = (SymKind.PARAM, SymKind.BLOCK_DIM, SymKind.GRID_DIM)
    return frozenset(one.name for one in expr.symbols(form) if one.kind in kinds) if form is not None else frozenset()


def _unknown_bound(kernel: Kernel, loop: Loop, names: Mapping[str, int]) -> Gain | None:
    bounds = _bounds(loop)
    if not bounds or not bounds <= names.keys():
        return None
    return Gain(bounds, f"iterations of the loop, {kernel.line_of(kernel.stmt(loop.stmt).span)}", 2 + loop.depth)


def _of_loop(kernel: Kernel, loop: Loop, values: Mapping[str, int], most: int) -> Iterator[Gain]:
    names = _bounds(loop)
    trips = _trips(loop, values) if names and names <= values.keys() else None
    if trips is not None and 1 < trips <= most:
        where = kernel.line_of(kernel.stmt(loop.stmt).span)
        yield Gain(names, f"{counted(trips, 'iteration')} of the loop, {where}", 2 + loop.depth)


def _texts(kernel: Kernel, source: SourceFile, values: Mapping[str, int]) -> Iterator[tuple[Span, Mapping[str, int]]]:
    """The texts that may divide by known numbers: the kernel's, and, by a block or grid, those that it calls."""
    yield kernel.inner, values
    dimensions = {name: value for name, value in values.items() if "." in name}
    for function in kernel.functions:
        if function.body.file == source.path and {"blockDim", "gridDim"} & function.builtins:
            yield function.inner, dimensions


def _halves(text: str, function: Function, values: Mapping[str, int]) -> Iterator[Gain]:
    """Loops over halves of a block, as functions that join the results of its threads have them."""
    dimensions = [name for name in values if "." in name]
    for found in _LOOP.finditer(text):
        parts = _operand(text, found.end()).split(";")
        names = _names(parts[0], dimensions) if len(parts) == 3 and _HALVES.search(parts[2]) else frozenset()
        if names:
            yield Gain(names, f"a loop over halves of {', '.join(sorted(names))} in {function.name}()", 2)


def _divisions(text: str, values: Mapping[str, int], line: int) -> Iterator[Gain]:
    for found in _DIVIDES.finditer(text):
        names = _names(_operand(text, found.end()), values)
        if names:
            where = line + text.count("\n", 0, found.start())
            yield Gain(names, f"division by {', '.join(sorted(names))}, line {where}", 2)


def _operand(text: str, start: int) -> str:
    """What an operator is followed by: a word, or all that is in parentheses."""
    if text[start : start + 1] != "(":
        word = _WORD.match(text, start)
        return word.group() if word else ""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return ""


def _names(text: str, values: Iterable[str]) -> frozenset[str]:
    words = {re.sub(r"\s", "", found.group()) for found in _WORD.finditer(text)}
    return frozenset(words.intersection(values))


def _handed_on(kernel: Kernel, source: SourceFile, function: Function, small: Iterable[str]) -> Iterator[Gain]:
    """Small numbers that a function with a loop is called with, which may be its trip count once it is inlined."""
    if not any(site.usr == function.usr and site.opening.file == source.path for site in kernel.call_sites):
        return
    text = plain(source, kernel.inner)
    for call in re.finditer(rf"\b{re.escape(function.name)}\s*(?:<[^<>()]*>\s*)?(?=\()", text):
        names = _names(_operand(text, call.end()), small)
        if names:
            yield Gain(names, f"{', '.join(sorted(names))} in {function.name}(), which has a loop", 2)
