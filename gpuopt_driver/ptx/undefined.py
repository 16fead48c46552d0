"""Whether a number that a version has as a constant makes an operation undefined that a GPU defines.

A GPU shifts everything out by 32 and more, and gives a number for a division by 0. Where nvcc sees such a constant, it
takes what it likes for the result and all that is made of it; a store of it may go. So the original's PTX is run with
the numbers that the version knows: where a condition is not known, both ways, and loops as often as nvcc may unroll
them, rotations among them. PTX shows what macros, templates, inlined functions and counters of loops make of a shift.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuopt_driver.ptx.integers import NUMBER, Seen, Value, as_typed, bits, result
from gpuopt_driver.ptx.read import Function, Instruction

_SHIFTS = frozenset({"shl", "shr", "shf"})
_DIVISIONS = frozenset({"div", "rem"})
_WORD = re.compile(r"%[\w.]+")
_PARAMETER = re.compile(r"\[\s*\w+_param_(\d+)\s*\]")
_ENDS = frozenset({"ret", "exit", "trap"})
_MOST_PASSES = 256  # of one loop: longer ones are not unrolled altogether
_MOST_STEPS = 50_000
_OPERANDS = {"shf": 4}  # of a rotation, with its result; of the others three


class _State(NamedTuple):
    """Where a run is, what its registers have (those that are not there vary), how often it took each branch back."""

    at: int
    values: dict[str, Value]
    passes: dict[int, int]


def undefined(original: Function, constants: Mapping[str, int], params: Sequence[str]) -> str:
    """An operation of the original's that the constants may make undefined, "" where there is none.

    `constants` are numbers of the launch by the names of index forms (`width`, `blockDim.x`), `params` the kernel's
    parameters in their order; a device function has none.
    """
    asked = [one for one in original.instructions if _is_asked(one)] if constants else []
    return _Run(original, given_by(constants, params), asked).undefined() if asked else ""


def _is_asked(one: Instruction) -> bool:
    """Whether an operand of an instruction can make it undefined."""
    if one.base not in _SHIFTS and not (one.base in _DIVISIONS and bits(one.type)):
        return False
    return len(one.operands) == _OPERANDS.get(one.base, 3) and NUMBER.fullmatch(one.operands[-1]) is None


def given_by(constants: Mapping[str, int], params: Sequence[str]) -> dict[str, int]:
    """The numbers by what PTX calls them: parameters by their place, special registers by name."""
    found = {_parameter(place): constants[name] for place, name in enumerate(params) if name in constants}
    for axis in "xyz":
        for name, register in (("blockDim", "ntid"), ("gridDim", "nctaid")):
            size = constants.get(f"{name}.{axis}")
            found.update({f"%{register}.{axis}": size} if size is not None else {})
        found.update({f"%tid.{axis}": 0} if constants.get(f"blockDim.{axis}") == 1 else {})
    return found


def _parameter(place: int) -> str:
    return f"parameter {place}"


def place_of(one: Instruction) -> str:
    """What `given_by` calls the parameter that an instruction loads, "" where it loads none, or a part of one."""
    found = _PARAMETER.fullmatch(one.operands[-1]) if one.opcode.startswith("ld.param.") else None
    return _parameter(int(found[1])) if found else ""


class _Run:
    """One function, run on what its branches and the operations that are asked about depend on."""

    def __init__(self, function: Function, given: Mapping[str, int], asked: Sequence[Instruction]) -> None:
        self.code, self.given = function.instructions, given
        self.asked = frozenset(one.index for one in asked)
        self.needed = _needed(self.code, [*asked, *(one for one in self.code if one.base == "bra")])
        first: dict[int, int] = {}
        for one in self.code:
            first.setdefault(one.block, one.index)
        self.targets = {name: first.get(block, len(self.code)) for name, block in function.labels.items()}
        self.steps = 0

    def undefined(self) -> str:
        """The first operation that is undefined, or one at which this could not be found out."""
        waiting = [_State(0, {}, {})]
        seen: set[tuple[object, ...]] = set()
        while waiting:
            state = waiting.pop()
            key = (state.at, *sorted((name, str(value)) for name, value in state.values.items()))
            if key not in seen:
                seen.add(key)
                found, following = self._straight(state)
                if found:
                    return found
                waiting.extend(following)
        return ""

    def _straight(self, state: _State) -> tuple[str, list[_State]]:
        """Run up to a branch that may go both ways: an undefined operation, and where it goes on."""
        at, values, passes = state
        while at < len(self.code):
            one = self.code[at]
            at += 1
            if one.base == "bra":
                target, taken = self.targets.get(one.operands[-1]), self._is_on(one, values)
                if target is None:
                    return one.opcode, []
                if isinstance(taken, Seen):
                    return "", [_State(at, dict(values), dict(passes)), _State(target, values, passes)]
                if taken and target < at:
                    passes[one.index] = passes.get(one.index, 0) + 1
                    if passes[one.index] > _MOST_PASSES:
                        self._forget(target, one.index, values)
                at = target if taken else at
            elif one.base == "brx":
                return one.opcode, []
            elif one.base in _ENDS and self._is_on(one, values) == 1:
                break
            elif one.index in self.needed:
                self.steps += 1
                if self.steps > _MOST_STEPS or self._is_undefined(one, values):
                    return one.opcode, []
                self._run(one, values)
        return "", []

    def _is_on(self, one: Instruction, values: Mapping[str, Value]) -> Value:
        """Whether an instruction is executed, by its guard."""
        guard = values.get(one.guard, Seen.VARIES) if one.guard else 1
        return guard if isinstance(guard, Seen) else int(bool(guard) is not one.is_negated)

    def _run(self, one: Instruction, values: dict[str, Value]) -> None:
        on = self._is_on(one, values)
        if on == 0:
            return
        made = self._loaded(one, values) if one.base in ("ld", "ldu") else result(one, self._operands(one, values))
        names = _WORD.findall(one.operands[0]) if one.operands else []
        for name in names:
            before = values.get(name, Seen.VARIES)
            alike = len(names) == 1 and (on == 1 or before == made)
            values[name] = made if alike else Seen.VARIES if Seen.VARIES in (on, made, before) else Seen.FOLDED

    def _operands(self, one: Instruction, values: Mapping[str, Value]) -> list[Value]:
        return [self._value(text, values) for text in one.operands[1:]]

    def _value(self, text: str, values: Mapping[str, Value]) -> Value:
        """What an operand has: of addresses, vectors and names of variables, whether all threads have the same."""
        if text in self.given or text in values:
            return values[text] if text in values else self.given[text]
        if NUMBER.fullmatch(text):
            return int(text.rstrip("U"), 0)
        same = all(values.get(name, Seen.VARIES) is not Seen.VARIES for name in _WORD.findall(text))
        return Seen.FOLDED if same else Seen.VARIES

    def _loaded(self, one: Instruction, values: Mapping[str, Value]) -> Value:
        """What a parameter has, or an element of an array that may be a constant once its index is one."""
        address = one.operands[-1]
        if ".param" in one.opcode:
            number = self.given.get(place_of(one))
            return Seen.VARIES if number is None or not bits(one.type) else as_typed(number, f"u{bits(one.type)}")
        return Seen.VARIES if ".shared" in one.opcode or "volatile" in one.opcode else self._value(address, values)

    def _is_undefined(self, one: Instruction, values: Mapping[str, Value]) -> bool:
        if one.index not in self.asked or self._is_on(one, values) == 0:
            return False
        first, *_, second = self._operands(one, values)
        if second is Seen.FOLDED:
            return True
        if isinstance(second, Seen):
            return False
        width = bits(one.type)
        if one.base in _SHIFTS:  # a rotation by 0 is written as two shifts, one of them by the whole width
            return not (one.base == "shf") <= as_typed(second, "u32") < width
        divisor = as_typed(second, one.type)
        return divisor == 0 or (divisor == -1 and first in (1 << (width - 1), Seen.FOLDED))

    def _forget(self, first: int, last: int, values: dict[str, Value]) -> None:
        """What a loop changes is known no more: it runs longer than it may be unrolled."""
        for one in self.code[first:last]:
            for name in _WORD.findall(one.operands[0]) if one.index in self.needed else ():
                values.pop(name, None)


def _needed(code: Sequence[Instruction], wanted: Iterable[Instruction]) -> frozenset[int]:
    """The instructions that these are, and those whose results they depend on."""
    makers: dict[str, list[Instruction]] = {}
    for one in code:
        for name in _results(one):
            makers.setdefault(name, []).append(one)
    found: dict[int, Instruction] = {}
    waiting = list(wanted)
    while waiting:
        one = waiting.pop()
        if one.index not in found:
            found[one.index] = one
            for name in _read(one):
                waiting.extend(makers.get(name, ()))
    return frozenset(found)


def _results(one: Instruction) -> Iterator[str]:
    if one.operands and one.base not in ("st", "red", "bra", "brx", "bar", "barrier"):
        yield from _WORD.findall(one.operands[0])


def _read(one: Instruction) -> Iterator[str]:
    yield from [one.guard] if one.guard else []
    for text in one.operands[1:]:
        yield from _WORD.findall(text)
