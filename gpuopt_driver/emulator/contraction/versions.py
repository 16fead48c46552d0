"""Versions of kernels (`K__gpuopt_NAME`) and the copies of functions that they bring, beside their originals.

A version must compute the bits of its original, and its text is the original's with edits. So which products are fused
is decided for the original alone; a version takes the decision of each of its tokens from the token that it is a copy
of. What a plugin has put in has no counterpart, and is decided like any other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from difflib import SequenceMatcher

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function

_NAME = re.compile(rb"(.+?)(__gpuopt_.+)")
_ENDS = frozenset({b";", b",", b"=", b"+=", b"-=", b"*=", b"/=", b"return", b"{", b"}"})
_LEAST = 6  # tokens that must be alike in a row: fewer are found in unrelated text
_ARITHMETIC = frozenset({b"*", b"/"})


@dataclass(frozen=True, slots=True)
class Version:
    """A function that is a version of another one, and the token of the original that each of its tokens copies."""

    function: Function
    original: Function
    of: Mapping[int, int]
    _places: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def place(self, at: int, near: int) -> int:
        """The copy of an original's token that is nearest to a token of the version, -1 where there is none."""
        return min(self._places.get(at, ()), key=lambda one: abs(one - near), default=-1)

    def places(self, at: int) -> Sequence[int]:
        """All copies of an original's token."""
        return self._places.get(at, ())


def suffix_of(tokens: Tokens, function: Function) -> bytes:
    """What a version's name adds to the original's, b"" for functions that are no version."""
    found = _NAME.fullmatch(name_of(tokens, function))
    return found[2] if found else b""


def versions_of(tokens: Tokens, functions: Sequence[Function]) -> dict[int, Version]:
    """The functions that are versions of others, by their bodies."""
    originals: dict[bytes, list[Function]] = {}
    for function in functions:
        if not suffix_of(tokens, function):
            originals.setdefault(name_of(tokens, function), []).append(function)
    found = {}
    for function in functions:
        name = _NAME.fullmatch(name_of(tokens, function))
        original = _original(tokens, function, originals.get(name[1], [])) if name else None
        if original is not None:
            of = _copied(tokens, original, function)
            places: dict[int, list[int]] = {}
            for at, copied in of.items():
                places.setdefault(copied, []).append(at)
            found[function.body] = Version(function, original, of, places)
    return found


def _original(tokens: Tokens, version: Function, functions: Sequence[Function]) -> Function | None:
    """The one that is written on the same line (`#line` says so); where none is, the only one."""
    where = tokens.where(version.params)
    same = [function for function in functions if tokens.where(function.params) == where]
    only = same or functions
    return only[0] if len(only) == 1 or same else None


def _lines(tokens: Tokens, function: Function) -> list[range]:
    """The tokens of a function from its parameters on, by lines."""
    starts = [function.params]
    end = tokens.match[function.body] + 1
    starts += [at for at in range(function.params + 1, end) if b"\n" in tokens.gap[at]]
    return [range(first, last) for first, last in zip(starts, [*starts[1:], end], strict=True)]


def _copied(tokens: Tokens, original: Function, version: Function) -> dict[int, int]:
    """The original's token for each of the version's that is a copy."""
    old, new = _lines(tokens, original), _lines(tokens, version)
    before, after = ([tokens.original[line.start : line.stop] for line in lines] for lines in (old, new))
    of: dict[int, int] = {}
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        theirs = [at for line in old[a:b] for at in line]
        ours = [at for line in new[c:d] for at in line]
        if tag == "equal":
            of.update(zip(ours, theirs, strict=True))
        elif tag == "replace":
            of.update(_alike(tokens, theirs, ours))
    _find_moved(tokens, original, version, of)
    return of


def _alike(tokens: Tokens, theirs: Sequence[int], ours: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The tokens that lines have in common, in the same order: each within a run of like ones."""
    before, after = ([tokens.at(at) for at in run] for run in (theirs, ours))
    for first, second, length in SequenceMatcher(None, before, after).get_matching_blocks():
        if length >= _LEAST:
            yield from ((ours[second + at], theirs[first + at]) for at in range(1, length - 1))


def _expressions(tokens: Tokens, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The expressions in [start, end) that something is assigned, passed or returned from, the inner ones first."""
    begin = index = start
    while index < end:
        text, close = tokens.at(index), tokens.match[index]
        if close > index:
            yield from _expressions(tokens, index + 1, close)
            if text == b"{":
                yield begin, index
                begin = close + 1
            index = close
        elif text in _ENDS:
            yield begin, index
            begin = index + 1
        index += 1
    yield begin, min(index, end)


def _without_subscripts(tokens: Tokens, start: int, end: int) -> list[int]:
    """The tokens of an expression but for what stands in subscripts, and for a part `v.own` of a divided array `v`."""
    found = []
    index = start
    while index < end:
        if tokens.at(index) == b"[" and tokens.match[index] > index:
            index = tokens.match[index]
        elif tokens.at(index) == b"." and tokens.at(index + 1) == b"own" and tokens.at(index + 2) == b"[":
            index += 1
        else:
            found.append(index)
        index += 1
    return found


def _by_text(tokens: Tokens, function: Function) -> dict[tuple[bytes, ...], list[list[int]]]:
    """The expressions of a function that multiply or divide, by their texts, in the order of the source."""
    found: dict[tuple[bytes, ...], list[list[int]]] = {}
    for start, end in _expressions(tokens, function.body + 1, tokens.match[function.body]):
        if not _ARITHMETIC.isdisjoint(tokens.original[start:end]):
            own = _without_subscripts(tokens, start, end)
            found.setdefault(tuple(tokens.at(at) for at in own), []).append(own)
    return found


def _find_moved(tokens: Tokens, original: Function, version: Function, of: dict[int, int]) -> None:
    """Find the originals of expressions that a version has moved, or has more often: by their text, on the same line if
    it is there, the first one for the first."""
    theirs = _by_text(tokens, original)
    for text, copies in _by_text(tokens, version).items():
        candidates = theirs.get(text, [])
        seen: dict[int, int] = {}
        for copy in copies:
            if not candidates or all(at in of for at in copy if tokens.at(at) in _ARITHMETIC):
                continue
            line = tokens.where(copy[0])[1]
            near = [one for one in candidates if tokens.where(one[0])[1] == line] or candidates
            number = seen.get(line, 0)
            seen[line] = number + 1
            found = near[min(number, len(near) - 1)]
            for at, other in zip(copy, found, strict=True):
                of.setdefault(at, other)
            before = copy[0] - 1, found[0] - 1
            if tokens.at(before[0]) == tokens.at(before[1]):
                of.setdefault(*before)
