"""Conversions of the user's classes that read what other threads write: `while (!poll)` has no word that says so.

What may hold an object of such a class is told by names, and in doubt it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuopt_driver.emulator.fission.tree import BASIC
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function, Role, Structure

_CLASSES = frozenset({b"struct", b"class", b"union"})


def conversions(tokens: Tokens, structure: Structure) -> list[Function]:
    """The conversions in the user's own files that devices have."""
    owned = tokens.owned()

    def is_one(function: Function) -> bool:
        words = tokens.original[function.head : function.params]
        named = tokens.is_word(function.params - 1) or tokens.at(function.params - 1) in (b"*", b"&", b">")
        behind = words[words.index(b"operator") + 1 :] if b"operator" in words else ()
        converts = named and behind[:1] != (b"new",) and any(word[:1].isalpha() for word in behind)
        return converts and any(start <= function.head < end for start, end in owned)

    return [f for f in structure.functions if f.role is not Role.HOST and is_one(f)]


def _classes(tokens: Tokens) -> Iterator[tuple[bytes, int, int]]:
    """The classes of a unit: a name, and from where to where they are written."""
    for at in tokens.places(*_CLASSES):
        opened, name = at + 1, b""
        while opened < len(tokens) and tokens.at(opened) not in (b"{", b";", b"(", b")", b"=", b">", b","):
            based = b":" in tokens.original[at:opened]
            name = tokens.at(opened) if tokens.is_word(opened) and not based and tokens.at(opened) != b"final" else name
            attribute = tokens.at(opened + 1) == b"(" and tokens.is_word(opened) and not based
            opened = tokens.match[opened + 1] + 1 if attribute else opened + 1
        if name and tokens.at(opened) == b"{" and tokens.match[opened] > opened:
            yield name, at, tokens.match[opened]


def holders(tokens: Tokens, structure: Structure, converting: list[Function]) -> Callable[[Function], bool]:
    """Which functions may have an object of a class that these conversions are of."""
    classes = list(_classes(tokens))
    names = {name for name, start, end in classes if any(start < f.head < end for f in converting)}
    known = {name for name, _, _ in classes}
    for function in converting:  # `P::operator bool() {`
        names |= known.intersection(tokens.original[function.head : function.params])
    parts = [({name}, set(tokens.original[start:end])) for name, start, end in classes]
    for at in tokens.places(b"typedef", b"using"):
        end = next((i for i in range(at, len(tokens)) if tokens.at(i) == b";"), at)
        parts.append((_words(tokens, at, end), set(tokens.original[at:end])))
    ranges = [(item.head, item.end) for item in structure.declarations]
    parts += [(_words(tokens, *part), set(tokens.original[slice(*part)])) for part in ranges]
    for function in structure.functions:
        head = tokens.original[function.head : function.params]
        parts.append(({tokens.at(function.params - 1)}, set(head)))
    before = 0
    while len(names) > before:
        before = len(names)
        names |= {name for made, words in parts if words & names for name in made}
    inside = [(start, end) for name, start, end in classes if name in names]

    def holds(function: Function) -> bool:
        head = tokens.original[function.head : function.body]
        if b"template" in head or b"auto" in head or any(start < function.head < end for start, end in inside):
            return True
        return not names.isdisjoint(tokens.original[function.head : tokens.match[function.body]])

    return holds if names else lambda _: False


def _words(tokens: Tokens, start: int, end: int) -> set[bytes]:
    return {tokens.at(at) for at in range(start, end) if tokens.is_word(at)} - BASIC - {b"typedef", b"using", b"const"}
