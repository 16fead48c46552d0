"""Whether two functions have the same floating-point instructions in the same order, whatever their registers.

The quick answer for versions that change addresses or the order of blocks alone: what is equal instruction by
instruction, with the same operands and in the same basic blocks, is rounded equally, also by ptxas.
"""

from __future__ import annotations

from functools import lru_cache

from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.values import FLOATS, Grain, Source, Values

_NO_ARITHMETIC = frozenset({"mov", "neg", "abs", "selp", "ld", "st", "setp", "atom", "red", "shfl"})
_COARSE = Grain(0)


def are_alike(first: Values, second: Values) -> bool:
    """Whether they are alike."""
    mine, theirs = _arithmetic(first), _arithmetic(second)
    if [one.opcode for one in mine] != [one.opcode for one in theirs]:
        return False
    loads = [_loads(values) for values in (first, second)]
    if len(loads[0]) != len(loads[1]) or not _are_in_order(*loads):
        return False
    blocks: dict[int, int] = {}
    for one, other in zip(mine, theirs, strict=True):
        if blocks.setdefault(one.block, other.block) != other.block:
            return False
    return len(set(blocks.values())) == len(blocks) and _all_seen(first) == _all_seen(second)


@lru_cache(maxsize=64)
def _all_seen(values: Values) -> list[tuple[object, ...]]:
    """What is seen of the arithmetic of a function, found once while several versions are held against it."""
    mine = _arithmetic(values)
    numbers = {one.index: number for number, one in enumerate([*mine, *_loads(values)])}
    return [_seen(values, one, numbers) for one in mine]


@lru_cache(maxsize=64)
def _arithmetic(values: Values) -> list[Instruction]:
    return [
        one
        for one in values.function.instructions
        if one.base == "call" or (one.base not in _NO_ARITHMETIC and one.type in FLOATS)
    ]


@lru_cache(maxsize=64)
def _loads(values: Values) -> list[Instruction]:
    """The loads, told apart by their order: two products of one array's elements have the same labels."""
    return [one for one in values.function.instructions if one.base == "ld" and not one.opcode.startswith("ld.param")]


def _are_in_order(mine: list[Instruction], theirs: list[Instruction]) -> bool:
    """Whether loads from one address each have the same distances in both: none has changed places with another one."""
    shifts: dict[tuple[str, str], int] = {}
    for one, other in zip(mine, theirs, strict=True):
        (base, first), (others_base, second) = (_address(load) for load in (one, other))
        if shifts.setdefault((base, others_base), second - first) != second - first:
            return False
    return True


def _address(load: Instruction) -> tuple[str, int]:
    base, _, displacement = load.operands[-1].strip("[] ").partition("+")
    return base, int(displacement) if displacement.lstrip("-").isdigit() else 0


def _seen(values: Values, instruction: Instruction, numbers: dict[int, int]) -> tuple[object, ...]:
    """What an instruction computes with, and whether anything but arithmetic uses the result."""
    if instruction.base == "call":
        return ()
    operands = tuple(
        frozenset(
            (_number(source, numbers), values.told(source, _COARSE), source.element)
            for source in values.sources(operand)
        )
        for operand in instruction.operands[1:]
    )
    users = values.users(instruction.operands[0])
    return operands, sum(user.index not in numbers for user in users) > 0


def _number(source: Source, numbers: dict[int, int]) -> int:
    return -1 if source.instruction is None else numbers.get(source.instruction.index, -1)
