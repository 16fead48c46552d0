"""`#pragma unroll N` in front of a loop: loads of no more than N of its turns are under way together.

Host compilers do not know the pragma. The text for check mode and the model tells of every turn of such a loop, and the
model waits for what was loaded after each Nth one (runtime/model_append.cpp). With no number the compiler unrolls loops
whose length it knows, and others not: nothing is told of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import LOOPS, after_bracket, statement_end

_PRAGMA = re.compile(
    rb"^[ \t]*#[ \t]*pragma[ \t]+(?:nounroll|unroll[ \t]*\(?[ \t]*(\d+)[ \t]*\)?)[ \t]*$", re.MULTILINE
)


def tell_turns(tokens: Tokens, regions: Iterable[tuple[int, int]]) -> None:
    """Make the loops with such a pragma in the device code `regions` tell of their turns."""
    for start, end in regions:
        for at in range(start, end):
            asked = _PRAGMA.findall(tokens.gap[at]) if tokens.at(at) in LOOPS else []
            turns = int(asked[-1] or 1) if asked else 0
            if turns:
                _tell(tokens, at, b"::gpuopt_emu::turned<%d>()" % turns)


def _tell(tokens: Tokens, index: int, call: bytes) -> None:
    """The call becomes part of what a `for` does between two turns, or begins another loop's body."""
    close = tokens.match[index + 1] if tokens.at(index) == b"for" else -1
    behind = _behind_condition(tokens, index + 2, close)
    if behind >= 0:
        tokens.text[close] = (call if behind == close else b", " + call) + tokens.text[close]
        return
    body = index + 1 if tokens.at(index) == b"do" else after_bracket(tokens, index + 1)
    if tokens.at(body) == b"{":
        tokens.text[body] += call + b";"
    else:
        tokens.text[body] = b"{" + call + b";" + tokens.text[body]
        tokens.text[statement_end(tokens, body) - 1] += b"}"


def _behind_condition(tokens: Tokens, index: int, close: int) -> int:
    """Where the third part of a `for` begins, -1 where it has none (over a range)."""
    parts = 0
    while index < close:
        parts += tokens.at(index) == b";"
        index = after_bracket(tokens, index)
        if parts == 2:
            return index
    return -1
