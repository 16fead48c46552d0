"""Lines of sources that compilers quote in their messages, as they are written and not as they are shown to them.

    a.cu(7): warning #549-D: variable "x" is used before its value is set
        k__gpuopt_launch(::gpuopt_rt::config(16, 256), x, n);
                                                        ^

What nvcc's front end quotes has macros expanded, so that it is neither the patched line nor the program's: tokens tell
which part of it was patched. A quotation that cannot be told apart stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from gpuopt_driver.nvcc import contexts
from gpuopt_driver.nvcc.overlaid import OverlaidFile

TRACES = (b"gpuopt_rt::", b"__gpuopt_")
_HEAD = re.compile(rb"(.+?)\((\d+)\): (?:warning|error|remark|note)\b")
_NUMBERED = re.compile(rb"( *(\d+) \| )(.*)")
_CARET = re.compile(rb" +\^\s*")
_MOST = 3000  # tokens that are compared each with each
_TOKEN = re.compile(rb'"(?:\\.|[^"\\])*"|' + rb"'(?:\\.|[^'\\])*'" + rb"|\w+|<<<|>>>|::|[^\s\w]")


class _Token(NamedTuple):
    text: bytes
    start: int
    end: int


def as_written(output: bytes, files: Iterable[OverlaidFile]) -> bytes:
    """nvcc's output with its quotations of patched lines as they are in the sources."""
    if not any(trace in output for trace in TRACES):
        return output
    shown = {file.original: file for file in files}
    lines = [_numbered(line, shown.values()) for line in contexts.as_written(output).split(b"\n")]
    head: re.Match[bytes] | None = None
    texts: dict[str, tuple[list[bytes], list[bytes]]] = {}
    for at, line in enumerate(lines[1:], 1):
        head = _HEAD.match(lines[at - 1]) or head
        if head and _CARET.fullmatch(line) and any(trace in lines[at - 1] for trace in TRACES):
            patched, written = _lines(head, shown, texts)
            found = _restored(lines[at - 1], patched, written, line.index(b"^")) if patched else None
            if found is not None:
                lines[at - 1], column = found
                lines[at] = b" " * column + line[line.index(b"^") :]
    return b"\n".join(lines)


def _numbered(line: bytes, files: Iterable[OverlaidFile]) -> bytes:
    """A line that the host compiler quotes, with its number in front: tabs are blanks, macros as they are written."""
    found = _NUMBERED.fullmatch(line) if any(trace in line for trace in TRACES) else None
    for file in files if found else ():
        patched, written = _read(file.copy), _read(file.original)
        at = int(found[2]) - 1 if found else 0
        if found and 0 <= at < min(len(patched), len(written)) and patched[at].expandtabs().rstrip() == found[3]:
            return found[1] + written[at].expandtabs().rstrip()
    return line


def _lines(
    head: re.Match[bytes], shown: Mapping[str, OverlaidFile], texts: dict[str, tuple[list[bytes], list[bytes]]]
) -> tuple[bytes, bytes]:
    """The line that a message is about, as nvcc saw it and as it is written; nothing where it was not patched."""
    path = os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(head[1])))  # noqa: PTH109, PTH118 - bytes of users
    file = shown.get(path)
    if file is None:
        return b"", b""
    if path not in texts:
        texts[path] = (_read(file.copy), _read(file.original))
    number = int(head[2])
    patched, written = texts[path]
    return (patched[number - 1], written[number - 1]) if 0 < number <= min(map(len, texts[path])) else (b"", b"")


def _read(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read().splitlines()
    except OSError:
        return []


def _restored(quoted: bytes, patched: bytes, written: bytes, caret: int) -> tuple[bytes, int] | None:
    """A quoted line without what was patched, and the column of its caret; None where that is not found in it."""
    has, saw, wrote = (_tokens(text) for text in (quoted, patched, written))
    places = {there: here for here, there in _alike(has, saw)}
    made, at, column = bytearray(), 0, caret
    for first, last, start, end in _changes(saw, wrote):
        begin = places.get(first, -1) if first < last else places.get(first - 1, -2) + 1
        behind = begin + last - first
        if begin < 0 or any(places.get(first + step) != begin + step for step in range(last - first)):
            return None
        stands = has[begin - 1].end if begin else 0
        goes_on = has[behind].start if behind < len(has) else len(quoted)
        before = _gap(wrote, start) if begin else quoted[: has[0].start]
        text = before + written[wrote[start].start : wrote[end - 1].end] if start < end else before
        if start < end and behind < len(has):
            text += _gap(wrote, end)
        made += quoted[at:stands]
        if caret >= goes_on:
            column += len(text) - (goes_on - stands)
        elif caret >= stands:
            column = len(made) + len(before)
        made += text
        at = goes_on
    return bytes(made + quoted[at:]), column


def _tokens(text: bytes) -> list[_Token]:
    return [_Token(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def _gap(tokens: Sequence[_Token], at: int) -> bytes:
    """The space that a preprocessor leaves in front of a token."""
    if not 0 < at < len(tokens):
        return b""
    return b" " if tokens[at - 1].end < tokens[at].start else b""


def _alike(one: Sequence[_Token], other: Sequence[_Token]) -> Iterator[tuple[int, int]]:
    """The places of tokens that two lines have in common, in order: what both end and begin with first."""
    left, right = [token.text for token in one], [token.text for token in other]
    most = min(len(left), len(right))
    tail = next((step for step in range(most) if left[-1 - step] != right[-1 - step]), most)
    most -= tail
    head = next((step for step in range(most) if left[step] != right[step]), most)
    yield from ((at, at) for at in range(head))
    inner = left[head : len(left) - tail], right[head : len(right) - tail]
    if max(map(len, inner)) <= _MOST and all(inner):
        for here, there, size in SequenceMatcher(None, *inner, autojunk=False).get_matching_blocks():
            yield from ((head + here + step, head + there + step) for step in range(size))
    yield from ((len(left) - step, len(right) - step) for step in range(tail, 0, -1))


def _changes(saw: Sequence[_Token], wrote: Sequence[_Token]) -> Iterator[tuple[int, int, int, int]]:
    """What stands in a patched line (from, to) for what is written (from, to)."""
    first = start = 0
    for here, there in (*_alike(saw, wrote), (len(saw), len(wrote))):
        if here > first or there > start:
            yield first, here, start, there
        first, start = here + 1, there + 1
