"""Which templates something may instantiate, told from the text alone: errors can hide who does.

A name that stands in nothing but templates that nobody names, and in itself, makes no function.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
        here = sorted(written.get(id(data), ()), key=lambda one: (one.start, -one.end))
        starts = [one.start for one in here]
        for match in _TOKENS.finditer(data):
            word = match.group()
            if word in templates:
                within = _innermost(here, starts, match.start(), word)
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


def _innermost(here: Sequence[_Written], starts: Sequence[int], at: int, word: bytes) -> bytes | None:
    """The innermost template in whose text an offset is; "" in the text of the word itself, None in no template's."""
    for number in range(bisect_right(starts, at) - 1, -1, -1):
        one = here[number]
        if one.end > at:
            return b"" if any(outer.name == word and outer.end > at for outer in here[: number + 1]) else one.name
    return None
