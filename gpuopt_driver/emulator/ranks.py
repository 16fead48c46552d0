"""The order in which nvcc's compiler writes the two sides of a sum, as far as a function's text shows it.

LLVM (Reassociate) gives each value a rank: constants none, parameters the lowest, then what is loaded, in order;
one more for each operation. It writes the side of lower rank first; the first of two products is the fused one.
"""

from __future__ import annotations

from bisect import bisect_left

from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.lexer import Kind, Tokens

_FIRST_LOAD = 1000
_DEPTH = 6
_BUILTINS = frozenset({b"threadIdx", b"blockIdx", b"blockDim", b"gridDim", b"x", b"y", b"z"})
_VALUE_ENDS = frozenset({b"]", b")"})


def _parameters(tokens: Tokens, body: int) -> dict[bytes, int]:
    """The names of the parameters of the function whose body opens at `body`, by their order."""
    closing = body - 1
    while closing >= 0 and tokens.at(closing) not in (b")", b";", b"}", b"{"):
        closing -= 1
    opening = tokens.match[closing] if tokens.at(closing) == b")" else -1
    found: dict[bytes, int] = {}
    for index in range(opening + 1, closing) if opening >= 0 else ():
        if tokens.is_word(index) and tokens.at(index + 1) in (b",", b")", b"[", b"="):
            found[tokens.at(index)] = len(found) + 1
    return found


class Ranks:
    """Ranks in one function; `loops`: the token ranges of its loops' bodies."""

    def __init__(self, tokens: Tokens, start: int, end: int, loops: list[tuple[int, int]]) -> None:
        self._tokens = tokens
        self._loops = loops
        self._parameters = _parameters(tokens, start - 1)
        self._loads = [i for i in range(start, end) if self._is_load(i)]
        self._sets: dict[bytes, list[int]] = {}
        for index in range(start, end):
            name = self._assigned(index)
            if name:
                self._sets.setdefault(name, []).append(index)

    def _is_load(self, index: int) -> bool:
        text = self._tokens.at(index)
        before = self._tokens.at(index - 1)
        valued = self._tokens.is_word(index - 1) or before in _VALUE_ENDS
        return (text == b"[" and valued) or text == b"->" or (text == b"*" and not valued and before != b"(")

    def _assigned(self, index: int) -> bytes:
        """The variable that the operator at `index` sets, or b""."""
        at = self._tokens.at
        if at(index) in ASSIGNS and self._tokens.is_word(index - 1) and at(index - 2) not in (b".", b"->"):
            return at(index - 1)
        if at(index) in (b"+", b"-") and at(index + 1) == at(index):
            return at(index - 1) if self._tokens.is_word(index - 1) else at(index + 2)
        return b""

    def _loop(self, index: int) -> tuple[int, int] | None:
        """The innermost loop around a token."""
        around = [loop for loop in self._loops if loop[0] <= index < loop[1]]
        return max(around, default=None)

    def invariant(self, first: int, last: int) -> bool:
        """Whether [first, last) is the same in each turn of the loop around it, and so computed before it."""
        loop = self._loop(first)
        if loop is None:
            return False
        for index in range(first, last):
            text = self._tokens.at(index)
            if self._is_load(index) or (text == b"(" and self._tokens.is_word(index - 1)):
                return False
            if self._tokens.is_word(index) and any(loop[0] - 30 <= at < loop[1] for at in self._sets.get(text, ())):
                return False
        return True

    def _end(self, index: int) -> int:
        """Where the expression behind an assignment ends."""
        last = index + 1
        while self._tokens.at(last) not in (b";", b",", b")", b"]", b"}", b""):
            last = self._tokens.match[last] + 1 if self._tokens.match[last] > last else last + 1
        return last

    def _load(self, index: int) -> int:
        return _FIRST_LOAD + 1 + bisect_left(self._loads, index)

    def _name(self, index: int, depth: int) -> int | None:
        """The rank of a variable where it is read."""
        name = self._tokens.at(index)
        sets = self._sets.get(name, [])
        loop = self._loop(index)
        if loop and any(loop[0] <= at < loop[1] and index < self._end(at) for at in sets):  # from the turn before
            return _FIRST_LOAD + bisect_left(self._loads, loop[0])
        before = [at for at in sets if self._end(at) <= index]
        if not before:
            return self._parameters.get(name, 0 if name in _BUILTINS else None)
        at = before[-1]
        return self.of(at + 1, self._end(at), depth - 1) if depth and self._tokens.at(at) == b"=" else None

    def of(self, first: int, last: int, depth: int = _DEPTH) -> int | None:
        """The rank of an expression of sums and products, or None where it is not known."""
        total: int | None = None
        term: int | None = None
        index = first
        while index < last:
            text = self._tokens.at(index)
            if text in (b"+", b"-") and term is not None:
                total, term = _above(total, term), None
                index += 1
            elif text in (b"-", b"*", b"/", b"."):
                index += 1
            else:
                value, index = self._leaf(index, depth)
                if value is None:
                    return None
                term = _above(term, value)
        return None if term is None else _above(total, term)

    def _leaf(self, index: int, depth: int) -> tuple[int | None, int]:
        """The rank of a number, a variable, an element or what stands in parentheses, and where it ends."""
        at = self._tokens.at
        if at(index) == b"(":
            end = self._tokens.match[index] + 1
            cast = self._tokens.is_word(end) or at(end) == b"(" or (end > 0 and at(end)[:1].isdigit())
            return (0 if cast else self.of(index + 1, end - 1, depth)), end
        if self._tokens.kind[index] is Kind.NUMBER:
            return 0, index + 1
        if self._tokens.kind[index] is not Kind.WORD or at(index + 1) == b"(":
            return None, index + 1
        end = index + 1
        if at(end) != b"[":
            return self._name(index, depth), end
        value = self._load(end)
        while at(end) == b"[":
            end = self._tokens.match[end] + 1
        return value, end


def _above(left: int | None, right: int) -> int:
    """The rank of an operation's result, or of its first operand alone."""
    return right if left is None else max(left, right) + 1
