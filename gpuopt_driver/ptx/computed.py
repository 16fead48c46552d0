"""Whether nvcc computes itself, in a version, what the original's GPU approximates.

Where all operands of an operation are constants, nvcc gives its result, rounded as IEEE 754 says. The approximate
operations of a GPU (`ex2.approx`, `rcp.approx`, `div.full`) round otherwise. A version that reads fewer parameters or
dimensions of the launch than its original knows them: it may have constants wherever the original computes with
parameters, dimensions and constants alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.values import Values, values_of

_APPROXIMATE = frozenset({"approx", "full"})
_WORD = re.compile(r"%[\w.]+")
_DIMENSION = re.compile(r"%(?:ntid|nctaid)\.[xyz]\b")
_PARAMETER = re.compile(r"_param_(\d+)")
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
    values = values_of(original)
    varying: dict[str, bool] = {}
    found = (one for one in original.instructions if not _APPROXIMATE.isdisjoint(one.opcode.split(".")))
    return next((one.opcode for one in found if not any(_varies(values, name, varying) for name in _read(one))), "")


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


def _varies(values: Values, register: str, known: dict[str, bool]) -> bool:
    """Whether a register depends on memory, on the thread or on other threads, however it is made."""
    seen: set[str] = set()
    waiting = [register]
    while waiting:
        name = waiting.pop()
        if name in seen or known.get(name) is False:
            continue
        seen.add(name)
        makers = values.makers(name)
        if known.get(name) or (not makers and not _DIMENSION.match(name)) or any(map(_is_varying, makers)):
            known[register] = True
            return True
        waiting.extend(one for maker in makers for one in _read(maker))
    known.update(dict.fromkeys(seen, False))
    return False


def _is_varying(maker: Instruction) -> bool:
    """Whether what an instruction gives is not a function of its operands."""
    is_load = maker.base in ("ld", "ldu") and not maker.opcode.startswith("ld.param")
    return is_load or maker.base in _VARYING
