"""The numbers that a version's compiler may know of a function's registers, as far as floating point depends on them.

They come from numbers of the launch that are constants of the version, from what a variable has before a loop that is
unrolled, and from memory that the compiler follows: a constant that was stored there, or that an element was compared
with, is known where the element is read again.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, product
from typing import NamedTuple

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.elements import Elements, stored
from gpuopt_driver.ptx.integers import NUMBER, as_typed, bits, result
from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.undefined import place_of
from gpuopt_driver.ptx.values import Source, Values

FLOATS = {"f32": ("f", "0f"), "f64": ("d", "0d")}
HALVES = frozenset({"f16", "bf16", "f16x2", "bf16x2"})
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "fma", "sqrt", "rsqrt", "rcp", "min", "max"})
ARITHMETIC |= frozenset({"ex2", "lg2", "sin", "cos", "tanh"})  # all of which make a NaN of their own and flush
_INTEGER = frozenset({"add", "sub", "mul", "mad", "div", "rem", "shl", "shr", "and", "or", "min", "max", "cvt", "neg"})
_READ = _INTEGER | ARITHMETIC
_MOST = 4  # numbers that one operand may have before only those count that operations give their operand back for
_PASSES = 12  # over the text: counters have more than a few numbers by then
_NEUTRAL = frozenset({0, 1, -1})


@dataclass(frozen=True, slots=True)
class Unknown:
    """No number: `folds` says that the version's compiler may know one."""

    folds: bool


class Real(NamedTuple):
    """A floating-point number, as Python writes it in hexadecimal: 0 and -0 are two, and so are 0 and the integer."""

    text: str

    @property
    def value(self) -> float:
        """The number itself."""
        return float.fromhex(self.text)


_ANY, _VARIES = Unknown(folds=True), Unknown(folds=False)
Number = int | Real | Unknown


def is_real(kind: str) -> bool:
    """Whether a type is one of floating-point numbers."""
    return kind in FLOATS or kind in HALVES


def value_of(number: Number) -> float | None:
    """The number as Python has it, None where there is none."""
    if isinstance(number, Unknown):
        return None
    return float(number) if isinstance(number, int) else number.value


@dataclass(slots=True)
class Numbers:
    """The numbers of a function's registers, for given numbers of the launch and elements that are followed."""

    values: Values
    given: Mapping[str, int]
    followed: Elements = Elements()
    _made: dict[Instruction, frozenset[Number]] = field(default_factory=dict)
    _elements: dict[str, frozenset[Number]] = field(default_factory=dict)  # by what their address comes from
    _compared: Mapping[str, frozenset[Number]] = field(default_factory=dict)
    _found: dict[str, frozenset[Number]] | None = None

    def __post_init__(self) -> None:
        self._compared = self._equal_to() if self.followed.loads else {}
        needed = self._needed()
        for _ in range(_PASSES):
            before = dict(self._made), dict(self._elements)
            self._read(needed)
            if before == (self._made, self._elements):
                break
        else:
            changed = (one for one, numbers in self._made.items() if before[0].get(one) != numbers)
            self._made |= {one: self._made[one] | {_ANY} for one in changed}
        self._found = {}

    def _needed(self) -> list[Instruction]:
        """What floating-point numbers and those in memory are made of, in the order of the text, and the stores."""
        found = {one for one in self.values.function.instructions if one.base in ARITHMETIC and is_real(one.type)}
        found.update(self.followed.stores)
        waiting = list(found)
        while waiting:
            for operand in stored(one) if (one := waiting.pop()).base == "st" else one.operands[1:]:
                makers = (source.instruction for source in self.values.sources(operand))
                more = {maker for maker in makers if maker is not None and maker.base in _READ} - found
                found |= more
                waiting.extend(more)
        return sorted(found, key=lambda one: one.index)

    def _read(self, needed: Sequence[Instruction]) -> None:
        """What each instruction may make, for what is known of the others by now."""
        for one in needed:
            if one.base in _READ:
                self._made[one] = _fewer(self._made.get(one, frozenset()) | frozenset(self._computed(one)))
            elif one in self.followed.stores:
                put = frozenset(self._put(one))
                for root in self.followed.stores[one]:
                    self._elements[root] = _fewer(self._elements.get(root, frozenset()) | put)

    @property
    def follows_any(self) -> bool:
        """Whether something is known of an element that is followed."""
        held = chain(*self._elements.values(), *self._compared.values())
        return any(number is not _VARIES for number in held)

    def may_be_known(self, one: Instruction, operand: str) -> bool:
        """Whether a compiler may know the number in an operand of an instruction."""
        return any(number is _ANY or not isinstance(number, Unknown) for number in self.at(one, operand))

    def at(self, one: Instruction, operand: str) -> frozenset[Number]:
        """The numbers that an operand of an instruction may have, of the instruction's type."""
        return _of_type(self._here(one, operand), one.type)

    def _here(self, one: Instruction, operand: str) -> frozenset[Number]:
        """The same of any type: where one register is that of several variables, of the one that was set last."""
        makers = self.values.makers(operand)
        if len(makers) < 2:
            return self.of(operand)
        here = [maker for maker in makers if maker.block == one.block and maker.index < one.index]
        if not here or here[-1].guard:
            return self.of(operand)
        if here[-1].base == "mov" and here[-1].operands[1] != operand:
            return self._here(here[-1], here[-1].operands[1])
        return self._made.get(here[-1], frozenset()) if here[-1].base in _READ else self.of(operand)

    def of(self, operand: str) -> frozenset[Number]:
        """The numbers that an operand may have."""
        if self._found is not None and operand in self._found:
            return self._found[operand]
        numbers = frozenset(number for source in self.values.sources(operand) for number in self._source(source))
        numbers = _fewer(numbers | self._compared.get(operand, frozenset()))
        if self._found is not None:
            self._found[operand] = numbers
        return numbers

    def _source(self, source: Source) -> Iterator[Number]:
        maker = source.instruction
        if maker is None:
            yield self._constant(source.constant)
            return
        place = place_of(maker)
        if place:
            yield self.given.get(place, _VARIES)
        elif maker in self.followed.loads:
            yield _VARIES
            for root in self.followed.loads[maker]:
                yield from self._elements.get(root, ())
        elif maker.guard or maker.base not in (_INTEGER if bits(maker.type) else ARITHMETIC | {"cvt"}):
            yield _VARIES
        else:
            yield from self._made.get(maker, ())

    def _constant(self, text: str) -> Number:
        if text in self.given:
            return self.given[text]
        if NUMBER.fullmatch(text):
            return int(text.rstrip("U"), 0)
        for code, prefix in FLOATS.values():
            if text.startswith(prefix):
                return real(struct.unpack(f">{code}", bytes.fromhex(text[2:]))[0])
        return _VARIES

    def _computed(self, maker: Instruction) -> Iterator[Number]:
        """What an instruction makes of numbers that are known, each with each; nothing before all have been seen."""
        operands = [self.at(maker, text) for text in maker.operands[1:]]
        if not all(operands):
            return
        if any(_VARIES in numbers for numbers in operands):
            yield _VARIES
            operands = [frozenset(one for one in numbers if not isinstance(one, Unknown)) for numbers in operands]
        for numbers in product(*operands):
            yield self._combined(maker, numbers)

    def _combined(self, maker: Instruction, numbers: Sequence[Number]) -> Number:
        whole = [number for number in numbers if isinstance(number, int)]
        if len(whole) == len(numbers) and bits(maker.type):
            return _of_whole(maker, whole)
        reals = [number.value for number in numbers if isinstance(number, Real)]
        return _of_real(maker, reals) if len(reals) == len(numbers) and maker.type in FLOATS else _ANY

    def _put(self, one: Instruction) -> Iterator[Number]:
        """The numbers that a store puts into memory; of bits that are a number of each type, all of these."""
        for operand in stored(one):
            for number in self._here(one, operand):
                yield number
                if isinstance(number, int):
                    yield from _as_real(number, f"f{bits(one.type)}")

    def _equal_to(self) -> Mapping[str, frozenset[Number]]:
        """By register, made of what is loaded: constants that one of its type is compared with.

        Comparisons of integers may leave one number of several: 1 of a bit that is not 0.
        """
        derived = self.values.made_of(self.followed.loads)
        found: dict[str, set[Number]] = {kind: set() for kind in FLOATS}
        whole: set[Number] = set()
        for one in self.values.function.instructions:
            if derived.isdisjoint(one.operands[1:]) or one.base not in ("setp", "brx"):
                continue
            if one.type in FLOATS:
                if not {"eq", "ne", "equ", "neu"}.isdisjoint(one.opcode.split(".")):
                    texts = [text for text in one.operands[1:] if not text.startswith("%")]
                    found[one.type] |= {number for number in map(self._constant, texts) if value_of(number)}
            else:
                whole = {0, 1, -1}
        kinds = {"%f": found["f32"], "%fd": found["f64"], "%rs": whole}
        kinds |= {"%r": whole | found["f32"], "%rd": whole | found["f64"]}  # also where bits are moved
        return {name: frozenset(kinds.get(name.rstrip("0123456789"), ())) for name in derived}


def _of_type(numbers: frozenset[Number], kind: str) -> frozenset[Number]:
    """These numbers as an instruction of a type reads them, which may have been moved as bits."""
    if is_real(kind):
        bare = (_as_real(one, kind) if isinstance(one, int) else (one,) for one in numbers)
        return frozenset(chain.from_iterable(bare))
    return frozenset(one for one in numbers if not isinstance(one, Real)) or frozenset({_ANY})


def _fewer(numbers: frozenset[Number] | set[Number]) -> frozenset[Number]:
    """These numbers, or of many those alone that count."""
    if len(numbers) <= _MOST:
        return frozenset(numbers)
    told = {number for number in numbers if value_of(number) in _NEUTRAL}
    return frozenset({*told, _VARIES if _VARIES in numbers else _ANY})


def real(number: float) -> Real:
    """A number as others of its kind are told apart."""
    return Real(number.hex())


def _as_real(number: int, kind: str) -> Iterator[Real]:
    """Floating-point numbers of a type that have the bits of an integer, or of a half of it."""
    if kind == "f64":
        held = struct.pack("<Q", number & ((1 << 64) - 1))
        yield from map(real, (*struct.unpack("<d", held), *struct.unpack("<ff", held)))
    elif kind == "f32":
        yield from map(real, struct.unpack("<f", struct.pack("<I", number & ((1 << 32) - 1))))
    elif kind.startswith("bf16"):
        yield from (real(struct.unpack(">f", one + b"\0\0")[0]) for one in _words(number, kind))
    elif kind.startswith("f16"):
        yield from (real(struct.unpack(">e", one)[0]) for one in _words(number, kind))


def _words(number: int, kind: str) -> Iterator[bytes]:
    """The words of 16 bits that a type has of an integer, the highest byte first."""
    for at in (0, 16) if kind.endswith("x2") else (0,):
        yield struct.pack(">H", number >> at & 0xFFFF)


def is_from_whole(maker: Instruction) -> bool:
    """Whether an instruction makes a floating-point number of an integer: no NaN, nothing denormal."""
    parts = maker.opcode.split(".")
    return maker.base == "cvt" and bool(bits(parts[-1])) and not bits(parts[-2])


def _of_whole(maker: Instruction, numbers: Sequence[int]) -> Number:
    if is_from_whole(maker):
        return _rounded(maker.opcode.split(".")[-2], float(as_typed(numbers[0], maker.type)))
    made = result(maker, [number & ((1 << 64) - 1) for number in numbers])
    return made if isinstance(made, int) else _ANY


def _of_real(maker: Instruction, numbers: Sequence[float]) -> Number:
    if "approx" in maker.opcode or "full" in maker.opcode:
        return _ANY
    if maker.base == "cvt" and len(numbers) == 1:
        return _rounded(maker.opcode.split(".")[-2], numbers[0]) if "rn" in maker.opcode.split(".") else _ANY
    if maker.base == "sqrt" and len(numbers) == 1:
        return _rounded(maker.type, math.sqrt(numbers[0])) if numbers[0] >= 0 else _ANY
    if maker.base == "fma" and len(numbers) == 3:  # the product of two numbers of 24 bits is exact
        return _rounded(maker.type, numbers[0] * numbers[1] + numbers[2])
    if maker.base == "rcp":
        numbers = [1.0, *numbers]
    if len(numbers) != 2:
        return _ANY
    left, right = numbers
    try:
        made = {"add": left + right, "sub": left - right, "mul": left * right}.get(maker.base)
        if maker.base in ("min", "max") and not math.isnan(left + right):
            made = min(left, right) if maker.base == "min" else max(left, right)
        if maker.base in ("div", "rcp"):
            made = left / right
    except (ZeroDivisionError, OverflowError):
        return _ANY
    return _ANY if made is None else _rounded(maker.type, made)


def _rounded(kind: str, number: float) -> Number:
    """A number in a type; of 24 bits, rounding twice makes no difference for what one operation gives."""
    try:
        if kind == "bf16":
            bits_of = struct.unpack("<I", struct.pack("<f", number))[0]
            return real(struct.unpack("<f", struct.pack("<I", bits_of + 0x7FFF + (bits_of >> 16 & 1) & ~0xFFFF))[0])
        code = {"f16": "<e", **{one: f"<{code}" for one, (code, _) in FLOATS.items()}}.get(kind, "")
        return real(struct.unpack(code, struct.pack(code, number))[0]) if code else _ANY
    except (OverflowError, struct.error):
        return _ANY
