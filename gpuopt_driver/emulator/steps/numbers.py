"""Expressions of whole numbers, read from tokens as sums."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import operand_end
from gpuopt_driver.emulator.fission.tree import BASIC
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.steps.sums import (
    LANES,
    Atom,
    Sum,
    added,
    atoms_of,
    multiplied,
    number,
    of,
    parts_of,
    text_of,
    value_of,
)

AXES = (b"x", b"y", b"z")
_LITERAL = re.compile(rb"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_NUMBERS = BASIC | {b"size_t", b"uint", b"const", b"int32_t", b"uint32_t", b"int64_t", b"uint64_t", b"std", b"::"}
_PRODUCTS = frozenset({b"__mul24", b"__umul24"})
# What gives one thread another number than the next, whatever goes into it.
OWN_CALLS = re.compile(rb"atomic\w*|clock\w*|__shfl\w*|thread_rank|\w*lane\w*|curand\w*|asm|threadIdx|\w*rand\w*")
_LEVELS = ({b"+", b"-"}, {b"*", b"/", b"%"})


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is known where an expression stands: the values of local variables, and which other names are of a thread's
    own; `flat`: blocks have one dimension."""

    tokens: Tokens
    values: Mapping[bytes, Sum]
    own: Callable[[bytes], bool]
    flat: bool

    def read(self, start: int, end: int) -> Sum:
        """The value of [start, end), one unknown where it cannot be taken apart."""
        tokens = self.tokens
        while tokens.at(start) == b"(" and tokens.match[start] == end - 1:
            start, end = start + 1, end - 1
        if (
            tokens.at(start) == b"("
            and start < end
            and _NUMBERS.issuperset(tokens.original[start + 1 : tokens.match[start]])
            and self._split(start, end) < 0
        ):
            return self.read(tokens.match[start] + 1, end)
        at = self._split(start, end)
        if at >= 0:
            return self._binary(start, at, end)
        if end == start + 1:
            return self._word(start)
        text = tokens.at(start)
        if text in (b"+", b"-") and not self._loose(start + 1, end):
            inner = self.read(start + 1, end)
            return inner if text == b"+" else added({}, inner, -1)
        if tokens.at(start + 1) == b"." and end == start + 3 and tokens.at(start + 2) in AXES:
            return self._coordinate(start, text)
        opened = end - 1 if tokens.at(end - 1) != b")" else tokens.match[end - 1]
        called = tokens.original[start:opened]
        if opened > start and called in tuple((name,) for name in _PRODUCTS):
            arguments = self._arguments(opened)
            if len(arguments) == 2:
                return multiplied(self.read(*arguments[0]), self.read(*arguments[1]))
        if opened > start and (_NUMBERS.issuperset(called) or called[:1] == (b"static_cast",)):
            return self.read(opened + 1, end - 1)
        return self.unknown(start, end)

    def _arguments(self, opened: int) -> list[tuple[int, int]]:
        tokens = self.tokens
        found, first, at = [], opened + 1, opened + 1
        while at <= tokens.match[opened]:
            if tokens.at(at) == b"," or at == tokens.match[opened]:
                found.append((first, at))
                first = at + 1
            at = tokens.match[at] + 1 if tokens.match[at] > at else at + 1
        return found

    def _loose(self, start: int, end: int) -> bool:
        """Whether an operator that binds less than a sign stands in the open."""
        return self._split(start, end) >= 0

    def _split(self, start: int, end: int) -> int:
        """The operator that is applied last, of those that are read here; -2: another one; -1: none."""
        tokens = self.tokens
        found, level, at = -1, 9, start
        while at < end:
            text = tokens.at(at)
            binary = at > start and operand_end(tokens, at - 1)
            if text in (b"?", b"=", b"||", b"&&", b"==", b"!=", b"<=", b">=", b"|", b",") or text[-1:] == b"=":
                return -2
            if text in (b"<", b">"):
                if tokens.at(at + 1) == text and binary:  # a shift
                    found, level = (at, 0) if level >= 1 or found < 0 else (found, level)
                    at += 2
                    continue
                return -2
            if binary and text in (b"&", b"^"):
                if level > -1:
                    found, level = at, -1
            elif binary and text in _LEVELS[0] and tokens.at(at + 1) != text:
                if level >= 1:
                    found, level = at, 1
            elif binary and text in _LEVELS[1] and level >= 2:
                found, level = at, 2
            at = tokens.match[at] + 1 if tokens.match[at] > at else at + 1
        return found

    def _binary(self, start: int, at: int, end: int) -> Sum:
        text = self.tokens.at(at)
        left = self.read(start, at)
        return self.applied(text, left, self.read(at + (2 if text in (b"<", b">") else 1), end))

    def applied(self, text: bytes, left: Sum, right: Sum) -> Sum:
        """What the operator makes of the two; shifts by their first character."""
        known = value_of(right)
        if text in (b"+", b"-"):
            return added(left, right, 1 if text == b"+" else -1)
        if text == b"*":
            return multiplied(left, right)
        if text == b"<" and known is not None and 0 <= known < 31:
            return multiplied(left, number(1 << known))
        if text == b">" and known is not None and 0 <= known < 31:
            return self._part(left, number(1 << known), "/", right)
        if text == b"&" and known is not None and known > 0 and known & (known + 1) == 0:
            return self._part(left, number(known + 1), "%", right)
        if text in (b"/", b"%"):
            return self._part(left, right, text.decode(), right)
        if text == b"&":
            less_one = added(right, number(1))
            return self._part(left, less_one, "%", right)
        both = self._joined(left, right)
        name = f"({text_of(left)}){text.decode()}({text_of(right)})"
        if text == b"^" and known and not any(atom.own for atom in atoms_of(right)):
            both = {"implies": both["implies"], "own": both["own"], "flipped": text_of(left)}
        return of(Atom(name, **both))  # type: ignore[arg-type]

    def _joined(self, *sums: Sum) -> dict[str, object]:
        atoms = [atom for one in sums for atom in atoms_of(one)]
        implies: frozenset[str] = frozenset().union(*(atom.implies for atom in atoms))
        return {"own": any(atom.own for atom in atoms), "implies": implies}

    def _part(self, left: Sum, divisor: Sum, how: str, right: Sum) -> Sum:
        known = value_of(divisor)
        own = any(atom.own for atom in (*atoms_of(left), *atoms_of(right)))
        name = f"({text_of(left)}){how}({text_of(divisor)})"
        if how == "/" and known is not None and known > 0:
            exact = {product: factor // known for product, factor in left.items() if factor % known == 0}
            if len(exact) == len(left):
                return exact
        high = known - 1 if how == "%" and known is not None else None
        coordinate = len(left) == 1 and all(a.lane for a in atoms_of(left)) and set(left.values()) == {1}
        lane = how == "%" and coordinate and known is not None and known % LANES == 0
        return of(Atom(name, own, 0, high, lane, part=(parts_of(left), parts_of(divisor), how)))

    def _word(self, index: int) -> Sum:
        tokens, text = self.tokens, self.tokens.at(index)
        literal = _LITERAL.fullmatch(text)
        if literal:
            digits = literal.group(1)
            return number(int(digits, 16 if digits[:2].lower() == b"0x" else 8 if digits[:1] == b"0" else 10))
        if text == b"warpSize":
            return number(LANES)
        if text in (b"true", b"false"):
            return number(int(text == b"true"))
        if tokens.kind[index] is Kind.WORD and text in self.values:
            return self.values[text]
        return self.unknown(index, index + 1)

    def _coordinate(self, start: int, text: bytes) -> Sum:
        axis = self.tokens.at(start + 2).decode()
        if text == b"threadIdx":
            return of(coordinate(axis, flat=self.flat))
        if text in (b"blockDim", b"blockIdx", b"gridDim"):
            return of(Atom(f"{text.decode()}.{axis}", low=0 if text == b"blockIdx" else 1))
        return self.unknown(start, start + 3)

    def unknown(self, start: int, end: int) -> Sum:
        """What cannot be taken apart: the same where the same is computed of the same numbers."""
        tokens, parts = self.tokens, []
        own, loaded = False, False
        implies: frozenset[str] = frozenset()
        for at in range(start, end):
            text = tokens.at(at)
            member = tokens.at(at - 1) in (b".", b"->", b"::")
            if tokens.kind[at] is Kind.WORD and not member and text in self.values:
                value = self.values[text]
                parts.append("{" + text_of(value) + "}")
                own = own or any(atom.own for atom in atoms_of(value))
                implies = implies.union(*(atom.implies for atom in atoms_of(value)))
                continue
            parts.append(text.decode("latin-1"))
            if text == b"threadIdx":
                own = True
                if tokens.at(at + 2) in AXES:
                    implies |= {f"threadIdx.{tokens.at(at + 2).decode()}"}
            elif tokens.kind[at] is Kind.WORD and (self.own(text) or OWN_CALLS.fullmatch(text)):
                own = True
            loaded = loaded or text in (b"[", b"->") or (text == b"*" and not operand_end(tokens, at - 1))
        return of(Atom(" ".join(parts), own, implies=frozenset() if loaded else implies, loaded=loaded and own))


def coordinate(axis: str, *, flat: bool) -> Atom:
    """`threadIdx.x` and the like."""
    name = f"threadIdx.{axis}"
    return Atom(name, own=True, low=0, lane=flat and axis == "x", implies=frozenset({name}))
