"""Heads of loops: what they count, and how far."""

from __future__ import annotations

from collections.abc import Callable

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.tree import Statement
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.steps.sums import Sum, added, number, value_of

Range = tuple[int, int]
Value = Callable[[int, int], Sum]  # of the expression [start, end)


@dataclass(frozen=True, slots=True)
class Head:
    """Tokens of what a loop begins with (`;` included), of its condition, of what it does behind each turn."""

    tokens: Tokens
    start: Range
    condition: Range
    counting: Range

    @staticmethod
    def of(tokens: Tokens, item: Statement) -> Head:
        """That of a `for`, `while` or `do`."""
        opened, close = item.head, tokens.match[item.head]
        stops = [at for at in range(opened + 1, close) if tokens.at(at) == b";"] if item.kind == "for" else []
        if len(stops) != 2:
            return Head(tokens, (close, close), (opened + 1, close), (close, close))
        start = (opened + 1, stops[0] + 1) if stops[0] > opened + 1 else (close, close)
        return Head(tokens, start, (stops[0] + 1, stops[1]), (stops[1] + 1, close))

    def _found(self, name: bytes) -> int:
        """Where the variable stands behind each turn, -1: nowhere."""
        tokens = self.tokens
        return next((at for at in range(*self.counting) if tokens.at(at) == name and tokens.at(at - 1) != b"."), -1)

    def step(self, name: bytes, value: Value) -> Sum | None:
        """What is added to the variable behind each turn; None: something else is done."""
        tokens, at = self.tokens, self._found(name)
        if at < 0:
            return None
        operator, before = tokens.at(at + 1), tokens.at(at - 1)
        if operator in (b"+", b"-") and tokens.at(at + 2) == operator:
            return number(1 if operator == b"+" else -1)
        if before == tokens.at(at - 2) and before in (b"+", b"-"):
            return number(1 if before == b"+" else -1)
        if operator not in (b"+=", b"-="):
            return None
        stop = at + 2
        while stop < self.counting[1] and tokens.at(stop) != b",":
            stop = tokens.match[stop] + 1 if tokens.match[stop] > stop else stop + 1
        return added({}, value(at + 2, stop), 1 if operator == b"+=" else -1)

    def shrinks(self, name: bytes) -> bool:
        """Whether the variable is divided behind each turn."""
        at = self._found(name)
        return at >= 0 and self.tokens.at(at + 1) in (b"/=", b">")

    def last(self, name: bytes, value: Value) -> int | None:
        """The greatest value of a variable that counts up, if it is known."""
        tokens, (start, end) = self.tokens, self.condition
        if tokens.at(start) != name or tokens.at(start + 1) not in (b"<", b"<="):
            return None
        bound = value_of(value(start + 2, end))
        return None if bound is None else bound - (tokens.at(start + 1) == b"<")
