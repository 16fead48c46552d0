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
    |(?P<opened><%|<:(?!:(?![:>])))
    |(?P<closed>%>|:>)
    |(?P<other>.)""",
    re.S | re.X,
)
# nvcc takes `<< <` and `>> >`, too, with blanks or comments of one line between them.
_BETWEEN = rb"(?:[ \t]|/\*[^\n]*?\*/)"
_SPACED = re.compile(rb"<<%b+<|<<<[^;]*?>>%b+>" % (_BETWEEN, _BETWEEN))
_LAUNCH = re.compile(rb"<<%b*<[^;]*?>>%b*>" % (_BETWEEN, _BETWEEN))
_CONFIGURATION = re.compile(rb"(<<%b*<).*?(>>%b*>)" % (_BETWEEN, _BETWEEN), re.S)
_SUFFIXED = re.compile(rb'\bextern([ \t]*)[ \t]"C"(?=__)')
_CHEVRONS = re.compile(rb"<<%b*<|>>%b*>" % (_BETWEEN, _BETWEEN))
DEFINITION = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)((?:[^\\\n]|\\\r?\n|\\.)*)", re.M)  # of a macro
_DIGRAPHS = {b"<%": b"{", b"<:": b"[", b"%>": b"}", b":>": b"]"}
_OPEN = {b"(": b")", b"[": b"]", b"{": b"}"}


def tokens(data: bytes, start: int, end: int) -> Iterator[tuple[str, bytes, int]]:
    """(class, text, offset) of every token in [start, end), which must begin between tokens.

    Digraphs are the brackets that they stand for: an opening one is where it begins, a closing one where it ends.
    """
    for match in _TOKEN.finditer(data, start, end):
        kind = match.lastgroup or "other"
        if kind == "mark":
            kind = "raw"
        if kind in ("opened", "closed"):
            yield "other", _DIGRAPHS[match.group()], match.start() + (kind == "closed")
            continue
        if kind != "gap":
            yield kind, match.group(), match.start()


def chevrons(data: bytes, at: int) -> int:
    """The length of the `<<<` or `>>>` at an offset, as nvcc takes them (`<< <`, `>> >`); 0 where there is none."""
    match = _CHEVRONS.match(data, at)
    return match.end() - at if match else 0


def tidied(data: bytes) -> bytes | None:
    """The same text, of the same length, with all launches written `<<<...>>>`; None where they are.

    `extern "C"__global__` becomes `extern"C" __global__`: in a text that is preprocessed first, as nvcc's is, the macro
    is no suffix of the literal.
    """
    parted = _SUFFIXED.sub(rb'extern\1"C" ', data)
    if not _SPACED.search(parted):
        return parted if parted != data else None

    def close_up(match: re.Match[bytes]) -> bytes:
        text = match.group()
        return text[:1] * 3 + b" " * (len(text) - 3)

    def launch(match: re.Match[bytes]) -> bytes:
        return _CHEVRONS.sub(close_up, match.group())

    return _LAUNCH.sub(launch, parted)


def configuration_marks(text: bytes) -> tuple[int, int] | None:
    """The lengths of `<<<` and `>>>` around a launch's configuration; None where it is none."""
    match = _CONFIGURATION.fullmatch(text)
    return (len(match[1]), len(match[2])) if match else None


def configuration_end(data: bytes, at: int) -> int:
    """The offset behind the `>>>` of the launch whose `<<<` is at an offset; 0 where there is none."""
    begin = at + chevrons(data, at)
    depth = 0
    for kind, text, offset in tokens(data, begin, len(data)):
        if kind == "mark3" or (text == b">" and depth == 0):
            length = chevrons(data, offset)
            if length and depth == 0:
                return offset + length
        if kind == "other":
            depth += (text in b"([{") - (text in b")]}")
        if depth < 0 or text == b";":
            return 0
    return 0


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


_DIRECTIVE = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*([a-z]+)", re.M)


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
    return None if rest.startswith((b"#", b"%:")) else line_end + 1
