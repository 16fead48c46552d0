"""Whether a function is only called by its name: what else has the name in the text is a variable or a member.

A variable hides a function from its declaration to the end of its scope. What may be an expression, or may declare a
function, is taken for no declaration of a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from gpuopt_driver.emulator.builtin_variables import lambda_body
from gpuopt_driver.emulator.fission.tree import (
    BASIC,
    Declaration,
    Declarator,
    Declined,
    Statement,
    declaration,
    parse,
    statements,
)
from gpuopt_driver.emulator.inlining.callees import split_at_commas
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.statements import after_bracket
from gpuopt_driver.emulator.structure import Function, Structure

_NAME = re.compile(rb"[A-Za-z_]\w*")
# Words that only declarations have.
_TYPES = BASIC | {b"auto", b"const", b"volatile", b"struct", b"class", b"enum", b"union", b"typename", b"static"}
_POINTERS = frozenset({b"*", b"&", b"&&", b"const", b"__restrict__", b"__restrict"})
# Words before an expression, or between two.
_OPERATORS = frozenset(
    {b"return", b"else", b"do", b"case", b"goto", b"throw", b"new", b"delete", b"sizeof", b"alignof", b"noexcept"}
    | {b"typeid", b"not", b"compl", b"and", b"or", b"xor", b"bitand", b"bitor", b"not_eq", b"and_eq", b"or_eq"}
    | {b"xor_eq", b"co_return", b"co_await", b"co_yield", b"__extension__"}
)


def _aliases(tokens: Tokens) -> set[bytes]:
    """Names for types of the unit that may be functions' types: all but other names of one plain type."""
    found: set[bytes] = set()
    for at, text in enumerate(tokens.original):
        if text != b"typedef" and (text != b"using" or tokens.at(at + 2) != b"="):
            continue
        inside: list[int] = []
        end = at + 1
        while end < len(tokens) and tokens.at(end) != b";":
            inside.append(end)
            end = after_bracket(tokens, end) if tokens.at(end) == b"{" else end + 1
        words = {tokens.at(index) for index in inside if tokens.is_word(index)} - _TYPES
        if len(words) > 1 or any(tokens.at(index) == b"(" for index in inside):
            found |= words
    return found


class _Variables:
    """The variables of a function's parameters, statements and lambdas: name, where it is declared, where it ends."""

    def __init__(self, tokens: Tokens, function: Function, aliases: set[bytes]) -> None:
        self.tokens = tokens
        self.aliases = aliases
        self.found: list[tuple[bytes, int, int]] = []
        self._function(function.params, function.body)
        for at in range(function.body, tokens.match[function.body]):
            body = lambda_body(tokens, at) if tokens.at(at) == b"[" else -1
            if body >= 0:
                behind = tokens.match[at] + 1
                self._function(behind if tokens.at(behind) == b"(" else -1, body)

    def hide(self, at: int) -> bool:
        """Whether a variable is what the word at `at` means."""
        name = self.tokens.at(at)
        return any(name == one and start <= at < end for one, start, end in self.found)

    def declare(self, at: int) -> bool:
        """Whether a variable is declared there."""
        return any(at == start for _, start, _ in self.found)

    def _function(self, params: int, body: int) -> None:
        tokens, close = self.tokens, self.tokens.match[body]
        inside = (params + 1, tokens.match[params]) if params >= 0 else (0, 0)
        for start, end in split_at_commas(tokens, *inside, angles=True):
            with suppress(Declined):
                found = declaration(tokens, start, end)
                self._note(found.declarators if found else (), close)
        self._read(statements(tokens, body + 1, close), close)

    def _note(self, variables: Iterable[Declarator], end: int) -> None:
        self.found += [(self.tokens.at(one.name), one.name, end) for one in variables]

    def _read(self, items: Iterable[Statement], end: int) -> None:
        """Statements whose variables live up to `end`."""
        tokens = self.tokens
        for item in items:
            if item.kind == "simple":
                self._simple(item.start, item.end - 1, end)
            elif item.kind in ("case", "default"):
                at = item.start
                while tokens.at(at) != b":" and at < item.end:
                    at = after_bracket(tokens, at)
                self._read((parse(tokens, at + 1),) if at + 1 < item.end else (), end)
            elif item.kind in ("for", "if", "while", "switch"):
                close = tokens.match[item.head]
                stop = next((at for at in range(item.head, close) if tokens.at(at) in (b";", b":")), close)
                self._simple(item.head + 1, stop, item.end)
            elif item.kind == "try" and tokens.at(item.start + 1) == b"{":
                close = tokens.match[item.start + 1]
                self._read(statements(tokens, item.start + 2, close), close)
            if item.kind == "{":
                self._read(item.parts, item.end)
            else:
                for part in item.parts:
                    self._read((part,), part.end)

    def _simple(self, start: int, stop: int, end: int) -> None:
        """What the tokens [start, stop) declare, up to the first that may be none."""
        with suppress(Declined):
            found = declaration(self.tokens, start, stop) if start < stop else None
            for one in found.declarators if found else ():
                assert found
                if not self._is_variable(found, one):
                    return
                self._note((one,), end)

    def _is_variable(self, found: Declaration, one: Declarator) -> bool:
        """Whether it can be neither an expression nor a function's declaration."""
        tokens = self.tokens
        base = tokens.original[slice(*found.base)]
        prefix = tokens.original[slice(*one.prefix)]
        behind = tokens.at(found.end)
        if not _OPERATORS.isdisjoint(base):
            return False
        if one.opening == b"=" or behind == b":":
            return True
        evident = not _TYPES.isdisjoint(base) and b"(" not in base
        if behind == b")" or not (evident or {b"*", b"&", b"&&"}.isdisjoint(prefix)) or (b"<" in base and not evident):
            return False
        if one.opening == b"(":
            first, end = one.init
            return first < end and (tokens.kind[first] in (Kind.NUMBER, Kind.STRING) or self.hide(first))
        if one.opening == b"{" or b"*" in prefix:
            return True
        return b"&" not in prefix and b"&&" not in prefix and b"(" not in base and self.aliases.isdisjoint(base)


def _declares_another(tokens: Tokens, at: int) -> bool:
    """Whether the word at `at`, with no parameters behind it, is behind a basic type, as in `float *x`."""
    at -= 1
    while tokens.at(at) in _POINTERS:
        at -= 1
    return tokens.at(at) in BASIC or tokens.at(at) == b"auto"


def _mentions(tokens: Tokens, names: frozenset[bytes]) -> Iterator[int]:
    """Where such names are not called, by the token behind them."""
    for at, text in enumerate(tokens.original):
        if text in names and tokens.at(at + 1) not in (b"(", b"<"):
            yield at


def only_called(tokens: Tokens, structure: Structure, names: frozenset[bytes]) -> bool:
    """Whether functions of these names are always called: they are found wherever they run."""
    if not all(map(_NAME.fullmatch, names)):
        return False
    functions = structure.functions
    members = {
        tokens.at(f.params - 1) for f in functions if f.head in structure.in_class or tokens.at(f.params - 2) == b"::"
    }
    variables: dict[int, _Variables] = {}
    aliases: set[bytes] | None = None
    for at in _mentions(tokens, names):
        before = tokens.at(at - 1)
        if before in (b".", b"->") and tokens.at(at) not in members:
            continue
        if before in (b".", b"->", b"::"):
            return False
        if _declares_another(tokens, at):
            continue
        around = next((f for f in functions if f.params < at < tokens.match[f.body]), None)
        if around is None:
            return False
        if around.body not in variables:
            aliases = _aliases(tokens) if aliases is None else aliases
            variables[around.body] = _Variables(tokens, around, aliases)
        if not _is_hidden(tokens, around, variables[around.body], at):
            return False
    return True


def _is_hidden(tokens: Tokens, function: Function, variables: _Variables, at: int) -> bool:
    """Whether a variable is meant at `at`; in doubt not, where the name is called or may be declared in other ways."""
    name = tokens.at(at)
    if tokens.is_word(at - 1) and tokens.at(at - 1) not in _OPERATORS and not variables.declare(at):
        return False
    called = (
        index
        for index in range(function.body, tokens.match[function.body])
        if tokens.at(index) == name and tokens.at(index + 1) == b"(" and tokens.at(index - 1) not in (b".", b"->")
    )
    return variables.hide(at) and all(map(variables.declare, called))
