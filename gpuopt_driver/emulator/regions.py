"""Which parts of preprocessed text are looked at: the user's own files, and system headers that hold CUDA.

What stands before the user's first line is the same for many sources, and for one that is read again when it has
changed: it is gone through once.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gpuopt_driver.dataclass import dataclass

# Begins with fixed bytes, not with `^`: it is looked for several times as fast.
_MARKER = re.compile(rb'# (?<![^\n]# )(\d+) "((?:[^"\\\n]|\\.)*)"((?: \d)*)[^\n]*\n')
_MAIN = re.compile(rb'\A# \d+ "((?:[^"\\\n]|\\.)+)"\n')
_WORDS = rb"global|device|host|shared|constant|managed|launch_bounds|forceinline|noinline"
_CUDA = re.compile(rb"__(?<!\w__)(?:%s)__\b|<<<" % _WORDS)  # begins with fixed bytes: twice as fast as behind \b
_QUOTED = re.compile(rb'"(?:[^"\\\n]|\\.)*"')
_PRAGMA, _INDENT = re.compile(rb"pragma\b"), re.compile(rb"[ \t]+#[ \t]*")
# Not `<::`, which begins with `<`, unless `<:::` or `<::>`.
DIGRAPHS = {b"<%": b"{", b"%>": b"}", b"<:": b"[", b":>": b"]"}

_Ranges = tuple[tuple[int, int], ...]
_Markers = tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Regions:
    """Parts of a text as offsets."""

    read: _Ranges
    own: _Ranges  # those that are the user's
    markers: _Markers  # end offset, line, file


@dataclass(frozen=True, slots=True)
class _Headers:
    """What was found in the text before the user's first line; offsets are from its beginning."""

    found: Regions
    system: bool  # whether what follows without a marker of its own is a system header's
    has_digraphs: bool
    has_indented_pragmas: bool


class _Reading:
    """Goes through parts of a text, one behind the other."""

    def __init__(self, *, system: bool = False) -> None:
        self.read: list[tuple[int, int]] = []
        self.own: list[tuple[int, int]] = []
        self.markers: list[tuple[int, int, str]] = []
        self.system = system

    def part(self, source: bytes, start: int, end: int) -> None:
        """From `start` to `end`, where the text ends or a marker stands."""
        for marker in _MARKER.finditer(source, start, end):
            self._note(source, start, marker.start())
            flags = marker.group(3).split()
            start = marker.end()
            if b"1" in flags or b"2" in flags:  # else a macro from a system header, expanded in the user's text
                self.system = b"3" in flags
            name = marker.group(2)
            file = (re.sub(rb"\\(.)", rb"\1", name) if b"\\" in name else name).decode("utf-8", "surrogateescape")
            self.markers.append((start, int(marker.group(1)), file))
        self._note(source, start, end)

    def _note(self, source: bytes, start: int, end: int) -> None:
        if start < end and (not self.system or _holds_cuda(source, start, end)):
            self.read.append((start, end))
            self.own.extend([] if self.system else self.read[-1:])

    def headers(self, headers: _Headers, at: int) -> None:
        """Headers that were gone through before and stand at an offset."""
        self.read += [(start + at, end + at) for start, end in headers.found.read]
        self.own += [(start + at, end + at) for start, end in headers.found.own]
        self.markers += [(end + at, line, file) for end, line, file in headers.found.markers]
        self.system = headers.system

    def made(self) -> Regions:
        return Regions(tuple(self.read), tuple(self.own), tuple(self.markers))


def _holds_cuda(source: bytes, start: int, end: int) -> bool:
    """Whether a part of a system header speaks CUDA: outside of strings, and not of g++'s own `noinline`."""
    for found in _CUDA.finditer(source, start, end):
        line = source.rfind(b"\n", 0, found.start()) + 1
        quoted = _QUOTED.sub(b"", source[line : found.start()]).count(b'"')
        attribute = found.group() == b"__noinline__" and source[line : found.start()].rstrip().endswith((b"(", b","))
        if not quoted and not attribute:
            return True
    return False


def _has_digraphs(source: bytes, start: int = 0) -> bool:
    return any(source.find(digraph, start) >= 0 for digraph in DIGRAPHS)


def _indents_a_pragma(source: bytes, start: int = 0) -> bool:
    """Whether there are blanks in front of a `#pragma`."""
    starts = (found.start() for found in _PRAGMA.finditer(source, start))
    return any(_INDENT.fullmatch(source, source.rfind(b"\n", 0, at) + 1, at) for at in starts)


@lru_cache(maxsize=4)
def _of_headers(text: bytes) -> _Headers:
    reading = _Reading()
    reading.part(text, 0, len(text))
    return _Headers(reading.made(), reading.system, _has_digraphs(text), _indents_a_pragma(text))


@lru_cache(maxsize=1)
def _parted(source: bytes) -> tuple[int, int, _Headers] | None:
    """Where the headers begin and end, and what is in them; None where the text does not tell."""
    main = _MAIN.match(source)
    start = source.find(b'\n# 1 "%s"\n' % main[1], main.end()) if main is not None else -1
    if main is None or start < 0:
        return None
    return main.end(), start + 1, _of_headers(source[main.end() : start + 1])


@lru_cache(maxsize=1)  # whoever translates a source asks several times
def regions_of(source: bytes) -> Regions:
    """What is to be looked at in preprocessed text."""
    reading = _Reading()
    parted = _parted(source)
    if parted is None:
        reading.part(source, 0, len(source))
        return reading.made()
    begin, end, headers = parted
    reading.part(source, 0, begin)
    reading.headers(headers, begin)
    reading.part(source, end, len(source))
    return reading.made()


def has_digraphs(source: bytes) -> bool:
    """Whether a text may have `<:` and the like."""
    parted = _parted(source)
    return _has_digraphs(source) if parted is None else parted[2].has_digraphs or _has_digraphs(source, parted[1])


def indents_a_pragma(source: bytes) -> bool:
    """Whether there are blanks in front of a `#pragma`."""
    parted = _parted(source)
    if parted is None:
        return _indents_a_pragma(source)
    return parted[2].has_indented_pragmas or _indents_a_pragma(source, parted[1])


def user_ranges(source: bytes) -> _Ranges:
    """The parts of preprocessed text, as offsets, that are the user's own files'."""
    return regions_of(source).own


def user_markers(source: bytes) -> list[tuple[int, int, str]]:
    """The line markers in the parts of preprocessed text that are looked at."""
    found = regions_of(source)
    read = {start for start, _ in found.read}
    return [item for item in found.markers if item[0] in read]
