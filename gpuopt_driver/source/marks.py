"""Comments around load expressions that say which cache operator their instructions are to get in the PTX.

They change nothing by themselves. Where there is no PTX (the emulator) they are replaced by the source form, a call
that loads with the operator, which every pair of comments holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuopt_driver.dataclass import dataclass

STAYS = "stays"  # in the place of an operator: a load inside a marked one, to be told from it
FIRST_LINE = 1_000_001  # lines of marked loads in `numbered` sources; no file has as many
_OPENING = re.compile(rb"/\*gpuopt:load (\S+) (\S+) (-?\d+) ?(.*?)\*/", re.DOTALL)
_CLOSING = re.compile(rb"/\*gpuopt:end ?(.*?)\*/", re.DOTALL)
_ANY = re.compile(rb"/\*gpuopt:(load|end)\b.*?\*/", re.DOTALL)
_LINE = re.compile(rb"[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked load: the line that it has in the numbered source, operator, and parameter that its address is from.

    `param` counts the kernel's own parameters from 0; -1: its address is from something else. A marked load may stand
    inside another one's address.
    """

    line: int
    kernel: str  # qualified name, without blanks
    operator: str  # "cs", "L1::no_allocate"; STAYS
    param: int
    text: str
    nest: int  # the line of the outermost mark around it, its own where it is that


def opening(kernel: str, operator: str, param: int, call: str = "") -> str:
    """What stands in front of a marked load; `call` is the source form's part there."""
    return f"/*gpuopt:load {name_of(kernel)} {operator} {param} {call}*/"


def name_of(kernel: str) -> str:
    """A kernel's qualified name as marks have it."""
    return "".join(kernel.split()).replace("*/", "")


def closing(call: str = "") -> str:
    """What stands behind a marked load."""
    return f"/*gpuopt:end {call}*/"


def has_marks(data: bytes) -> bool:
    """Whether any load of a source is marked."""
    return b"/*gpuopt:load " in data


def in_source(data: bytes) -> bytes:
    """The source with marked loads in their source form."""
    return _CLOSING.sub(lambda found: found.group(1), _OPENING.sub(lambda found: found.group(4), data))


def numbered(data: bytes, first: int = FIRST_LINE) -> tuple[bytes, tuple[Mark, ...]]:
    """A twin of the source in which every marked load stands on a line number of its own, from `first` on; the marks.

    Only the line table of what is compiled from it differs: text behind a mark has its own number again.
    """
    pieces: list[bytes] = []
    found: list[Mark] = []
    around: list[int] = []
    at = 0
    for mark, line in _with_lines(data):
        pieces.append(data[at : mark.end()])
        at = mark.end()
        opened = _OPENING.fullmatch(mark.group())
        if opened is not None:
            around.append(first + len(found))
            kernel, operator, param, _ = (group.decode("utf-8", "replace") for group in opened.groups())
            found.append(Mark(around[-1], kernel, operator, int(param), _expression(data, at), around[0]))
        elif around:
            around.pop()
        pieces.append(b"\n#line %d\n" % (around[-1] if around else line))
    return b"".join([*pieces, data[at:]]), tuple(found)


def _expression(data: bytes, start: int) -> str:
    """The text of the marked load that begins here, for people."""
    depth = 1
    for mark in _ANY.finditer(data, start):
        depth += 1 if mark.group(1) == b"load" else -1
        if depth == 0:
            return " ".join(_ANY.sub(b"", data[start : mark.start()]).decode("utf-8", "replace").split())
    return ""


def _with_lines(data: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """The marks with the line number that a compiler gives to what follows each of them."""
    line, at = 1, 0
    for mark in _ANY.finditer(data):
        while (end := data.find(b"\n", at, mark.end())) >= 0:
            directive = _LINE.match(data, at, end)
            line = int(directive.group(1)) if directive is not None else line + 1
            at = end + 1
        yield mark, line
