"""A function's operations as a graph that does not depend on registers, copies, signs, or what was fused with what.

`operations` gives each instruction that computes, loads or stores a name and what its operands can hold. A sum has its
products inside, whether they are fused with it or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.values import FLOATS, SUMS, Grain, Source, Values, is_negative, magnitude

_SILENT = frozenset(
    {"mov", "neg", "abs", "selp", "cvta", "bra", "brx", "ret", "exit", "bar", "barrier", "membar", "fence"}
)
_STORES = frozenset({"st", "red", "atom"})
_COMMUTE = frozenset({"add", "mul", "min", "max", "and", "or", "xor"})
_ROUNDED = frozenset({"rn", "rz", "rm", "rp"})
_NUMBER = re.compile(r"-?\d|0[fFdDxX]")
_REGISTER = re.compile(r"%\w+")


@dataclass(frozen=True, slots=True)
class Detail:
    """How much a name tells: what of a load's displacement (see `Grain`), and where sums start (`first`).

    `integers`: how integers and addresses are computed; `uses`: what becomes of each result.
    """

    displacement: int = 0
    first: bool = True
    integers: bool = False
    uses: bool = False

    @property
    def grain(self) -> Grain:
        """The same for labels."""
        return Grain(0, self.displacement, self.first)


@dataclass(frozen=True, slots=True)
class Value:
    """What an operand can hold: results (the operation's instruction and which of its registers) and constants."""

    results: tuple[tuple[int, int], ...]
    constants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Addend:
    """One operand of a sum: the pairs of factors of the products that it can be, and what else it can be."""

    products: tuple[tuple[Value, Value], ...]
    others: Value | None
    sign: int


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction: its name with all that is the same in every compilation, and its operands.

    `ordered`: whether the order of the operands counts. A sum has `addends` in their place.
    """

    instruction: Instruction
    name: str
    operands: tuple[Value, ...] = ()
    ordered: bool = True
    addends: tuple[Addend, ...] = ()


def is_rounded(instruction: Instruction) -> bool:
    """Whether a rounding is written, which forbids ptxas to fuse; of sums and products the source says so itself."""
    return not _ROUNDED.isdisjoint(instruction.opcode.split("."))


def products_of(values: Values, operand: str, total: Instruction) -> list[Instruction]:
    """The multiplications that an operand of a sum can come from."""
    found = (source.instruction for source in values.sources(operand))
    return [one for one in found if one is not None and one.base == "mul" and one.type == total.type]


def addends_of(total: Instruction) -> tuple[str, ...]:
    """The operands of a sum that are added, of a fused one without its product."""
    return total.operands[3:4] if total.base == "fma" else total.operands[1:3]


def adds_one_twice(values: Values, total: Instruction) -> bool:
    """Whether both addends are one value but for its sign: `x + x`, or `fma(a, b, -(a * b))`."""
    if total.base != "fma":
        return total.operands[1] == total.operands[2]
    signs = values.signs(total.operands[3])
    made = [one.instruction for one, sign in signs.items() if one.instruction is not None and sign]
    products = [one for one in made if one.base == "mul" and one.type == total.type]
    return len(signs) == len(products) == 1 and sorted(products[0].operands[1:3]) == sorted(total.operands[1:3])


@lru_cache(maxsize=16)
def operations(values: Values, detail: Detail) -> tuple[Operation, ...]:
    """The operations of a function, found once while several versions are held against it."""
    return tuple(_operation(values, one, detail) for one in values.function.instructions if one.base not in _SILENT)


def _operation(values: Values, one: Instruction, detail: Detail) -> Operation:
    is_float = one.type in FLOATS
    if one.base == "ld":
        registers = _REGISTER.findall(one.operands[-1]) if detail.integers else ()
        name = f"{values.told(Source(one), detail.grain)} {one.type}"
        return Operation(one, name, tuple(_value(values, register, detail) for register in registers))
    if one.base == "call":
        return Operation(one, values.told(Source(one), detail.grain))
    if one.base in _STORES:
        return _store(values, one, detail)
    if is_float and one.base in SUMS:
        return _sum(values, one, detail)
    if not (is_float or detail.integers or one.base == "cvt"):
        return Operation(one, "integer")
    if one.base == "setp":  # compilers turn conditions around
        return Operation(one, f"setp.{one.type}", _values(values, one.operands[1:], detail), ordered=False)
    name = f"{one.base}.{one.type} {is_rounded(one)}" if is_float and one.base == "mul" else one.opcode
    same = f" {len(set(one.operands[1:]))}" if one.base == "mul" else ""  # a square is one in every compilation
    return Operation(one, name + same, _values(values, one.operands[1:], detail), ordered=one.base not in _COMMUTE)


def _store(values: Values, one: Instruction, detail: Detail) -> Operation:
    address = next((operand for operand in one.operands if operand.startswith("[")), "")
    name = f"{one.base} {one.type} {' '.join(sorted(values.roots(address)))}"
    stored = [register for operand in one.operands if operand != address for register in _REGISTER.findall(operand)]
    return Operation(one, name, _values(values, stored, detail))


def _sum(values: Values, total: Instruction, detail: Detail) -> Operation:
    found = [_addend(values, operand, total, detail) for operand in addends_of(total)]
    if total.base == "fma":
        factors = _factors(values, total, detail)
        found.append(Addend((factors,), None, _sign(values, total.operands[1]) * _sign(values, total.operands[2])))
    signs = found[0].sign * found[1].sign * (-1 if total.base == "sub" else 1)
    is_final = total.base != "fma" and is_rounded(total)  # __fadd_rn stays alone in every compilation
    return Operation(
        total, f"sum.{total.type} {signs} {adds_one_twice(values, total)} {is_final}", addends=tuple(found)
    )


def _addend(values: Values, operand: str, total: Instruction, detail: Detail) -> Addend:
    products = products_of(values, operand, total)
    signs = {
        values.signs(operand)[Source(one)] * _sign(values, one.operands[1]) * _sign(values, one.operands[2])
        for one in products
    }
    others = {source: sign for source, sign in values.signs(operand).items() if source.instruction not in products}
    made = products or any(source.instruction is not None for source in others)
    told = [one for one in others if detail.first or one.instruction is not None or not made]
    signs.update(others[one] * (-1 if is_negative(one.constant) else 1) for one in told)
    value = _held(told) if told else None
    return Addend(tuple(_factors(values, one, detail) for one in products), value, _one(signs))


def _factors(values: Values, one: Instruction, detail: Detail) -> tuple[Value, Value]:
    return _value(values, one.operands[1], detail), _value(values, one.operands[2], detail)


def _sign(values: Values, operand: str) -> int:
    return _one({sign * (-1 if is_negative(one.constant) else 1) for one, sign in values.signs(operand).items()})


def _one(signs: set[int]) -> int:
    """The sign that all have, 0 where they differ."""
    return next(iter(signs)) if len(signs) == 1 else 0


def _values(values: Values, operands: Iterable[str], detail: Detail) -> tuple[Value, ...]:
    return tuple(_value(values, operand, detail) for operand in operands)


def _value(values: Values, operand: str, detail: Detail) -> Value:
    sources = values.sources(operand)
    made = [one for one in sources if one.instruction is not None]
    return _held(sources if detail.first or not made else made)


def _held(sources: Iterable[Source]) -> Value:
    results = tuple((one.instruction.index, one.element) for one in sources if one.instruction is not None)
    constants = {
        magnitude(one.constant) if _NUMBER.match(one.constant) else "index"  # special registers and arrays have others
        for one in sources
        if one.instruction is None
    }
    return Value(results, tuple(sorted(constants)))


def uses_of(values: Values, operation: Operation) -> Iterator[tuple[tuple[int, int], str]]:
    """The results that an operation computes with, each with the role that it has there."""
    one = operation.instruction
    if one.base == "ld" or operation.name == "integer":
        return
    if one.base == "mul" and one.type in FLOATS and all(_adds(user, one) for user in values.takers(one.operands[0])):
        return  # its factors are used by the sums, be they fused or not
    for addend in operation.addends:
        for factors, which in product(addend.products, (0, 1)):
            yield from ((result, "factor") for result in factors[which].results)
        if addend.others is not None:
            yield from ((result, "addend") for result in addend.others.results)
    for position, operand in enumerate(operation.operands):
        role = f"operand {position}" if operation.ordered else "operand"
        yield from ((result, role) for result in operand.results)


def _adds(user: Instruction, product_: Instruction) -> bool:
    return user.base in SUMS and user.type == product_.type
