"""Which functions may launch kernels or instantiate templates that lead to kernels, told from their text alone.

Most host functions do neither; walking their trees would cost more than all kernels together.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.lexing import DEFINITION

_WORD = re.compile(rb"[A-Za-z_]\w*")
_USING = re.compile(rb"\busing\s+([A-Za-z_]\w*)\s*=([^;{}]*);")
_TYPEDEF = re.compile(rb"\btypedef\b([^;{}]*);")
_TYPEDEF_NAME = re.compile(rb"\(\s*(?:\w+::)*[*&]+\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)*$")
# The last two are of kernels that are only declared, too.
_LAUNCH = re.compile(rb"<<[ \t]*<|cudaLaunch|cudaFuncSetCacheConfig|cudaGraph\w*Node")
_TOUCH = re.compile(rb"<<[ \t]*<|cudaLaunch|cudaFuncSet|cudaOccupancy")
_CHEVRONS = re.compile(rb"<<(?:\s|\\[ \t]*\r?\n|/\*[^\n]*?\*/)*<")
_STEMS = (b"cudaLaunch", b"cudaConfigureCall", b"cudaFuncSet", b"cudaOccupancy", b"cudaGraph")
_SPLICE = rb"[\w<]\\[ \t]*\r?\n[\w<]"  # a line that goes on within a name or chevrons
_NAMES_KERNELS = re.compile(b"|".join((_CHEVRONS.pattern, *_STEMS, _SPLICE)))
_PASTED = re.compile(rb"\w+(?:[\s\\]*##[\s\\]*\w+)+")
_PIECE = re.compile(rb"\w+")
_PASTED_CHEVRONS = re.compile(rb"<[\s\\]*##|##[\s\\]*<")
_NAMESPACE = re.compile(rb"\bcuda\s*::")
_SHORTEST = 2  # characters of a part that names are pasted from
_KERNEL_WORDS = (b"<<<", b"<< <", *_STEMS)

Text = tuple[bytes, int, int]
_Definition = tuple["set[bytes]", "set[bytes]", bool]


@dataclass(frozen=True)
class Macros:
    """Macros that may themselves launch kernels or ask about some; and `pasting`, that do with a name put together.

    The first part of that name, from `parts`, stands where they are used: `CAT(cuda, LaunchKernel)`.
    """

    leading: frozenset[bytes] = frozenset()
    pasting: frozenset[bytes] = frozenset()
    parts: frozenset[bytes] = frozenset()

    @classmethod
    def of(cls, definitions: Sequence[re.Match[bytes]]) -> Macros:
        """Those of some definitions (`lexing.DEFINITION`)."""
        texts = [(match.group(1), match.group(2)) for match in definitions]
        words = [set(_WORD.findall(_NAMESPACE.sub(b"", text))) for _, text in texts]
        begun = [_begun(text) if b"##" in text else frozenset[bytes]() for _, text in texts]
        pasting = _all_leading((name, words[at], b"" in begun[at]) for at, (name, _) in enumerate(texts))
        touching = [_speaks_of_kernels(text) or _PASTED_CHEVRONS.search(text) is not None for _, text in texts]
        found = cls(pasting=frozenset(pasting))
        while True:
            parts = frozenset(stem[:size] for stem in (*_STEMS, *found.leading) for size in range(_SHORTEST, len(stem)))
            holding = _all_leading(
                (name, words[at], not parts.isdisjoint(words[at])) for at, (name, _) in enumerate(texts)
            )
            found = replace(found, parts=parts | holding)
            leading = _all_leading(
                (name, words[at], touching[at] or not parts.isdisjoint(begun[at]) or found.pastes(words[at]))
                for at, (name, _) in enumerate(texts)
            )
            if leading == found.leading:
                return found
            found = replace(found, leading=frozenset(leading))

    def pastes(self, words: Collection[bytes]) -> bool:
        """Whether a text with these words may put together the name of what launches kernels or asks about some."""
        return not (self.pasting.isdisjoint(words) or self.parts.isdisjoint(words))

    def used_in(self, data: bytes, start: int, end: int) -> bool:
        """Whether a text may itself launch kernels or ask about them by one of these."""
        words = _WORD.findall(data, start, end)
        if not self.leading.isdisjoint(words):
            return True
        return self.pastes(words) and self.pastes(set(_WORD.findall(_NAMESPACE.sub(b"", data[start:end]))))


def _begun(text: bytes) -> frozenset[bytes]:
    """The first parts of the names that a macro puts together, b"" for one that its use gives."""
    parameters = set(_WORD.findall(text[: text.find(b")") + 1])) if text.startswith(b"(") else set[bytes]()
    firsts = (_PIECE.match(match.group()) for match in _PASTED.finditer(text))
    names = {first.group() for first in firsts if first is not None}
    return frozenset(b"" if name in parameters or name == b"__VA_ARGS__" else name for name in names)


def _all_leading(definitions: Iterable[tuple[bytes, set[bytes], bool]]) -> set[bytes]:
    return _leading(set(), [({name}, words, touches) for name, words, touches in definitions])


@dataclass(frozen=True)
class Reasons:
    """Names that lead to kernels or templates, and macros that may themselves launch kernels or ask about some."""

    names: frozenset[bytes] = frozenset()
    macros: Macros = Macros()

    @classmethod
    def of(
        cls,
        names: set[bytes],
        templates: Mapping[bytes, Sequence[Text]],
        sources: Sequence[bytes],
        others: Iterable[bytes] = (),
        *,
        by_name: bool = False,
    ) -> Reasons:
        """The given names, and those of templates (with their texts), macros and aliases that lead to them.

        Of the `others`, files that are not the project's, macros count that launch kernels or ask about some.
        `by_name`: nobody asks what launches kernels without naming them.
        """
        definitions = [_template(name, text, by_name=by_name) for name, texts in templates.items() for text in texts]
        macros: list[re.Match[bytes]] = []
        for data in sources:
            for match in DEFINITION.finditer(data):
                macros.append(match)
                touches = not by_name and _LAUNCH.search(match.group(2)) is not None
                definitions.append(({match.group(1)}, set(_WORD.findall(match.group(2))), touches))
            definitions += [
                ({match.group(1)}, set(_WORD.findall(match.group(2))), False) for match in _USING.finditer(data)
            ]
            for match in _TYPEDEF.finditer(data):
                defined = {first or last for first, last in _TYPEDEF_NAME.findall(match.group(1))}
                definitions.append((defined, set(_WORD.findall(match.group(1))), False))
        macros += [match for data in others for match in DEFINITION.finditer(data)]
        return cls(frozenset(_leading(set(names), definitions)), Macros.of(macros))

    def apply(self, data: bytes, start: int, end: int) -> bool:
        """Whether a function with this text must be looked into."""
        if launches_something(data, start, end):
            return True
        return not self.names.isdisjoint(_WORD.findall(data, start, end))

    def speaks_of_kernels(self, data: bytes, start: int, end: int) -> bool:
        """Whether a function with this text may itself launch kernels or ask about them; others only lead to some."""
        if _speaks_of_kernels(data, start, end):
            return True
        return self.macros.used_in(data, start, end)


def names_kernels(data: bytes) -> bool:
    """Whether a file may have a macro that launches kernels or asks about some."""
    return any(word in data for word in _KERNEL_WORDS)


def _speaks_of_kernels(data: bytes, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether a text launches kernels, or names a function that is given one."""
    return _NAMES_KERNELS.search(data, start, end) is not None


def _template(name: bytes, text: Text, *, by_name: bool) -> _Definition:
    data, start, end = text
    return {name}, set(_WORD.findall(data, start, end)), not by_name and _TOUCH.search(data, start, end) is not None


def _leading(known: set[bytes], definitions: Sequence[_Definition]) -> set[bytes]:
    """The known names and all that are defined by something that has one of them, or touches kernels itself."""
    waiting = definitions
    while True:
        left = []
        for defined, words, touches in waiting:
            if touches or not known.isdisjoint(words):
                known |= defined
            else:
                left.append((defined, words, touches))
        if len(left) == len(waiting):
            return known
        waiting = left


def words_of_launches(data: bytes) -> set[bytes]:
    """The words of statements up to `<<<`: what is launched by its name is one of them."""
    found: set[bytes] = set()
    for match in _CHEVRONS.finditer(data):
        start = max(data.rfind(mark, 0, match.start()) for mark in (b";", b"{", b"}"))
        found.update(_WORD.findall(data, start + 1, match.start()))
    return found


def launches_something(data: bytes, start: int, end: int) -> bool:
    """Whether a text has something that looks like a launch."""
    return _LAUNCH.search(data, start, end) is not None
