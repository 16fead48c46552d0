"""Whether nvcc may leave out, in a version, an operation of floating-point numbers that gives back its operand.

A compiler takes `x * 1.0f`, `x / 1.0f` and `x - 0.0f` for `x`. A GPU that executes them gives another number for two
kinds of `x`: of each NaN it makes its own, and with `.ftz` of what is denormal zero. What other operations have made
has gone through that already; what is loaded has not. So it counts where a number of the launch that is a constant of
the version, or the number that a variable has before a loop that is unrolled, makes such an operation of another one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.integers import NUMBER, as_typed, bits, result
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.undefined import given_by, place_of
from gpuopt_driver.ptx.values import Source, Values, values_of

_FLOATS = {"f32": ("f", "0f"), "f64": ("d", "0d")}
_ASKED = frozenset({"mul", "div", "sub", "add"})
_ARITHMETIC = frozenset({"add", "sub", "mul", "div", "fma", "sqrt", "rsqrt", "rcp", "min", "max"})
_ARITHMETIC |= frozenset({"ex2", "lg2", "sin", "cos", "tanh"})  # all of which make a NaN of their own and flush
_INTEGER = frozenset({"add", "sub", "mul", "mad", "div", "rem", "shl", "shr", "and", "or", "min", "max", "cvt", "neg"})
_MOST = 4  # numbers that one operand may have before it counts as any


@dataclass(frozen=True, slots=True)
class _Unknown:
    """No number: `folds` says that the version's compiler may know one."""

    folds: bool


_ANY, _VARIES = _Unknown(folds=True), _Unknown(folds=False)
_Number = int | float | _Unknown


def left_out(original: Function, constants: Mapping[str, int], params: Sequence[str]) -> str:
    """An operation of the original's that a version with these constants may have without executing it; "": none."""
    if not constants:
        return ""
    known = _Known(values_of(original), given_by(constants, params))
    for one in original.instructions:
        if one.base in _ASKED and one.type in _FLOATS and len(one.operands) == 3:
            first, second = one.operands[1:]
            if any(known.gives_back(one, kept, other) for kept, other in ((first, second), (second, first))):
                return one.opcode
    return ""


@dataclass(slots=True)
class _Known:
    """The numbers that a version's compiler knows of the original's registers."""

    values: Values
    given: Mapping[str, int]
    found: dict[str, frozenset[_Number]] = field(default_factory=dict)

    def gives_back(self, one: Instruction, kept: str, other: str) -> bool:
        """Whether an operation may give `kept` back, sign aside, for what is known of `other`; and it would count."""
        if one.base in ("div", "sub") and kept != one.operands[1]:
            return False
        numbers = self.of(other)
        neutral = any(_is_neutral(one.base, number) for number in numbers)
        turns = one.base in ("mul", "div") and -1.0 in numbers  # the sign of a NaN, too
        return (neutral and not self._is_made(kept, one)) or (turns and not self._is_whole(kept))

    def _is_made(self, operand: str, user: Instruction) -> bool:
        """Whether all that an operand can hold is a constant, or comes out of operations like the user."""
        return all(self._made(source, user) for source in self.values.sources(operand))

    def _made(self, source: Source, user: Instruction) -> bool:
        maker = source.instruction
        if maker is None:
            return True
        flushes = "ftz" in maker.opcode.split(".") or "ftz" not in user.opcode.split(".")
        return (maker.base in _ARITHMETIC and maker.type == user.type and flushes) or _is_from_whole(maker)

    def _is_whole(self, operand: str) -> bool:
        makers = [source.instruction for source in self.values.sources(operand)]
        return all(maker is None or _is_from_whole(maker) for maker in makers)

    def of(self, operand: str) -> frozenset[_Number]:
        """The numbers that an operand may have."""
        numbers = self.found.get(operand)
        if numbers is None:
            self.found[operand] = frozenset({_ANY})  # of a loop's counter, which an unrolled loop knows
            numbers = frozenset(number for source in self.values.sources(operand) for number in self._source(source))
            if len(numbers) > _MOST:
                numbers = frozenset({_VARIES if _VARIES in numbers else _ANY})
            self.found[operand] = numbers
        return numbers

    def _source(self, source: Source) -> Iterator[_Number]:
        maker = source.instruction
        if maker is None:
            yield self._constant(source.constant)
            return
        place = place_of(maker)
        if place:
            yield self.given.get(place, _VARIES)
        elif maker.guard or maker.base not in (_INTEGER if bits(maker.type) else _ARITHMETIC | {"cvt"}):
            yield _VARIES
        else:
            yield self._computed(maker)

    def _constant(self, text: str) -> _Number:
        if text in self.given:
            return self.given[text]
        if NUMBER.fullmatch(text):
            return int(text.rstrip("U"), 0)
        for code, prefix in _FLOATS.values():
            if text.startswith(prefix):
                return float(struct.unpack(f">{code}", bytes.fromhex(text[2:]))[0])
        return _VARIES

    def _computed(self, maker: Instruction) -> _Number:
        """What an instruction makes of numbers that are known."""
        operands = [self.of(text) for text in maker.operands[1:]]
        if any(_VARIES in numbers for numbers in operands):
            return _VARIES
        single = [next(iter(numbers)) for numbers in operands if len(numbers) == 1]
        whole = [number for number in single if isinstance(number, int)]
        if len(whole) == len(operands) and bits(maker.type):
            return _of_whole(maker, whole)
        real = [number for number in single if isinstance(number, float)]
        return _of_real(maker, real) if len(real) == len(operands) and maker.type in _FLOATS else _ANY


def _is_neutral(base: str, number: _Number) -> bool:
    if isinstance(number, _Unknown):
        return number.folds
    if base in ("mul", "div"):
        return number == 1
    return number == 0 and str(float(number)).startswith("-") is (base == "add")


def _is_from_whole(maker: Instruction) -> bool:
    """Whether an instruction makes a floating-point number of an integer: no NaN, nothing denormal."""
    parts = maker.opcode.split(".")
    return maker.base == "cvt" and bool(bits(parts[-1])) and not bits(parts[-2])


def _of_whole(maker: Instruction, numbers: Sequence[int]) -> _Number:
    if _is_from_whole(maker):
        return _rounded(maker.opcode.split(".")[-2], float(as_typed(numbers[0], maker.type)))
    made = result(maker, [number & ((1 << 64) - 1) for number in numbers])
    return made if isinstance(made, int) else _ANY


def _of_real(maker: Instruction, numbers: Sequence[float]) -> _Number:
    if "approx" in maker.opcode or "full" in maker.opcode:
        return _ANY
    if maker.base == "sqrt" and len(numbers) == 1:
        return _rounded(maker.type, math.sqrt(numbers[0])) if numbers[0] >= 0 else _ANY
    if maker.base == "rcp":
        numbers = [1.0, *numbers]
    if len(numbers) != 2:
        return _ANY
    left, right = numbers
    try:
        made = {"add": left + right, "sub": left - right, "mul": left * right}.get(maker.base)
        if maker.base in ("div", "rcp"):
            made = left / right
    except (ZeroDivisionError, OverflowError):
        return _ANY
    return _ANY if made is None else _rounded(maker.type, made)


def _rounded(kind: str, number: float) -> _Number:
    """A number in a type; of 24 bits, rounding twice makes no difference for what one operation gives."""
    if kind not in _FLOATS:
        return _ANY
    try:
        code = f"<{_FLOATS[kind][0]}"
        return float(struct.unpack(code, struct.pack(code, number))[0])
    except OverflowError:
        return _ANY
