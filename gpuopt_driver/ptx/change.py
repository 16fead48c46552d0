"""What may stand in the place of a sum in PTX: the same sum with another of its products fused, or none.

Changes leave ptxas no choice: of `fma(a, b, c * d)` the other product is fused, a product that is not fused is fused
with its sum, or one that is gets apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.operations import addends_of
from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.values import Values

_MODIFIERS = frozenset({"rn", "ftz"})
_DECLARED = re.compile(r"(\s*\.reg\s+\.(f32|f64|b16|b32)\s+)(%[a-z]+)<(\d+)>;\s*$")
_REGISTERS = {"f32": "f32", "f64": "f64", "f16": "b16", "bf16": "b16", "f16x2": "b32", "bf16x2": "b32"}  # by type


@dataclass(frozen=True, slots=True)
class _Product:
    """A product that one operand of a sum is: its factors, and whether its sign is changed on the way."""

    factors: tuple[str, str]
    is_negated: bool


def apart(total: Instruction) -> list[str]:
    """A sum that says itself that no product is fused with it."""
    base, _, rest = total.opcode.partition(".")
    return [f"{base}.rn.{rest} {', '.join(total.operands)}"]


def changes(values: Values, total: Instruction) -> Iterator[list[str]]:
    """What may stand in the place of a sum: statements with `%new0`, `%new1` for registers of their own."""
    result, kind = total.operands[0], total.type
    known = set(total.opcode.split(".")[1:-1]) <= _MODIFIERS and not total.guard and kind in _REGISTERS
    if not known:
        return
    ftz = ".ftz" if ".ftz" in total.opcode else ""
    if total.base == "fma":
        product = product_of(values, total.operands[3], total)
        if product is not None:
            first, second = total.operands[1:3]
            own = [f"mul.rn{ftz}.{kind} %new0, {first}, {second}"]
            yield [*own, *_fused(result, product, "%new0", kind, ftz)]
        first, second, addend = total.operands[1:]
        yield [f"mul.rn{ftz}.{kind} %new0, {first}, {second}", f"add.rn{ftz}.{kind} {result}, %new0, {addend}"]
        return
    for position, operand in enumerate(addends_of(total)):
        product = product_of(values, operand, total)
        if product is not None:
            other = addends_of(total)[1 - position]
            minus = total.base == "sub"
            if minus and position == 1:
                product = _Product(product.factors, not product.is_negated)
            sign = [f"neg{ftz}.{kind} %new0, {other}"] if minus and position == 0 else []
            yield [*sign, *_fused(result, product, "%new0" if sign else other, kind, ftz)]
    yield apart(total)


def _fused(result: str, product: _Product, addend: str, kind: str, ftz: str) -> list[str]:
    first, second = product.factors
    if product.is_negated and second[:2] in ("0f", "0d"):  # as ptxas does: the constant gets the sign
        return [f"fma.rn{ftz}.{kind} {result}, {first}, {_negated(second)}, {addend}"]
    if product.is_negated:
        return [f"neg{ftz}.{kind} %new1, {first}", f"fma.rn{ftz}.{kind} {result}, %new1, {second}, {addend}"]
    return [f"fma.rn{ftz}.{kind} {result}, {first}, {second}, {addend}"]


def _negated(constant: str) -> str:
    """A constant with the other sign: `0f3F000000` is 0.5."""
    return f"{constant[:2]}{int(constant[2], 16) ^ 8:X}{constant[3:]}"


def product_of(values: Values, operand: str, total: Instruction) -> _Product | None:
    """The product that an operand is, where its factors are the same still at the sum."""
    makers, negated = values.makers(operand), False
    if len(makers) == 1 and makers[0].base == "neg":
        operand, negated = makers[0].operands[1], True
        makers = values.makers(operand)
    if len(makers) != 1 or makers[0].base != "mul" or makers[0].type != total.type or makers[0].guard:
        return None
    own, others = set(makers[0].opcode.split(".")[1:-1]), set(total.opcode.split(".")[1:-1])
    if not own <= _MODIFIERS or ("ftz" in own) != ("ftz" in others):
        return None
    first, second = makers[0].operands[1:3]
    if any(_may_change(values, one, makers[0], total) for one in (first, second)):
        return None
    return _Product((first, second), negated)


def _may_change(values: Values, operand: str, product: Instruction, total: Instruction) -> bool:
    """Whether an operand may be another value at a sum than at its product: where it is written more than once."""
    makers = values.makers(operand)
    is_near = product.block == total.block and product.index < total.index
    return len(makers) > 1 and not (is_near and not any(product.index < one.index < total.index for one in makers))


@lru_cache(maxsize=1 << 15)
def _plain(line: str) -> str:
    """A line as it is compared: inline assembly has a brace in front and no space behind commas."""
    return " ".join(line.strip().removeprefix("{").split()).replace(", ", ",")


class Body:
    """The lines of a function while statements in it are replaced, one after the other."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._rows = [[line] for line in lines]  # by line that there was, what stands in its place
        self._places: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            self._places.setdefault(_plain(line), []).append(at)
        self._declared = [at for at, line in enumerate(lines) if ".reg" in line and _DECLARED.match(line)]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as they are now."""
        return tuple(chain.from_iterable(self._rows))

    def replace(self, total: Instruction, texts: Sequence[str]) -> bool:
        """Put other statements in the place of one; whether that could be found, and only once."""
        wanted = _plain(f"{total.opcode} {', '.join(total.operands)};")
        places = self._places.get(wanted, ())
        if len(places) != 1:
            return False
        row, declared = self._rows[places[0]], None
        if any("%new" in one for one in texts):
            declared = self._registers(total.type)
            if declared is None:
                return False
        which = next(number for number, line in enumerate(row) if _plain(line) == wanted)
        opened = "{" if row[which].lstrip().startswith("{") else ""  # by inline assembly, which closes it later
        made = [f"\t{opened if one is texts[0] else ''}{one};" for one in texts]
        if declared is not None:
            at, found = declared
            used = int(found[4])
            made = [re.sub(r"%new([01])", lambda new: f"{found[3]}{used + int(new[1])}", line) for line in made]
            self._rows[at] = [f"{found[1]}{found[3]}<{used + 2}>;"]
        at = places[0]
        del self._places[wanted]
        row[which : which + 1] = made
        for line in made:
            self._places.setdefault(_plain(line), []).append(at)
        return True

    def _registers(self, type_: str) -> tuple[int, re.Match[str]] | None:
        """Where registers for values of a type are declared, None where that is not one place."""
        matched = ((at, _DECLARED.match(self._rows[at][0])) for at in self._declared)
        own = [(at, found) for at, found in matched if found is not None and found[2] == _REGISTERS.get(type_)]
        return own[0] if len(own) == 1 else None


def replaced(lines: Sequence[str], total: Instruction, texts: Sequence[str]) -> tuple[str, ...] | None:
    """The lines with other statements in the place of one, None where that cannot be found."""
    body = Body(lines)
    return body.lines if body.replace(total, texts) else None
