"""What integer instructions of PTX give for operands that are known (PTX ISA 9.0, chapter 9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from gpuopt_driver.ptx.read import Instruction

NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?")
_TYPE = re.compile(r"([subSUB])(\d+)")


class Seen(Enum):
    """Values that are no number here: those of the run, and those that a compiler may know and this module does not."""

    VARIES = "varies"
    FOLDED = "folded"


Value = int | Seen

_SUMS: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": min,
    "max": max,
}
_COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b,
    "hs": lambda a, b: a >= b,
}
_ELSEWHERE = frozenset({"atom", "call", "shfl", "vote", "match", "activemask", "redux", "tex", "tld4", "suld"})
_UNSIGNED_ORDER = frozenset({"lo", "ls", "hi", "hs"})


def bits(kind: str) -> int:
    """The width of a type; 1 of a predicate, 0 of what is no integer."""
    found = _TYPE.fullmatch(kind)
    return int(found[2]) if found else 1 if kind == "pred" else 0


def as_typed(value: int, kind: str) -> int:
    """A number as a type has it: cut to its width, with a sign where it has one."""
    width = bits(kind)
    value &= (1 << width) - 1
    return value - (1 << width) if kind.startswith("s") and value >> (width - 1) else value


def result(one: Instruction, given: Sequence[Value]) -> Value:
    """What an instruction puts into its register, as an unsigned number, for these values of its other operands."""
    parts = one.opcode.split(".")
    if one.base in ("mul", "and") and 0 in given and bits(one.type):
        return 0
    if one.base == "selp" and len(given) == 3:
        return _selected(given[0], given[1], given[2])
    if Seen.VARIES in given or one.base in _ELSEWHERE:
        return Seen.VARIES
    numbers = [value for value in given if isinstance(value, int)]
    made = _made(one.base, parts, one.type, numbers) if len(numbers) == len(given) else None
    return Seen.FOLDED if made is None else made


def _selected(first: Value, second: Value, condition: Value) -> Value:
    if isinstance(condition, int):
        return first if condition else second
    if first == second:
        return first
    return Seen.VARIES if Seen.VARIES in (first, second) else Seen.FOLDED  # nvcc may select between two results


def _made(base: str, parts: Sequence[str], kind: str, given: Sequence[int]) -> int | None:
    """The number, None for operations that are not known here."""
    if base == "cvt":
        source, target = kind, parts[-2]
        return as_typed(given[0], source) & _ones(target) if bits(source) and bits(target) else None
    width = bits(kind)
    if not width or not given:
        return None
    numbers = [as_typed(value, kind) for value in given]
    if base == "setp" and len(numbers) == 2 and len(parts) == 3:
        return _compared(parts[1], kind, given)
    if "hi" in parts or "sat" in parts or "cc" in parts:
        return None
    if "wide" in parts and base in ("mul", "mad"):
        return _widened(numbers, as_typed(given[-1], f"{kind[0]}{2 * width}"), width)
    made = _plain(base, numbers, given, width)
    return None if made is None else made & _ones(kind)


def _plain(base: str, numbers: Sequence[int], given: Sequence[int], width: int) -> int | None:
    if len(numbers) == 1:
        number = numbers[0]
        return {"mov": number, "neg": -number, "not": ~number, "abs": abs(number)}.get(base)
    if base in _SUMS and len(numbers) == 2:
        return _SUMS[base](*numbers)
    if base in ("shl", "shr") and len(numbers) == 2:
        amount = min(given[1] & _ones("u32"), width)
        return numbers[0] << amount if base == "shl" else numbers[0] >> amount
    if base == "mad" and len(numbers) == 3:
        return numbers[0] * numbers[1] + numbers[2]
    if base in ("div", "rem") and len(numbers) == 2 and numbers[1]:
        quotient = abs(numbers[0]) // abs(numbers[1])
        quotient = quotient if (numbers[0] < 0) == (numbers[1] < 0) else -quotient
        return quotient if base == "div" else numbers[0] - quotient * numbers[1]
    return None


def _widened(numbers: Sequence[int], addend: int, width: int) -> int:
    made = numbers[0] * numbers[1] + (addend if len(numbers) == 3 else 0)
    return made & _ones(f"u{2 * width}")


def _compared(order: str, kind: str, given: Sequence[int]) -> int | None:
    kind = f"u{kind[1:]}" if order in _UNSIGNED_ORDER else kind
    compare = _COMPARED.get(order)
    return None if compare is None else int(compare(as_typed(given[0], kind), as_typed(given[1], kind)))


def _ones(kind: str) -> int:
    return (1 << bits(kind)) - 1
