"""What the registers of a PTX function hold, told so that two compilations of one source say the same of one value.

A value's *label* names the operation that made it and, to some depth, what went into it; neither the registers' numbers
nor copies, signs, branches and unrolled iterations are in it. Additions, subtractions and fused multiply-adds are all
called sums, with their products inside, so that a label does not depend on what was fused.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.digests import blake2b
from gpuopt_driver.ptx.names import MARK
from gpuopt_driver.ptx.read import Function, Instruction

FLOATS = frozenset({"f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"})
SUMS = frozenset({"add", "sub", "fma"})
_REGISTER = re.compile(r"%\w+")
_PARAMETER = re.compile(r"_param_(\d+)")
_DISPLACEMENT = re.compile(r"[+]\s*(-?\d+)")
_CONSTANT = re.compile(r"0[fFdD][0-9a-fA-F]+|-?\d+|0[xX][0-9a-fA-F]+")
_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
_TRANSPARENT = frozenset({"mov", "neg", "cvta", "selp", "abs"})
_BREAKS = frozenset({"div", "sqrt", "rcp", "call", "bra"})  # ptxas makes branches of these
_COUNTING = frozenset({"mov", "add", "sub", "setp", "shl", "shr", "mul", "mad", "and", "or", "xor", "not", "cvt"})
_TAKES_ADDRESS = frozenset({"mov", "cvta", "add", "sub", "mad"})
_WAYS = {"neg": (-1,), "abs": (1, -1)}  # which signs a copy may give

Label = str


class Grain(NamedTuple):
    """How much a label tells: the depth to which operands are told, and what of a load's displacement is.

    `displacement` 0: nothing; else the remainder that the constant part of an address leaves, -1 all of it.
    `first`: whether a constant that is one of several possible values (where a sum starts) is told.
    """

    depth: int
    displacement: int = 0
    first: bool = False

    def below(self) -> Grain:
        """The same for operands."""
        return Grain(self.depth - 1, self.displacement, self.first)


class Source(NamedTuple):
    """An instruction that makes a value, and which register of its result that is."""

    instruction: Instruction | None
    element: int = 0
    constant: str = ""


@dataclass(eq=False)
class Values:
    """The values of one function. `shift`: how many parameters it has in front of its original's own."""

    function: Function
    shift: int = 0
    _makers: dict[str, list[tuple[Instruction, int]]] = field(default_factory=dict)
    _uses: dict[str, list[Instruction]] = field(default_factory=dict)
    _sources: dict[str, dict[Source, int]] = field(default_factory=dict)
    _ordered: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    _labels: dict[tuple[str, Grain], Label] = field(default_factory=dict)
    _roots: dict[str, frozenset[str]] = field(default_factory=dict)
    _parts: dict[str, frozenset[str]] = field(default_factory=dict)
    _loads: dict[Instruction, tuple[str, int, int]] = field(default_factory=dict)
    _segments: list[int] = field(default_factory=list)
    _loops: tuple[tuple[int, int], ...] | None = None

    def __post_init__(self) -> None:
        for instruction in self.function.instructions:
            results, given = _split(instruction)
            for element, register in enumerate(results):
                self._makers.setdefault(register, []).append((instruction, element))
            for register in given:
                self._uses.setdefault(register, []).append(instruction)

    @staticmethod
    def results(instruction: Instruction) -> Sequence[str]:
        """The registers that an instruction writes."""
        return _split(instruction)[0]

    def users(self, register: str) -> list[Instruction]:
        """The instructions that read a register."""
        return self._uses.get(register, [])

    def made_of(self, loads: Iterable[Instruction]) -> set[str]:
        """The registers that what is loaded is in, and what is computed of it (not: what it decides about)."""
        seen = set[str]()
        waiting = [name for one in loads for name in self.results(one)]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                users = (user for user in self.users(name) if user.base not in ("ld", "ldu", "setp"))
                waiting.extend(made for user in users for made in self.results(user))
        return seen

    def segment(self, instruction: Instruction) -> int:
        """The part of a basic block that an instruction is in: what ptxas expands to branches ends one."""
        if not self._segments:
            block = number = 0
            for one in self.function.instructions:
                number += one.block != block
                block = one.block
                self._segments.append(number)
                number += one.base in _BREAKS
        return self._segments[instruction.index]

    def was_moved_out(self, one: Instruction, user: Instruction) -> bool:
        """Whether an instruction stands outside of a loop that its user is in, and that ptxas may unroll altogether."""
        if self._loops is None:
            found = ((first, last) for first, last, back in self.function.loops() if self._is_counted(back))
            self._loops = tuple(found)
        return any(first <= user.block <= last and not first <= one.block <= last for first, last in self._loops)

    def _is_counted(self, back: Instruction) -> bool:
        """Whether constants alone decide how often a branch backwards is taken."""
        waiting = {back.guard}
        seen: set[str] = set()
        while waiting:
            register = waiting.pop()
            seen.add(register)
            makers = self.makers(register)
            if not makers or any(one.base not in _COUNTING for one in makers):
                return False
            given = {name for one in makers for operand in one.operands[1:] for name in _registers(operand)}
            waiting |= given - seen
        return True

    def takers(self, register: str) -> list[Instruction]:
        """The instructions that compute with what is in a register, or in a copy of it, or store or branch by it."""
        found: list[Instruction] = []
        seen: set[str] = set()
        waiting = [register]
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            for user in self.users(one):
                if user.base in _TRANSPARENT:
                    waiting.extend(_registers(user.operands[0]))
                else:
                    found.append(user)
        return found

    def makers(self, register: str) -> list[Instruction]:
        """The instructions that write a register."""
        return [maker for maker, _ in self._makers.get(register, [])]

    def sources(self, operand: str) -> tuple[Source, ...]:
        """What an operand can hold: the instructions (no copies, no changes of sign) and constants it comes from."""
        found = self._ordered.get(operand)
        if found is None:
            found = self._ordered[operand] = tuple(self.signs(operand))
        return found

    def signs(self, operand: str) -> Mapping[Source, int]:
        """The sources of an operand, each with the sign that it gets on the way: 1, -1, or 0 where that depends."""
        if operand not in self._sources:
            self._sources[operand] = self._found(operand)
        return self._sources[operand]

    def _found(self, operand: str) -> dict[Source, int]:
        seen: set[tuple[str, int]] = set()
        waiting = [(operand, 1)]
        found: dict[tuple[int, int, str], tuple[Source, int]] = {}
        while waiting:
            state = one, sign = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            if one not in self._makers:  # a constant, or a special register
                _note(found, Source(None, 0, one), sign)
                continue
            for maker, element in self._makers[one]:
                if maker.base in _TRANSPARENT:
                    waiting.extend(
                        (copied, sign * way) for copied in _copied(maker) for way in _WAYS.get(maker.base, (1,))
                    )
                else:
                    _note(found, Source(maker, element), sign)
        return dict(found[key] for key in sorted(found))

    def label(self, operand: str, grain: Grain) -> Label:
        """The label of an operand: those of all that it can hold."""
        key = (operand, grain)
        label = self._labels.get(key)
        if label is None:
            label = self._labels[key] = self._made(operand, grain)
        return label

    def _made(self, operand: str, grain: Grain) -> Label:
        sources = self.sources(operand)
        if len(sources) == 1:
            return self.told(sources[0], grain)
        made = [one for one in sources if one.instruction is not None]
        told = sources if grain.first or not made else made
        return short(sorted({self.told(one, grain) for one in told}))

    def told(self, source: Source, grain: Grain) -> Label:
        """The label of one source of a value."""
        maker = source.instruction
        if maker is None:
            return f"constant {magnitude(source.constant)}"
        base, kind = maker.base, maker.type
        if base == "ld":
            return self._load(maker, source.element, grain)
        if base == "call":
            return " ".join(("call", *(one.partition(MARK)[0] for one in maker.operands if one[:1] not in "(%")))
        if base == "cvt":
            return self._deeper(maker.opcode, maker.operands[1:], grain)
        if kind not in FLOATS:
            return "integer"
        if base in SUMS:
            return self._sum(maker, grain)
        return self._deeper(f"{base}.{kind}", maker.operands[1:], grain)

    def _deeper(self, name: str, operands: Iterable[str], grain: Grain) -> Label:
        if grain.depth == 0:
            return name
        below = grain.below()
        return short([name, *sorted(self.label(one, below) for one in operands)])

    def _sum(self, maker: Instruction, grain: Grain) -> Label:
        name = f"sum.{maker.type}"
        if grain.depth == 0 or maker.base != "fma":
            return self._deeper(name, maker.operands[1:], grain)
        below = grain.below()
        product = short([self._deeper(f"mul.{maker.type}", maker.operands[1:3], below)])
        return short([name, *sorted((product, self.label(maker.operands[3], below)))])

    def _load(self, maker: Instruction, element: int, grain: Grain) -> Label:
        known = self._loads.get(maker)
        if known is None:
            known = self._loads[maker] = self._loaded(maker)
        label, size, displacement = known
        if not size:
            return label
        shown = element * size + displacement if grain.displacement else 0
        return f"{label} {shown % grain.displacement if grain.displacement > 0 else shown}"

    def _loaded(self, maker: Instruction) -> tuple[str, int, int]:
        """What a load reads, the bytes of an element (0: a parameter's) and the constant part of the address."""
        modifiers = maker.opcode.split(".")
        space = modifiers[1] if len(modifiers) > 2 else "generic"
        address = maker.operands[-1]
        if space == "param":
            return f"parameter {self._parameter(address)}", 0, 0
        found = _DISPLACEMENT.search(address)
        roots = self.roots(address) if space in ("global", "generic", "const") else frozenset()
        displacement = int(found.group(1)) if found else 0
        return f"load {space} {' '.join(sorted(roots))}", _SIZES.get(maker.type[1:], 4), displacement

    def _parameter(self, address: str) -> str:
        """Which parameter a load reads, by its own number; of a structure with an address in a register, also where."""
        number = _PARAMETER.search(address)
        if number:
            return str(int(number.group(1)) - self.shift)
        found, displacement = set(self._addresses_in(address)), _DISPLACEMENT.search(address)
        parts = [str(int(one) - self.shift) for one in sorted(found)]
        return " ".join((*parts, displacement.group(1) if displacement else "0")) if parts else address

    def _addresses_in(self, address: str) -> Iterator[str]:
        """The numbers of the parameters whose addresses are part of one."""
        seen: set[str] = set()
        waiting = list(_registers(address))
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                for maker in self.makers(one):
                    if maker.base in _TAKES_ADDRESS:
                        yield from (found.group(1) for found in map(_PARAMETER.search, maker.operands[1:]) if found)
                        waiting.extend(chain.from_iterable(map(_registers, maker.operands[1:])))

    def roots_of_parameter(self, address: str) -> frozenset[str]:
        """The parameters that a load of parameters may read, by their own numbers."""
        number = _PARAMETER.search(address)
        found = [number.group(1)] if number else self._addresses_in(address)
        return frozenset(str(int(one) - self.shift) for one in found)

    def roots(self, operand: str) -> frozenset[str]:
        """The parameters and global variables that a pointer in an address can come from."""
        if operand not in self._roots:
            self._roots[operand] = frozenset(root.partition("+")[0] for root in self.parts(operand))
        return self._roots[operand]

    def parts(self, operand: str) -> frozenset[str]:
        """The same, of a parameter that is a structure with the place in it: `0+8`."""
        if operand not in self._parts:
            self._parts[operand] = frozenset(self._behind(operand))
        return self._parts[operand]

    def _behind(self, operand: str) -> Iterable[str]:
        seen: set[str] = set()
        waiting = list(_registers(operand))
        yield from re.findall(r"(?<![%\w])[A-Za-z_$][\w$]*", operand)
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            for maker, _ in self._makers.get(one, ()):
                if maker.opcode.startswith("ld.param") and maker.type.endswith("64"):
                    place = _DISPLACEMENT.search(maker.operands[-1])
                    yield self._parameter(maker.operands[-1]) + (f"+{place.group(1)}" if place else "")
                elif maker.base in ("mov", "cvta", "add", "sub", "selp", "mad", "min", "max"):
                    wide = maker.operands[-1:] if maker.base == "mad" else maker.operands[1:]
                    waiting.extend(chain.from_iterable(map(_registers, wide)))
                    if maker.base == "mov" and _PARAMETER.search(maker.operands[1]) is None:
                        yield from re.findall(r"^[A-Za-z_$][\w$]*$", maker.operands[1])
                    elif maker.base == "mov":
                        yield f"address {self._parameter(maker.operands[1])}"
                elif maker.base == "ld":
                    yield "loaded"


@lru_cache(maxsize=64)
def values_of(function: Function, shift: int = 0) -> Values:
    """The values of a function, found once while several others are held against it."""
    return Values(function, shift)


def short(parts: list[str]) -> str:
    """Some labels as one, which does not grow with the depth."""
    return parts[0] if len(parts) == 1 else blake2b("\0".join(parts).encode(), 8)


def _split(instruction: Instruction) -> tuple[Sequence[str], Sequence[str]]:
    """The registers that an instruction writes and those that it reads."""
    given = [instruction.guard] if instruction.guard else []
    if instruction.base in ("st", "red", "bra", "ret", "bar", "barrier", "call", "prefetch"):
        results: Sequence[str] = ()
        if instruction.base == "call" and instruction.operands and instruction.operands[0].startswith("("):
            results = _registers(instruction.operands[0])
        rest = instruction.operands
    else:
        results = _registers(instruction.operands[0]) if instruction.operands else ()
        rest = instruction.operands[1:]
    return results, [*given, *chain.from_iterable(map(_registers, rest))]


@lru_cache(maxsize=1 << 14)
def _registers(operand: str) -> tuple[str, ...]:
    """The registers in an operand."""
    return tuple(_REGISTER.findall(operand))


def _note(found: dict[tuple[int, int, str], tuple[Source, int]], source: Source, sign: int) -> None:
    """Add a source with a sign; one that comes with both has none."""
    key = (-1 if source.instruction is None else source.instruction.index, source.element, source.constant)
    known = found.get(key, (source, sign))[1]
    found[key] = (source, sign if known == sign else 0)


def _copied(maker: Instruction) -> list[str]:
    """The operands that a copy copies from: of a register that is taken apart all of it."""
    if maker.base == "selp":
        return list(maker.operands[1:3])
    inner = maker.operands[1] if len(maker.operands) > 1 else ""
    if inner.startswith("{"):
        return [one.strip() for one in inner.strip("{} ").split(",")]
    return [inner]


@lru_cache(maxsize=4096)
def magnitude(constant: str) -> str:
    """A constant without its sign, which compilers move between products and sums."""
    kind, digits = constant[:2].lower(), constant[2:]
    try:
        if kind == "0f" and len(digits) == 8:
            return repr(abs(struct.unpack(">f", bytes.fromhex(digits))[0]))
        if kind == "0d" and len(digits) == 16:
            return repr(abs(struct.unpack(">d", bytes.fromhex(digits))[0]))
    except ValueError:
        return constant
    return constant


def is_negative(constant: str) -> bool:
    """Whether a floating-point constant has the sign of a negative number."""
    return constant[:2].lower() in ("0f", "0d") and constant[2:3] >= "8"
