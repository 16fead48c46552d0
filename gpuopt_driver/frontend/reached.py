"""Which templates something may instantiate, told from the text alone: errors can hide who does.

A name that stands in nothing but templates that nobody names, and in itself, makes no function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.reasons import Text

_WORD = re.compile(rb"[A-Za-z_]\w*")
_COMMENT = re.compile(rb"//(?:\\\r?\n|[^\n])*|/\*.*?\*/", re.S)


@dataclass(frozen=True)
class _Written:
    """A text of a template: its name, and where in a file it is."""

    name: bytes
    start: int
    end: int


def reached(wanted: Iterable[bytes], templates: Mapping[bytes, Sequence[Text]], sources: Iterable[bytes]) -> set[bytes]:
    """Those of the wanted names that other text than templates which nobody names leads to.

    `templates` are the texts of all templates by name, those of the wanted ones, too.
    """
    led: dict[bytes, set[bytes]] = {}  # by template: the names in its text
    outside: set[bytes] = set()
    written: dict[int, list[_Written]] = {}  # by the identity of the file's text
    for name, texts in templates.items():
        for data, start, end in texts:
            written.setdefault(id(data), []).append(_Written(name, start, end))
    for data in sources:
        plain = _COMMENT.sub(_blank, data)
        for start, end, around in _stretches(sorted(written.get(id(data), ()), key=_outer_first), len(data)):
            words = templates.keys() & set(_WORD.findall(plain, start, end))
            if around:
                led.setdefault(around[-1].name, set()).update(words.difference(one.name for one in around))
            else:
                outside |= words
    known = set(outside)
    waiting = list(outside)
    while waiting:
        found = led.get(waiting.pop(), set()) - known
        known |= found
        waiting += found
    return known.intersection(wanted)


def _blank(comment: re.Match[bytes]) -> bytes:
    return b" " * len(comment.group())


def _outer_first(text: _Written) -> tuple[int, int]:
    return text.start, -text.end


def _stretches(here: Sequence[_Written], size: int) -> Iterator[tuple[int, int, Sequence[_Written]]]:
    """A file of so many bytes in pieces, each with the templates around it, the innermost last."""
    around: list[_Written] = []
    at = 0
    for text in (*here, None):
        start = size if text is None else text.start
        while around and around[-1].end <= start:
            yield at, around[-1].end, tuple(around)
            at = around.pop().end
        yield at, start, tuple(around)
        at = start
        if text is not None:
            around.append(text)
