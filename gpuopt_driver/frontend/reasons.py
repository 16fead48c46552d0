"""Which functions may launch kernels or make instantiations of templates, told from their text alone.

Most host functions do neither; walking their trees would cost more than all kernels together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(rb"[A-Za-z_]\w*")
_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)((?:[^\\\n]|\\\r?\n|\\.)*)", re.M)
_ALIAS = re.compile(rb"\b(?:typedef|using)\b[^;{}]*;")
_LAUNCH = re.compile(rb"<<<|cudaLaunch")
_ROUNDS = 4  # macros that use macros that use macros


@dataclass(frozen=True)
class Reasons:
    """Names that lead to kernels or templates."""

    names: frozenset[bytes] = frozenset()

    @classmethod
    def of(cls, names: set[bytes], sources: list[bytes]) -> Reasons:
        """The given names, and those of macros and aliases that lead to them."""
        known = set(names)
        definitions: list[tuple[set[bytes], set[bytes], bool]] = []
        for data in sources:
            for match in _MACRO.finditer(data):
                words = set(_WORD.findall(match.group(2)))
                definitions.append(({match.group(1)}, words, _LAUNCH.search(match.group(2)) is not None))
            for match in _ALIAS.finditer(data):
                words = set(_WORD.findall(match.group()))
                definitions.append((words, words, False))
        for _round in range(_ROUNDS):
            size = len(known)
            for defined, words, launches in definitions:
                if launches or known & words:
                    known |= defined
            if len(known) == size:
                break
        return cls(frozenset(known))

    def apply(self, data: bytes, start: int, end: int) -> bool:
        """Whether a function with this text must be looked into."""
        if launches_something(data, start, end):
            return True
        return any(match.group() in self.names for match in _WORD.finditer(data, start, end))


def launches_something(data: bytes, start: int, end: int) -> bool:
    """Whether a text has something that looks like a launch."""
    return _LAUNCH.search(data, start, end) is not None
