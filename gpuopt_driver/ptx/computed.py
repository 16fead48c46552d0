"""Whether nvcc computes itself, in a version, what the original's GPU approximates.

Where all operands of an operation are constants, nvcc gives its result, rounded as IEEE 754 says. The approximate
operations of a GPU (`ex2.approx`, `rcp.approx`, `div.full`) round otherwise. A version that reads fewer parameters or
dimensions of the launch than its original knows them: it may have constants wherever the original computes with
parameters, dimensions and constants alone. Of an approximate quotient one operand is enough: ptxas multiplies by the
reciprocal of a divisor that it knows, which it computes itself, and cicc takes `1 / x` for a reciprocal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.values import FLOATS, Values, values_of

_APPROXIMATE = frozenset({"approx", "full"})
_WORD = re.compile(r"%[\w.]+")
_DIMENSION = re.compile(r"%(?:ntid|nctaid)\.[xyz]\b")
_PARAMETER = re.compile(r"_param_(\d+)")
_WHOLE, _REAL = "whole", "real"
_VARYING = frozenset({"atom", "red", "call", "shfl", "vote", "match", "activemask", "redux", "tex", "tld4", "suld"})


def knows_more(original: Function, version: Function, shift: int) -> bool:
    """Whether a version does without numbers of the launch that its original reads.

    `shift` is the number of parameters that the version has in front of those of the original. One that reads these may
    have dimensions of the launch from there.
    """
    given = _inputs(version, shift)
    missing = _inputs(original, 0) - given
    if any(name.startswith("-") for name in given):
        missing = frozenset(name for name in missing if not name.startswith("%"))
    return bool(missing)


def computed(original: Function, version: Function, shift: int) -> str:
    """An approximate operation of the original's that the version may have as a constant, "" where there is none."""
    if not knows_more(original, version, shift):
        return ""
    known = _Known(values_of(original))
    found = (one for one in original.instructions if is_approximate(one))
    return next((one.opcode for one in found if known.is_computed(one)), "")


def is_approximate(one: Instruction) -> bool:
    """Whether a GPU approximates what an instruction gives."""
    return not _APPROXIMATE.isdisjoint(one.opcode.split("."))


@lru_cache(maxsize=64)
def _inputs(function: Function, shift: int) -> frozenset[str]:
    """The parameters and dimensions of the launch that a function reads."""
    found: set[str] = set()
    for one in function.instructions:
        if one.opcode.startswith("ld.param"):
            found.update(str(int(number) - shift) for number in _PARAMETER.findall(" ".join(one.operands[1:])))
        else:
            found.update(
                name for operand in one.operands[1:] if "%n" in operand for name in _DIMENSION.findall(operand)
            )
    return frozenset(found)


def _read(instruction: Instruction) -> list[str]:
    """The registers that an operation computes with."""
    given = [instruction.guard] if instruction.guard else []
    return given + [name for operand in instruction.operands[1:] for name in _WORD.findall(operand)]


@dataclass(slots=True)
class _Known:
    """What a compiler may know in a function where numbers of the launch are constants, of whole numbers alone."""

    values: Values
    _found: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def is_computed(self, one: Instruction) -> bool:
        """Whether it may give the result of an approximate operation, or of the reciprocal in a quotient."""
        if self._is_known(_read(one)):
            return True
        parts = one.operands[1:] if one.base == "div" else ()
        made = (name for name in parts if any(source.instruction is not None for source in self.values.sources(name)))
        return any(self._is_known([name]) for name in made)

    def _is_known(self, registers: Sequence[str]) -> bool:
        """Whether these depend on constants alone, or on what is one."""
        kinds = [self._kinds(name) for name in registers]
        every = frozenset().union(*(one for one in kinds if one is not None))
        return None not in kinds and every != {_REAL}

    def _kinds(self, register: str) -> frozenset[str] | None:
        """The kinds of numbers of the launch that a register is made of; None: also of memory or of the thread."""
        if register not in self._found:
            self._found[register] = self._read_kinds(register)
        return self._found[register]

    def _read_kinds(self, register: str) -> frozenset[str] | None:
        seen, found, waiting = set[str](), set[str](), [register]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            makers = self.values.makers(name)
            if _DIMENSION.match(name):
                found.add(_WHOLE)
            elif not makers or any(map(_is_varying, makers)):
                return None
            for one in makers:
                if one.opcode.startswith("ld.param"):
                    found.add(_REAL if one.type in FLOATS else _WHOLE)
                waiting.extend(_read(one))
        return frozenset(found)


def _is_varying(maker: Instruction) -> bool:
    """Whether what an instruction gives is not a function of its operands."""
    is_load = maker.base in ("ld", "ldu") and not maker.opcode.startswith("ld.param")
    return is_load or maker.base in _VARYING
