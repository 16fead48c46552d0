"""Which templates something may instantiate, told from the text alone: errors can hide who does.

A name that stands in nothing but templates that nobody names, and in itself, makes no function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.reasons import Text

_TOKENS = re.compile(rb"//(?:\\\r?\n|[^\n])*|/\*.*?\*/|[A-Za-z_]\w*", re.S)


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
        around = _Around(sorted(written.get(id(data), ()), key=lambda one: (one.start, -one.end)))
        for match in _TOKENS.finditer(data):
            word = match.group()
            if word in templates:
                within = around.innermost(match.start(), word)
                if within is None:
                    outside.add(word)
                elif within:
                    led.setdefault(within, set()).add(word)
    known = set(outside)
    waiting = list(outside)
    while waiting:
        found = led.get(waiting.pop(), set()) - known
        known |= found
        waiting += found
    return known.intersection(wanted)


class _Around:
    """The templates of a file, in the order of their texts, around offsets that only grow."""

    def __init__(self, here: Sequence[_Written]) -> None:
        self._here = here
        self._next = 0
        self._open: list[_Written] = []  # those that have begun; the last one goes on

    def innermost(self, at: int, word: bytes) -> bytes | None:
        """The innermost template around an offset; "" in the text of the word itself, None in no template's."""
        while self._next < len(self._here) and self._here[self._next].start <= at:
            self._open.append(self._here[self._next])
            self._next += 1
        while self._open and self._open[-1].end <= at:
            self._open.pop()
        if not self._open:
            return None
        is_own = any(one.name == word and one.end > at for one in self._open)
        return b"" if is_own else self._open[-1].name
