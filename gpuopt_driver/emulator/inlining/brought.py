"""What `using` brings to where a function's text would stand, but not to where the function is."""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.emulator.fission.tree import BASIC
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Structure


def declared_within(tokens: Tokens, functions: Mapping[int, Function], start: int, end: int) -> set[bytes]:
    """What may be declared between the braces of a namespace: its functions, given by their heads, and all other words
    outside of them."""
    found: set[bytes] = set()
    index = start + 1
    while index < end:
        function = functions.get(index)
        if function is not None:
            found.add(name_of(tokens, function))
            index = tokens.match[function.body]
        elif tokens.is_word(index):
            found.add(tokens.at(index))
        index += 1
    return found - BASIC - {b"const", b"constexpr", b"static", b"__device__", b"__constant__"}


class Brought:
    """The names that the `using` of a unit bring. Namespaces of headers without CUDA bring nothing that matters."""

    def __init__(self, tokens: Tokens, structure: Structure) -> None:
        self.tokens = tokens
        self.functions = {f.head: f for f in structure.functions}
        self._within: dict[bytes, list[tuple[int, int]]] = {}  # namespaces, by their last names
        self._other: dict[bytes, bytes] = {}  # names for namespaces
        self._using: list[int] = []
        for at, text in enumerate(tokens.original):
            if text == b"namespace" and tokens.at(at + 2) == b"=":
                stop = next((i for i in range(at, len(tokens)) if tokens.at(i) == b";"), at)
                self._other[tokens.at(at + 1)] = tokens.at(stop - 1)
            elif text == b"namespace" and tokens.at(at - 1) != b"using":
                opened = at + 1
                while tokens.is_word(opened) or tokens.at(opened) == b"::":
                    opened += 1
                if tokens.at(opened) == b"{":
                    for index in range(at + 1, opened):  # `namespace a::b`
                        self._within.setdefault(tokens.at(index), []).append((opened, tokens.match[opened]))
            elif text == b"using" and tokens.at(at + 2) != b"=":
                self._using.append(at)

    def between(self, function: Function, kernel: Function) -> set[bytes]:
        """The names brought to the end of a kernel, or to the kernel from behind a function before it."""
        found: set[bytes] = set()
        behind, close = self.tokens.match[function.body], self.tokens.match[kernel.body]
        bodies = [(f.body, self.tokens.match[f.body]) for f in self.functions.values() if f != kernel]
        for at in self._using:
            if behind < at < close and not any(start < at < end for start, end in bodies):
                found |= self._names(at, frozenset())
        return found

    def _names(self, at: int, seen: frozenset[bytes]) -> set[bytes]:
        """The names that the `using` at `at` brings."""
        tokens = self.tokens
        stop = next((i for i in range(at, len(tokens)) if tokens.at(i) == b";"), at + 1)
        name = tokens.at(stop - 1)
        if tokens.at(at + 1) != b"namespace":
            return {name}
        while name in self._other and name not in seen:
            seen |= {name}
            name = self._other[name]
        return set() if name in seen else self._words(name, seen | {name})

    def _words(self, name: bytes, seen: frozenset[bytes]) -> set[bytes]:
        """What may be declared in namespaces of a name, or is brought to them."""
        found: set[bytes] = set()
        for start, end in self._within.get(name, ()):
            found |= declared_within(self.tokens, self.functions, start, end)
            for at in (at for at in self._using if start < at < end):
                found |= self._names(at, seen)
        return found
