"""How large integers of a PTX function can be, and which of them a version's compiler knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.integers import NUMBER, Seen, Value, as_typed, bits, result
from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.undefined import place_of
from gpuopt_driver.ptx.values import Values

_WORD = re.compile(r"%[\w.]+")
_THREADS = 1024  # of a block, along any axis
_ANY = 1 << 64  # as large as the type allows
_NO_RESULT = frozenset({"st", "red", "bra", "ret", "bar", "barrier", "prefetch"})
_LOADS = frozenset({"ld", "ldu", "atom", "tex", "tld4", "suld", "shfl", "redux", "call"})


@dataclass(eq=False, slots=True)
class Ranges:
    """The numbers of one function, for numbers of the launch that are given by the names of `given_by`."""

    values: Values
    given: Mapping[str, int]
    _known: dict[str, Value] = field(default_factory=dict)
    _largest: dict[str, int] = field(default_factory=dict)
    _given_too: set[str] | None = None
    _loaded_too: set[str] | None = None

    def known(self, operand: str) -> Value:
        """The number that a version's compiler knows an operand to have: FOLDED where it may know one, VARIES: none."""
        if operand not in self._known:
            self._known[operand] = Seen.FOLDED  # of a loop's counter, if nothing else says that it varies
            self._known[operand] = self._number(operand)
        return self._known[operand]

    def _number(self, operand: str) -> Value:
        if operand in self.given:
            return self.given[operand]
        if NUMBER.fullmatch(operand):
            return int(operand.rstrip("U"), 0)
        makers = self.values.makers(operand)
        found = {self._made(one) for one in makers}
        if not makers or Seen.VARIES in found:
            return Seen.VARIES
        return found.pop() if len(found) == 1 else Seen.FOLDED

    def _made(self, maker: Instruction) -> Value:
        if maker.base in ("ld", "ldu"):
            if ".param" in maker.opcode:
                number = self.given.get(place_of(maker))
                return (
                    Seen.VARIES if number is None or not bits(maker.type) else as_typed(number, f"u{bits(maker.type)}")
                )
            names = _WORD.findall(maker.operands[-1])  # an element of a table, once its index is known
            return Seen.VARIES if any(self.known(name) is Seen.VARIES for name in names) else Seen.FOLDED
        return result(maker, [self.known(one) if one else Seen.VARIES for one in maker.operands[1:]])

    def is_given(self, operand: str) -> bool:
        """Whether an operand is known to a version and not to the original: numbers of the launch are in it."""
        return self.known(operand) is not Seen.VARIES and (operand in self.given or operand in self._given())

    def is_loaded(self, operand: str) -> bool:
        """Whether a number is made of what was loaded from memory, or comes from other threads."""
        if self._loaded_too is None:
            self._loaded_too = set(self.made_of(filter(_is_load, self.values.function.instructions)))
        return operand in self._loaded_too

    def _given(self) -> set[str]:
        """The registers that numbers of the launch are in, and counters of loops, which may be unrolled with these."""
        if self._given_too is None:
            first = [one for one in self.values.function.instructions if self._is_first(one)]
            counted = [
                one for one in self.values.function.instructions if first and one.operands[:1] == one.operands[1:2]
            ]
            self._given_too = set(self.made_of([*first, *counted]))
        return self._given_too

    def _is_first(self, one: Instruction) -> bool:
        return place_of(one) in self.given or any(operand in self.given for operand in one.operands[1:])

    def made_of(self, first: Iterable[Instruction]) -> Iterator[str]:
        """The registers that these instructions write, and all that is computed with them."""
        seen = set[str]()
        waiting = [name for one in first for name in _results(one)]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                yield name
                waiting.extend(made for user in self.values.users(name) for made in _results(user))

    def may_wrap(self, one: Instruction) -> bool:
        """Whether the result of a sum or product may be more than a number with a sign of its type."""
        return self._of(one) >= 1 << (bits(one.type) - 1)

    def largest(self, operand: str) -> int:
        """A bound of an operand's magnitude."""
        if operand not in self._largest:
            self._largest[operand] = _ANY  # of what a loop changes
            self._largest[operand] = self._bound(operand)
        return self._largest[operand]

    def _bound(self, operand: str) -> int:
        known = self.known(operand)
        if isinstance(known, int):
            return magnitude(known, 64 if operand.startswith("%rd") else 32) if operand[0] == "%" else abs(known)
        if operand.startswith(("%tid.", "%ntid.")):
            return _THREADS
        makers = self.values.makers(operand)
        return max((min(self._of(one), _of_type(one)) for one in makers), default=_ANY)

    def _of(self, maker: Instruction) -> int:
        """A bound of what an instruction computes, before its type cuts it off."""
        given, parts = maker.operands[1:], maker.opcode.split(".")
        bound = _BOUNDS.get(maker.base)
        if bound is None or not bits(maker.type) or not {"hi", "cc", "sat"}.isdisjoint(parts):
            return _ANY
        widens = "wide" in parts or (maker.base == "cvt" and bits(parts[-2]) > bits(maker.type) >= 32)
        if widens and not maker.type.startswith("s"):  # what is negative becomes large
            return 1 << bits(maker.type) if maker.base == "cvt" else _ANY
        return bound(self, maker, given)

    def _least_mask(self, _: Instruction, given: Iterable[str]) -> int:
        masks = [one for one in map(self.known, given) if isinstance(one, int) and 0 <= one < 1 << 31]
        return min(masks, default=_ANY)

    def _shifted(self, maker: Instruction, given: tuple[str, ...]) -> int:
        amount = self.known(given[1])
        if not isinstance(amount, int) or not 0 <= amount < bits(maker.type):
            return _ANY
        if maker.base == "shl":
            return self.largest(given[0]) << amount
        if maker.type.startswith("s"):
            return (min(self.largest(given[0]), 1 << (bits(maker.type) - 1)) >> amount) + 1
        return (1 << bits(maker.type)) >> amount

    def _remainder(self, maker: Instruction, given: tuple[str, ...]) -> int:
        divisor = self.largest(given[1])
        return min(self.largest(given[0]), divisor) if maker.type.startswith("s") else divisor


def _is_load(one: Instruction) -> bool:
    return one.base in _LOADS and ".param" not in one.opcode


def _results(one: Instruction) -> list[str]:
    """The registers that an instruction writes."""
    return [] if one.base in _NO_RESULT or not one.operands else _WORD.findall(one.operands[0])


def magnitude(number: int, width: int) -> int:
    """How large a number of so many bits is as one with a sign."""
    number &= (1 << width) - 1
    return min(number, (1 << width) - number)


def _of_type(maker: Instruction) -> int:
    """How large numbers of the type are that an instruction reads or makes."""
    width = bits(maker.type)
    if maker.base == "cvt":
        width = min(width or 64, bits(maker.opcode.split(".")[-2]) or 64)
    if not 0 < width <= 32:
        return _ANY
    return 1 << (width - 1) if maker.type.startswith("s") or width == 32 else (1 << width) - 1


_BOUNDS: Mapping[str, Callable[[Ranges, Instruction, tuple[str, ...]], int]] = {
    "mov": lambda ranges, _, given: ranges.largest(given[0]),
    "cvt": lambda ranges, _, given: ranges.largest(given[0]),
    "neg": lambda ranges, _, given: ranges.largest(given[0]),
    "abs": lambda ranges, _, given: ranges.largest(given[0]),
    "selp": lambda ranges, _, given: max(ranges.largest(given[0]), ranges.largest(given[1])),
    "add": lambda ranges, _, given: ranges.largest(given[0]) + ranges.largest(given[1]),
    "sub": lambda ranges, _, given: ranges.largest(given[0]) + ranges.largest(given[1]),
    "mul": lambda ranges, _, given: ranges.largest(given[0]) * ranges.largest(given[1]),
    "mad": lambda ranges, _, given: ranges.largest(given[0]) * ranges.largest(given[1]) + ranges.largest(given[2]),
    "and": Ranges._least_mask,
    "shl": Ranges._shifted,
    "shr": Ranges._shifted,
    "rem": Ranges._remainder,
}
