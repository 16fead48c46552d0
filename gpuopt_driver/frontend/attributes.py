"""Attributes that libclang leaves out and nvcc takes, `__device__ [[nodiscard]] int f();`: what is lost with them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.frontend import lexing
from gpuopt_driver.source.text import SourceFile

# What libclang says of them; the declaration is read without them. The second is said where a type is a qualified name.
_LEFT_OUT = "an attribute list cannot appear here"
_OF_TYPE = re.compile(r"'(?:nodiscard|maybe_unused|deprecated)' attribute cannot be applied to types")
_GAP = rb"(?:\s|\\\r?\n|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*"
_ONE = rb'(?:nodiscard|maybe_unused|deprecated)%b(?:\(%b(?:"(?:\\.|[^"\\\n])*"%b)*\)%b)?,?%b' % (
    _GAP,
    _GAP,
    _GAP,
    _GAP,
    _GAP,
)
_LIST = re.compile(rb"(?:\[|<:)%b(?:\[|<:)%b(?:%b)*(?:\]|:>)%b(?:\]|:>)" % (_GAP, _GAP, _ONE, _GAP), re.S)
_DEPTH = 8  # macros that stand for macros


class Attributes:
    """What the attributes of a unit's `files` are, which may stand in macros."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._texts = [file.data for file in files]
        self._known: dict[bytes, int | None] = {}

    def only_warn(self, message: str, source: SourceFile | None, at: int) -> bool:
        """Whether an error is of attributes at an offset, or of a macro there, that only have compilers say something.

        All definitions of a macro count, as it is not known which of them holds.
        """
        if _OF_TYPE.fullmatch(message) is not None:
            return True
        if source is None or message != _LEFT_OUT:
            return False
        if source.data[at : at + 1] in (b"[", b"<"):
            return _LIST.match(source.data, at) is not None
        name = next(lexing.tokens(source.data, at, len(source.data)), ("", b"", 0))[1]
        return bool(self._lists_of(name, _DEPTH))

    def _lists_of(self, name: bytes, depth: int) -> int | None:
        """How many such lists a macro stands for, 0 for no macro; None where there may be another thing that counts."""
        if name not in self._known:
            self._known[name] = self._counted(name, depth) if depth else None
        return self._known[name]

    def _counted(self, name: bytes, depth: int) -> int | None:
        count = 0
        for data in self._texts:
            found = lexing.DEFINITION.finditer(data) if name in data else ()
            for body in (match[2] for match in found if match[1] == name):
                rest, here = _LIST.subn(b" ", body)
                words = {text for _kind, text, _offset in lexing.tokens(rest, 0, len(rest))} - {name}
                inner = [self._lists_of(word, depth - 1) for word in words]
                if None in inner or not words.isdisjoint((b"[", b"alignas", b"#")):
                    return None
                count += here + sum(filter(None, inner))
        return count
