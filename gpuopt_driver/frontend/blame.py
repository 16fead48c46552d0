"""Which errors concern a kernel: those in its text, in functions that it calls, and in declarations that it uses."""

from __future__ import annotations

import re

from gpuopt_driver.frontend.declarations import Declarations
from gpuopt_driver.frontend.translation import Diagnostic, Translation

_WORD = re.compile(rb"[A-Za-z_]\w*")
_TYPE_NAME = re.compile(rb"\b(?:struct|class|union|enum)\s+(?:\w+\s*\([^)]*\)\s*)*([A-Za-z_]\w*)")
_ALIAS_NAME = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)*;\s*$")
_PROTOTYPE = re.compile(rb"[^=(]*?([A-Za-z_]\w*)\s*\(")
_COMMON = frozenset(
    b"alignas auto bool char class const constexpr double else enum explicit extern float for friend if inline int "
    b"long namespace new operator private protected public return short signed sizeof static std string struct "
    b"switch template this typedef typename union unsigned using vector virtual void volatile while "
    b"__device__ __host__ __global__ __shared__ __constant__ __restrict__ __forceinline__ __managed__".split()
)
_LIMIT = 4  # messages per kernel

Range = tuple[str, int, int]


class Blame:
    """The errors of a unit, sorted by what they may spoil."""

    def __init__(self, translation: Translation, found: Declarations) -> None:
        self.translation = translation
        self.errors = [error for error in translation.errors if "file not found" not in error.message]
        self._declared = [
            (error, self._names(error, found.extents.get(error.file, [])))
            for error in self.errors
            if not any(start <= error.offset < end for start, end in found.bodies.get(error.file, []))
        ]

    def _names(self, error: Diagnostic, extents: list[tuple[int, int]]) -> frozenset[bytes]:
        """The names that a broken declaration outside functions declares, as far as text tells."""
        source = self.translation.files.get(error.file)
        if source is None:
            return frozenset()
        line = source.position(error.offset)[0]
        start = source.line_starts[line - 1]
        end = source.line_starts[line] if line < len(source.line_starts) else len(source.data)
        names: set[bytes] = set()
        for first, last in extents:
            if first <= error.offset <= last:
                around = _enclosing_types(source.data[first : error.offset])
                if around:  # a member: whoever uses it names its type
                    return frozenset({*around, *_ALIAS_NAME.findall(source.data[first : last + 1])})
                if b"{" not in source.data[first:last]:
                    start = first
        prototype = _PROTOTYPE.match(source.data, start, end)
        names.update([prototype.group(1)] if prototype else _WORD.findall(source.data, start, end))
        return frozenset(names - _COMMON)

    def problems(self, ranges: list[Range]) -> list[str]:
        """What is wrong with a kernel whose own text and whose called functions' texts are these ranges."""
        found = [
            self._message(error)
            for error in self.errors
            if any(error.file == file and first <= error.offset <= last for file, first, last in ranges)
        ]
        if self._declared:
            words = self._words(ranges)
            found += [self._message(error) for error, names in self._declared if names & words]
        return list(dict.fromkeys(found))[:_LIMIT]

    def _words(self, ranges: list[Range]) -> set[bytes]:
        words: set[bytes] = set()
        for file, first, last in ranges:
            source = self.translation.files.get(file)
            if source is not None:
                words.update(_WORD.findall(source.data, first, last))
        return words

    def _message(self, error: Diagnostic) -> str:
        source = self.translation.files.get(error.file)
        line = source.position(error.offset)[0] if source else 0
        return f"line {line}: {error.message}"


def _enclosing_types(before: bytes) -> set[bytes]:
    """The types whose definitions are still open at the end of a text."""
    names = set()
    for match in _TYPE_NAME.finditer(before):
        opened = before.count(b"{", match.end()) - before.count(b"}", match.end())
        if opened > 0:
            names.add(match.group(1))
    return names
