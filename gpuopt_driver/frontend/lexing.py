"""Just enough lexing of source bytes: skipping comments, matching parentheses, finding words outside comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

_GAP = re.compile(rb"(?:[ \t\r\n\f\v]+|\\\r?\n|//(?:[^\\\n]|\\.|\\\n)*|/\*.*?\*/)+", re.S)
_TOKEN = re.compile(
    rb"""(?P<gap>(?:[ \t\r\n\f\v]+|\\\r?\n|//(?:[^\\\n]|\\.|\\\n)*|/\*.*?\*/)+)
    |(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
    |(?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])*')
    |(?P<word>[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*)
    |(?P<mark3><<<|>>>)
    |(?P<other>.)""",
    re.S | re.X,
)
_OPEN = {b"(": b")", b"[": b"]", b"{": b"}"}


def tokens(data: bytes, start: int, end: int) -> Iterator[tuple[str, bytes, int]]:
    """(class, text, offset) of every token in [start, end), which must begin between tokens."""
    for match in _TOKEN.finditer(data, start, end):
        kind = match.lastgroup or "other"
        if kind == "mark":
            kind = "raw"
        if kind != "gap":
            yield kind, match.group(), match.start()


def skip_gap(data: bytes, at: int) -> int:
    """The offset of the first byte at or after `at` that is neither white space nor comment."""
    match = _GAP.match(data, at)
    return match.end() if match else at


def semicolon_after(data: bytes, at: int) -> int | None:
    """The offset behind the ';' that follows `at`, if the next token is one."""
    at = skip_gap(data, at)
    return at + 1 if data[at : at + 1] == b";" else None


def closing(data: bytes, at: int, limit: int) -> int | None:
    """The offset of the bracket that closes the one at `at`."""
    depth = 0
    for kind, text, offset in tokens(data, at, limit):
        if kind != "other":
            continue
        if text in b"([{":
            depth += 1
        elif text in b")]}":
            depth -= 1
            if depth == 0:
                return offset
    return None


def header(data: bytes, start: int, limit: int) -> tuple[int, int, list[int]] | None:
    """Of a statement `word ( ... )`: offsets of '(' and ')' and of the ';' at depth one between them."""
    depth = 0
    opened = -1
    semicolons: list[int] = []
    for kind, text, offset in tokens(data, start, limit):
        if kind != "other":
            continue
        if text in b"([{":
            depth += 1
            if opened < 0:
                opened = offset
        elif text in b")]}":
            depth -= 1
            if depth == 0:
                return opened, offset, semicolons
        elif text == b";" and depth == 1:
            semicolons.append(offset)
    return None


def find_word(data: bytes, word: bytes, start: int, end: int) -> int | None:
    """The offset of the first occurrence of a word outside comments and literals."""
    for kind, text, offset in tokens(data, start, end):
        if kind == "word" and text == word:
            return offset
    return None


_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*([a-z]+)", re.M)


def after_conditionals(data: bytes, start: int, end: int) -> int | None:
    """Where text may be inserted in [start, end) so that no #else, #elif or #endif follows before `end`.

    `start` if there is none; None if the only place would be inside another directive.
    """
    last = None
    for match in _DIRECTIVE.finditer(data, start, end):
        if match.group(1) in (b"else", b"elif", b"endif", b"if", b"ifdef", b"ifndef", b"elifdef", b"elifndef"):
            last = match
    if last is None:
        return start
    line_end = data.find(b"\n", last.end())
    if line_end < 0 or line_end + 1 > end:
        return None
    rest = data[line_end + 1 : end].lstrip()
    return None if rest.startswith(b"#") else line_end + 1
