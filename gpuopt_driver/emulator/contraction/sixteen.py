"""Reads a function for its halves and bfloat16, whose operations are `asm` to LLVM (cuda_fp16.hpp): they are taken out
of loops, but neither found again nor put into another order."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpuopt_driver.emulator.contraction.arithmetic import Term
from gpuopt_driver.emulator.contraction.calls import Unit
from gpuopt_driver.emulator.contraction.inline import Reader
from gpuopt_driver.emulator.contraction.primaries import is_pure
from gpuopt_driver.emulator.contraction.scopes import FLOATS, INTEGERS, SIXTEEN, Holds
from gpuopt_driver.emulator.contraction.values import (
    CHOICE,
    DIFFERENCE,
    NEGATION,
    PINNED,
    PRODUCT,
    SUM,
    UNKNOWN,
    Site,
    Value,
)
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Tokens

_PRODUCTS = frozenset({b"__hmul", b"__hmul2"})
_SUMS = {
    b"__hadd": SUM, b"__hadd2": SUM, b"__hadd_sat": SUM, b"__hadd2_sat": SUM,
    b"__hsub": DIFFERENCE, b"__hsub2": DIFFERENCE, b"__hsub_sat": DIFFERENCE, b"__hsub2_sat": DIFFERENCE,
}  # fmt: skip
_NEGATIONS = frozenset({b"__hneg", b"__hneg2"})
_FUNCTIONS = re.compile(
    rb"(__h|__half|__bfloat16|__float|__double|__low|__high|__(u?int|u?short|u?ll)(2|_as_))\w*|make_\w+"
    rb"|h2?(sqrt|rsqrt|rcp|exp|exp2|exp10|log|log2|log10|sin|cos|tanh|ceil|floor|trunc|rint)"
)
_PLAIN = frozenset({b"for", b"if", b"while", b"sizeof", *SIXTEEN, *FLOATS, *INTEGERS})
_LEAVES = frozenset({b"return", b"break", b"continue", b"goto"})
# LLVM writes the turns of a loop one behind the other where their number is known and not great.
_MOST_TURNS, _MOST_WORDS = 100, 1500


def constants_of(tokens: Tokens) -> dict[bytes, bytes]:
    """Whole numbers with names: `constexpr int N = 4;`."""
    words = tokens.original
    return {
        words[at - 1]: words[at + 1]
        for at in tokens.places(b"=")
        if at < len(words) - 2 and words[at + 1].isdigit() and words[at + 2] == b";"
        if not {b"const", b"constexpr"}.isdisjoint(words[max(at - 5, 0) : at])
    }


class SixteenReader(Reader):
    """Reads the body of a function. Kind h stands for all types of 16 bits and pairs of them."""

    def __init__(self, tokens: Tokens, unit: Unit) -> None:
        super().__init__(tokens, unit)
        self.values.apart = True
        self.skipped: list[tuple[int, int]] = []  # the bodies of lambdas
        self._calm: list[bool] = []  # for each loop around, whether no thread waits in it
        self._constants = constants_of(tokens)
        self._own = unit.by_value | unit.callees.keys()  # names that are the program's

    def converted(self, value: Value, kind: str) -> Value:
        """A number as one of another type."""
        if kind != value.kind and "h" in (kind, value.kind) and "?" not in (kind, value.kind):
            return self.values.make("other", [value], kind, ("cast", kind))
        return super().converted(value, kind)

    def arithmetic(self, at: int, operator: bytes, left: Term, right: Term) -> Value:
        """A sum, a difference or a product."""
        kinds = {left.value.kind, right.value.kind}
        if not kinds <= {"h", "?"}:
            kind = "i" if kinds == {"i"} else self.kind(left.value, right.value)
            return self.other([left.value, right.value], b"i" + operator, kind)
        return self._made({b"*": PRODUCT, b"+": SUM, b"-": DIFFERENCE}[operator], at, left, right)

    def _made(self, op: str, at: int, left: Term, right: Term) -> Value:
        kind = "h" if "h" in (left.value.kind, right.value.kind) else "?"
        args = [left.value, right.value]
        if op != PRODUCT:  # signs are the sum's
            args = [one.args[0] if one.op == NEGATION else one for one in args]
        value = self.values.make(op, args, kind, len(self.values.all))
        if op != PRODUCT:
            shapes = self.written(left), self.written(right)
            value.sites.append(Site(at, args[0], *shapes, self.index, self.current_call()))
        return value

    def call(self, name: bytes, args: list[Term]) -> Term:
        """A call: of a function of 16 bits that changes nothing, what it makes of its arguments."""
        if name in self._own or not _FUNCTIONS.fullmatch(name):
            return super().call(name, args)
        at, close = self.called
        kinds = {one.value.kind for one in args}
        if len(args) == 2 and kinds <= {"h", "?"} and (name in _PRODUCTS or name in _SUMS):
            value = self._made(_SUMS.get(name, PRODUCT), at, *args)
            return Term(value, self.star(value, at, close) if name in _PRODUCTS else None)
        if len(args) == 1 and name in _NEGATIONS:
            return Term(self.minus(args[0].value), args[0].shape)
        kind = "f" if name.endswith(b"2float") else "h" if name.startswith(b"__h") else "?"
        return Term(self.values.make("other", [one.value for one in args], kind, len(self.values.all)))

    def primary(self) -> Term:
        """A number, a name, a call, what stands in parentheses, or a lambda."""
        return self._lambda() if self.at(self.index) == b"[" else super().primary()

    def _lambda(self) -> Term:
        """A lambda: it may be called from here on, so that what it names may be read at any time, and set."""
        start = self.index
        body = self.tokens.match[start] + 1
        if self.at(body) == b"(":
            body = self.tokens.match[body] + 1
        while self.at(body) not in (b"{", b";", b")", b","):
            body += 1
        if self.at(body) != b"{":
            raise Declined("a lambda")
        end = self.tokens.match[body]
        for index in range(start, end):
            found = self.scopes.find(self.at(index)) if self.tokens.is_word(index) else None
            if found is not None and not found.memory:
                self.values.use(self.scopes.get((found, b"")), UNKNOWN)
                found.memory = not found.outside
        self.memory += 1
        self.skipped.append((body + 1, end))
        self.index = end + 1
        return Term(self.values.make("other", [], "o", rank=PINNED))

    def again(self, name: bytes) -> bool:
        """Whether a function of this name may be called twice instead of once."""
        return name not in self._own and _FUNCTIONS.fullmatch(name) is not None

    def arm(self, read: Callable[[], Term]) -> Term:
        """What is computed for one of two expressions is computed where that is taken."""
        before, block = len(self.values.all), self.values.block
        term = read()
        made = [one for one in self.values.all[before:] if one.op in (PRODUCT, SUM, DIFFERENCE) and one.block == block]
        if made:
            self.values.new_block()
            for one in made:
                one.block = self.values.block
            self.values.new_block()
        return term

    def branches(self) -> None:
        """A statement `if`: none is left of one that only chooses between values."""
        start, before, effects, block = self.index, len(self.values.all), len(self.values.roots), self.values.block
        super().branches()
        only = all(one.op in ("const", CHOICE) or one.kind == "i" for one in self.values.all[before:])
        roots = all(one.op == "branch" for one in self.values.roots[effects:])
        if only and roots and _LEAVES.isdisjoint(self.tokens.original[start : self.index]):
            self.values.block = block

    def _turn(self, start: int, end: int, *, counted: bool = False) -> Holds:
        """The beginning of a loop's turn: products stay what they are where threads do not wait in it."""
        before, calm = self.run, self._calm
        heads = super()._turn(start, end, counted=counted)
        calls = (at for at in range(start, end) if self.at(at + 1) == b"(" and self.tokens.is_word(at))
        calm.append(all(self.at(at) in _PLAIN or self._harmless(self.at(at)) for at in calls))
        if calm[-1]:
            self.run = before
        return heads

    def _after(self, heads: Holds, left_over: bytes = b"") -> None:
        before = self.run
        super()._after(heads, left_over)
        if self._calm.pop():
            self.run = before

    def _harmless(self, name: bytes) -> bool:
        return name not in self._own and (_FUNCTIONS.fullmatch(name) is not None or is_pure(name))

    def unread(self, first: int, close: int) -> None:
        """The arguments of a constructor, of which nothing more is known."""
        for index in range(first, close):
            path = self.path_at(index) if self.tokens.is_word(index) else None
            if path is not None:
                self.values.use(self.scopes.get((path[0], b"")), UNKNOWN)

    def straight(self, start: int, end: int) -> bool:
        """Whether a loop's turns are written one behind the other: `for (int i = 0; i < 8; ++i)`."""
        words = self.tokens.original[start : start + 8]
        init = self.tokens.original[start - 5 : start]
        if len(words) < 8 or init[-1:] != (b";",) or init[1:2] != words[:1] or init[2:3] != (b"=",):
            return False
        step = words[4:7]
        if words[1] != b"<" or words[3] != b";" or words[7] != b")" or not init[3].isdigit():
            return False
        last = self._constants.get(words[2], words[2])
        if step not in ((b"+", b"+", words[0]), (words[0], b"+", b"+")):
            return False
        opened = start - 6
        pragma = self.tokens.gap[opened - 1] + self.tokens.gap[opened]
        turns = int(last) - int(init[3]) if last.isdigit() else 0
        body = self.tokens.original[start:end]
        kept = _LEAVES.isdisjoint(body) and b"unroll" not in pragma
        return kept and 0 < turns <= _MOST_TURNS and turns * len(body) <= _MOST_WORDS
