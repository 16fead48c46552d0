"""Source-level opt-ins and opt-outs, invisible to plain nvcc.

Two forms, before a kernel or inside it: `#pragma gpuopt TEXT`, and `GPUOPT(TEXT)` or `GPUOPT("TEXT")`, a macro that the
source defines to nothing for other compilers:

    #ifndef GPUOPT
    #define GPUOPT(...)
    #endif
"""

from __future__ import annotations

import re

from gpuopt_driver.frontend import lexing
from gpuopt_driver.source.text import SourceFile

_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+gpuopt\b[ \t]*([^\r\n]*)", re.M)
_DIRECTIVE_LINE = re.compile(rb"^[ \t]*#(?:[^\\\n]|\\.|\\\r?\n)*", re.M)


def markers_of(source: SourceFile, start: int, end: int, extents: list[tuple[int, int]]) -> tuple[str, ...]:
    """The markers between the declaration before a kernel and the kernel's end."""
    data = source.data
    if b"gpuopt" not in data and b"GPUOPT" not in data:
        return ()
    before = max((last for _first, last in extents if last <= start), default=0)
    opened = max((first for first, last in extents if first < start < last), default=0)
    low = max(before, opened)
    found = [(match.start(), match.group(1)) for match in _PRAGMA.finditer(data, low, end)]
    blank = _DIRECTIVE_LINE.sub(lambda match: b" " * len(match.group()), data[low:end])
    for kind, text, offset in lexing.tokens(blank, 0, len(blank)):
        if kind == "word" and text == b"GPUOPT":
            at = lexing.skip_gap(blank, offset + 6)
            closed = lexing.closing(blank, at, len(blank)) if blank[at : at + 1] == b"(" else None
            if closed is not None:
                found.append((low + offset, blank[at + 1 : closed]))
    texts = [text.decode("utf-8", "replace").strip() for _offset, text in sorted(found)]
    return tuple(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text for text in texts)
