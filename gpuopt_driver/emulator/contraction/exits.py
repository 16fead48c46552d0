"""Products behind a loop that its last turn has computed already, under the names of variables that the turns shift.

    o[0] = b[0] + c * t;  for (k = 1; k < n; ++k) { t = x[k]; o[k] = b[k] + c * t; }  o[n] = b[n] + c * t;

nvcc unrolls a loop whose trip count it does not know by four, with the turns that are left over behind that. LLVM's GVN
then keeps the product before the loop and those of the turns left over for the sum behind them (all three are rounded
by themselves), and computes it again behind the unrolled part, whose products are fused.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.values import CARRIED, CHOICE, PRODUCT, Value
from gpuopt_driver.emulator.lexer import Kind, Tokens

_LEAVES = frozenset({b"for", b"while", b"do", b"break", b"continue", b"return", b"goto", b"asm", b"[[", b"if"})


def turns_left_over(tokens: Tokens, opened: int, end: int) -> bytes:
    """Whether a turn is one of those behind the part that is unrolled, as an expression in the turn; b"" if nothing is
    known of the loop whose parenthesis opens there: `for (int k = A; k < B; ++k)` of numbers and names."""
    close = tokens.match[opened]
    words = tokens.original[opened + 1 : close]
    if words.count(b";") != 2 or words[:1] != (b"int",) or words[2:3] != (b"=",) or b"#" in tokens.gap[opened - 1]:
        return b""
    name, first = words[1], words[3 : words.index(b";")]
    rest = words[words.index(b";") + 1 :]
    condition, step = rest[: rest.index(b";")], rest[rest.index(b";") + 1 :]
    steps = ((b"+", b"+", name), (name, b"+", b"+"), (name, b"+=", b"1"))
    if condition[:2] not in ((name, b"<"), (name, b"<=")) or step not in steps:
        return b""
    last = condition[2:]
    simple = all(word in (b"+", b"-") or word[:1].isalnum() or word[:1] == b"_" for word in (*first, *last))
    inside = tokens.original[close + 1 : end]
    changed = {inside[at - 1] for at, word in enumerate(inside) if word[-1:] == b"=" and word not in (b"==", b"<=")}
    changed |= {inside[at + side] for at in range(len(inside) - 2) if inside[at : at + 2] in _STEPS for side in (-1, 2)}
    known = {word for word in last if word[:1].isalpha() or word[:1] == b"_"}
    if not simple or not known or name in changed or changed & known or _LEAVES.intersection(inside):
        return b""
    if any(tokens.kind[at] is Kind.WORD and b"." in tokens.at(at) for at in range(opened, close)):
        return b""
    more = b"+1" if condition[1] == b"<=" else b""
    start, stop = b" ".join(first), b" ".join(last)
    return b"(%s-(%s)>=((%s)-(%s)%s)/4*4)" % (name, start, stop, start, more)


_STEPS = ((b"+", b"+"), (b"-", b"-"))


@dataclass(frozen=True, slots=True)
class Exit:
    """What a variable holds behind a loop: what it held before it, or what the last turn left."""

    before: Value
    last: Value
    known: dict[Hashable, Value]  # what each turn computes
    left_over: bytes


@dataclass(slots=True)
class Kept:
    """Products that are kept for a sum behind a loop: rounded by themselves, or in the turns that are left over."""

    exits: dict[Value, Exit] = field(default_factory=dict)
    rounded: list[Value] = field(default_factory=list)
    turns: dict[Value, bytes] = field(default_factory=dict)

    def look_at(self, product: Value, known: list[dict[Hashable, Value]]) -> None:
        """A product that is computed for the first time: perhaps behind a loop that has computed it."""
        for at, value in enumerate(product.args):
            found = self.exits.get(value)
            if found is None or value.op != CARRIED:
                continue
            other = product.args[1 - at]
            before = _product(found.before, other, product.kind, known)
            last = _product(found.last, other, product.kind, [found.known])
            if before is not None and last is not None:
                self.rounded += [before, product]
                self.turns[last] = found.left_over
                product.op = CHOICE


def _product(one: Value, other: Value, kind: str, known: list[dict[Hashable, Value]]) -> Value | None:
    key = (PRODUCT, kind, "*", tuple(sorted((id(one), id(other)))))
    return next((scope[key] for scope in known if key in scope), None)
