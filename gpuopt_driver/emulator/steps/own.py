"""Which variables of a function may differ between threads, by their declarations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import assignment_at
from gpuopt_driver.emulator.fission.tree import Declined, Statement, declaration, statements
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.steps.numbers import OWN_CALLS

Declared = tuple[bytes, int]  # a variable: its name, and the token that declares it (-1: a parameter, or outside)


@dataclass(slots=True)
class _Sets:
    """What each variable is set to, as the names in it and in the conditions under which it is."""

    tokens: Tokens
    scopes: list[dict[bytes, int]] = field(default_factory=lambda: [{}])
    sets: dict[Declared, set[Declared]] = field(default_factory=dict)
    varying: set[Declared] = field(default_factory=set)

    def find(self, name: bytes) -> Declared:
        return name, next((scope[name] for scope in reversed(self.scopes) if name in scope), -1)

    def visit(self, items: Iterable[Statement], around: frozenset[Declared]) -> None:
        for item in items:
            inner = around
            scoped = item.kind in ("{", "for", "while", "if", "switch")
            if scoped:
                self.scopes.append({})
            if item.head >= 0:
                inner = around | self.note(item.head + 1, self.tokens.match[item.head], around)
            if item.parts:
                self.visit(item.parts, inner)
            elif item.head < 0:
                self.note(item.start, item.end, inner)
            if scoped:
                self.scopes.pop()

    def note(self, first: int, last: int, around: frozenset[Declared]) -> frozenset[Declared]:
        tokens = self.tokens
        stop = next((at for at in range(first, last) if tokens.at(at) == b";"), last)
        try:
            found = declaration(tokens, first, stop)
        except Declined:
            found = None
        names = [] if found is None else [one.name for one in found.declarators]
        for name in names:
            self.scopes[-1][tokens.at(name)] = name
        words = {self.find(tokens.at(at)) for at in range(first, last) if tokens.kind[at] is Kind.WORD} | around
        own = any(OWN_CALLS.fullmatch(tokens.at(at)) for at in range(first, last))
        for at in range(first, last):
            if tokens.kind[at] is not Kind.WORD or tokens.at(at - 1) in (b".", b"->"):
                continue
            stepped = tokens.at(at - 1) == tokens.at(at - 2) and tokens.at(at - 1) in (b"+", b"-")
            if at in names or assignment_at(tokens, at + 1) or stepped or tokens.at(at - 1) == b"&":
                one = self.find(tokens.at(at))
                self.sets.setdefault(one, set()).update(words - {one})
                if own:
                    self.varying.add(one)
        if own:
            return frozenset(words | {(b"threadIdx", -1)})
        return frozenset(words)


def own_names(tokens: Tokens, start: int, end: int, known: frozenset[Declared] = frozenset()) -> frozenset[Declared]:
    """The variables that are set, anywhere in [start, end), to what may differ between threads, or where they may part;
    `known`: those that differ before."""
    sets = _Sets(tokens)
    sets.visit(statements(tokens, start, end), frozenset())
    own = set(sets.varying) | {(b"threadIdx", -1)} | known
    while True:
        more = {one for one, words in sets.sets.items() if one not in own and words & own}
        if not more:
            return frozenset(own)
        own |= more
