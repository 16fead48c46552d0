"""Preprocessed CUDA as a list of tokens whose texts can be replaced; what was not replaced comes out byte for byte."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import field
from enum import IntEnum
from itertools import chain

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.regions import DIGRAPHS, has_digraphs, indents_a_pragma, regions_of, user_markers

_TOKEN = re.compile(
    rb"""
      (?P<gap>\s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#[^\n]*)
    | (?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)(?![\w"'])
    | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
    | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
    | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
    | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
    | (?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    | (?P<punct>::|->|\.\.\.|&&|\|\||[-+*/%&|^!=<>]=|.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_INDENTED_PRAGMA = re.compile(rb"^[ \t]+(?=#[ \t]*pragma\b)", re.MULTILINE)
_RAW_OR_INDENTED = re.compile(rb'(R"([^()\\\s]{0,16})\(.*?\)\2")|' + _INDENTED_PRAGMA.pattern, re.MULTILINE | re.DOTALL)
_QUOTED_OR_DIGRAPH = re.compile(
    rb"""(R"([^()\\\s]{0,16})\(.*?\)\2" | "(?:[^"\\\n]|\\.)*" | (?<!\w)'(?:[^'\\\n]|\\.)*' | //[^\n]* | /\*.*?\*/)
    | <% | %> | <:(?!:[^:>]) | :>""",
    re.VERBOSE | re.DOTALL,
)
_OPEN = {b"(": b")", b"[": b"]", b"{": b"}"}
_CLOSE = frozenset(_OPEN.values())


class Kind(IntEnum):
    """What a token is."""

    WORD = 0
    STRING = 1
    NUMBER = 2
    PUNCT = 3


_KINDS = {"word": Kind.WORD, "name": Kind.WORD, "raw": Kind.STRING, "string": Kind.STRING, "char": Kind.NUMBER}
_KINDS |= {"number": Kind.NUMBER, "punct": Kind.PUNCT}


@dataclass(slots=True)
class Tokens:
    """Parallel lists over the tokens. `gap` is what stands before a token: spaces, line markers, system headers."""

    text: list[bytes] = field(default_factory=list)
    gap: list[bytes] = field(default_factory=list)
    kind: list[Kind] = field(default_factory=list)
    match: list[int] = field(default_factory=list)  # partner of a bracket, -1 for others and unbalanced ones
    original: tuple[bytes, ...] = ()  # texts as they were read
    tail: bytes = b""
    offset: list[int] = field(default_factory=list)
    source: bytes = b""
    markers: list[tuple[int, int, str]] = field(default_factory=list)  # end offset, line, file
    own: list[tuple[int, int]] = field(default_factory=list)  # offsets of text that is no system header's
    also: dict[int, tuple[bytes, ...]] = field(default_factory=dict)  # names that a token's present text mentions, too
    _places: dict[bytes, list[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.text)

    def where(self, index: int) -> tuple[str, int]:
        """The user's file and line of a token."""
        at = self.offset[index]
        marker = bisect_right(self.markers, at, key=lambda item: item[0]) - 1
        if marker < 0:
            return "<unknown>", 0
        start, line, file = self.markers[marker]
        return file, line + self.source.count(b"\n", start, at)

    def user_markers(self) -> list[tuple[int, int, str]]:
        """The line markers in the parts that are read: the user's own files, and headers that hold CUDA."""
        return user_markers(self.source)

    def owned(self) -> list[tuple[int, int]]:
        """The tokens of the user's own files, as ranges."""
        return [(bisect_left(self.offset, start), bisect_left(self.offset, end)) for start, end in self.own]

    def is_word(self, index: int) -> bool:
        """Whether there is a token with this index and it is a word (identifier or keyword)."""
        return 0 <= index < len(self.text) and self.kind[index] is Kind.WORD

    def at(self, index: int) -> bytes:
        """The token as it was read, b"" beyond the ends."""
        if index < 0:
            return b""
        try:  # this is asked a hundred thousand times of a source
            return self.original[index]
        except IndexError:
            return b""

    def places(self, *texts: bytes) -> Sequence[int]:
        """The indices of all tokens that were read so, in order: sooner known than by a look at each token."""
        if len(texts) == 1:
            return self._by_text().get(texts[0], ())
        return sorted(chain.from_iterable(self._by_text().get(text, ()) for text in texts))

    def texts(self) -> Iterable[bytes]:
        """Every text that was read, once."""
        return self._by_text().keys()

    def _by_text(self) -> dict[bytes, list[int]]:
        if not self._places:
            for index, text in enumerate(self.original):
                self._places.setdefault(text, []).append(index)
        return self._places

    def join(self, start: int, end: int) -> bytes:
        """The present text of [start, end) without what stands before its first token."""
        parts = [self.text[start]] if start < end else []
        for index in range(start + 1, end):
            parts.append(self.gap[index])
            parts.append(self.text[index])
        return b"".join(parts)

    def separator(self, index: int) -> bytes:
        """What keeps a token apart from the one before it on one line: nothing between the two of `<<` and `>>`."""
        shifts = self.at(index) in (b"<", b">") and self.at(index - 1) == self.at(index)
        return b"" if shifts and not self.gap[index] else b" "

    def written(self, start: int, end: int) -> bytes:
        """[start, end) as it was read, on one line, without line markers."""
        return b"".join(self.separator(at) + self.original[at] for at in range(start, end)).strip()

    def one_line(self, start: int, end: int) -> bytes:
        """The present text of [start, end) on one line, without line markers."""
        parts: list[bytes] = []
        for index in range(start, end):
            text = self.text[index]
            if text and parts and (self.gap[index] or not self.text[index - 1]):
                parts.append(b" ")
            parts.append(text)
        return b"".join(parts)

    def clear(self, start: int, end: int) -> None:
        """Remove [start, end) but for line breaks and line markers, so that lines keep their numbers."""
        for index in range(start, end):
            self.text[index] = b""

    def bytes(self) -> bytes:
        """The whole text."""
        parts: list[bytes] = []
        for gap, text in zip(self.gap, self.text, strict=True):
            parts.append(gap)
            parts.append(text)
        parts.append(self.tail)
        return b"".join(parts)


# Around what only the text for check mode has.
OPENING, CLOSING = b"/*gpuopt_emu_survey(*/", b"/*)gpuopt_emu_survey*/"


def marker(tokens: Tokens, index: int, flags: bytes = b"") -> bytes:
    """A line marker for the token that follows it."""
    file, line = tokens.where(index)
    name = json.dumps(file, ensure_ascii=False)[1:-1].encode("utf-8", "surrogateescape")
    return b'\n# %d "%s"%s\n' % (line, name, flags)


def lex(source: bytes) -> Tokens:
    """Tokens of preprocessed text. What cannot be read as C++ comes out as it is.

    A `#pragma` that a macro has left behind spaces is one for nvcc, which reads its preprocessor's text anew; g++ takes
    such lines for directives only where they begin with `#`.
    """
    if indents_a_pragma(source):
        source = _RAW_OR_INDENTED.sub(lambda found: found[1] or b"", source)
    if has_digraphs(source):
        source = _QUOTED_OR_DIGRAPH.sub(lambda found: found[1] or DIGRAPHS[found[0]], source)
    tokens = Tokens(source=source)
    regions = regions_of(source)
    tokens.own, tokens.markers = [*regions.own], [*regions.markers]
    done = 0  # everything before this offset is in a token or in its gap
    opened: list[int] = []
    owned = frozenset(regions.own)
    below = 0  # how many brackets of the user's are open: parts of system headers, not read as a whole, close none
    for start, end in regions.read:
        users = (start, end) in owned
        if users:
            del opened[below:]  # what such parts have left open
        for found in _TOKEN.finditer(source, start, end):
            group = found.lastgroup
            if group == "delimiter":
                group = "raw"
            if group == "gap" or group is None:
                continue
            text = found.group()
            index = len(tokens.text)
            tokens.text.append(text)
            tokens.gap.append(source[done : found.start()])
            tokens.kind.append(_KINDS[group])
            tokens.match.append(-1)
            tokens.offset.append(found.start())
            done = found.end()
            if text in _OPEN:
                opened.append(index)
            elif text in _CLOSE and len(opened) > (0 if users else below) and _OPEN[tokens.text[opened[-1]]] == text:
                other = opened.pop()
                tokens.match[index], tokens.match[other] = other, index
        below = len(opened) if users else below
    tokens.tail = source[done:]
    tokens.original = tuple(tokens.text)
    return tokens
