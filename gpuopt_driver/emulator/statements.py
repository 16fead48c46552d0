"""Where C++ statements end, in function bodies; and which functions of a unit lead to which others, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function

LOOPS = frozenset({b"for", b"while", b"do"})


def after_bracket(tokens: Tokens, index: int) -> int:
    """Behind the bracket that opens at `index`, or behind that token."""
    return tokens.match[index] + 1 if tokens.match[index] > index else index + 1


def statement_end(tokens: Tokens, index: int) -> int:
    """Behind the statement that begins at `index`."""
    text = tokens.at(index)
    if text == b"{":
        return after_bracket(tokens, index)
    if text in (b"for", b"while", b"switch", b"if"):
        at = index + 1
        if tokens.at(at) == b"constexpr":
            at += 1
        end = statement_end(tokens, after_bracket(tokens, at))
        return statement_end(tokens, end + 1) if text == b"if" and tokens.at(end) == b"else" else end
    if text == b"do":
        at = statement_end(tokens, index + 1)
        return after_bracket(tokens, at + 1) + 1
    if text in (b"case", b"default") or (tokens.is_word(index) and _is_label(tokens, index)):
        while tokens.at(index) != b":":
            index = after_bracket(tokens, index)
        return statement_end(tokens, index + 1)
    while index < len(tokens) and tokens.at(index) not in (b";", b"}"):
        index = after_bracket(tokens, index)
    return index + 1


def _is_label(tokens: Tokens, index: int) -> bool:
    return tokens.at(index + 1) == b":" and tokens.at(index + 2) != b":"


def functions_reaching(
    tokens: Tokens, functions: list[Function], wanted: Callable[[Function], bool]
) -> tuple[set[int], set[bytes]]:
    """The bodies, and the names, of functions that are wanted, or name one that is, over any number of others."""
    words = {f.body: set(tokens.original[f.body : tokens.match[f.body]]) for f in functions}
    bodies = {f.body for f in functions if wanted(f)}
    names: set[bytes] = set()
    while True:
        found = {name_of(tokens, f) for f in functions if f.body in bodies}
        if found == names:
            return bodies, names
        names = found
        bodies |= {f.body for f in functions if words[f.body] & names}


def name_of(tokens: Tokens, function: Function) -> bytes:
    """The word before a function's parameters."""
    return tokens.at(function.params - 1)


def is_const(words: Sequence[bytes]) -> bool:
    """Whether what a declaration's words name is const itself, or what a reference refers to: not what a pointer points
    to (`const T *&` is a reference to a pointer that can change), nor what a template's argument says."""
    own: list[bytes] = []
    depth = 0
    for word in words:
        depth += (word == b"<") - (word == b">")
        own = [] if word == b"*" and depth <= 0 else [*own, word if depth <= 0 else b""]
    return b"const" in own
