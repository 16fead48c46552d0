"""Gives a version the form that its original has: where nvcc fused other products, its PTX is changed.

Changes leave ptxas no choice: of `fma(a, b, c * d)` the other product is fused, a product that is not fused is fused
with its sum, or one that is gets apart. Whether the version has its original's form then is for the comparison to say.

Where a product of the original's is one of several values of a sum's operand, or was moved out of the sum's loop, cicc
could not fuse it, and ptxas is left to. That it keeps them apart is known where the original with this written down
(`add.rn`) has the same machine code; `Mended.original` is that text, for who can find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuopt_driver.ptx.fusion import Wrong, difference, wrong_forms
from gpuopt_driver.ptx.operations import addends_of, is_rounded
from gpuopt_driver.ptx.read import Function, Instruction, function
from gpuopt_driver.ptx.sums import OUTSIDE, SEVERAL, forms, sums, told
from gpuopt_driver.ptx.values import Values, values_of

_MOST = 100  # sums of one version that are changed
_MODIFIERS = frozenset({"rn", "ftz"})
_DECLARED = re.compile(r"(\s*\.reg\s+\.(f32|f64)\s+)(%[a-z]+)<(\d+)>;\s*$")


@dataclass(frozen=True, slots=True)
class _Product:
    """A product that one operand of a sum is: its factors, and whether its sign is changed on the way."""

    factors: tuple[str, str]
    is_negated: bool


@dataclass(frozen=True, slots=True)
class Mended:
    """A version that is rounded as `original`, which is its original with what ptxas is taken to do written down."""

    original: Function
    version: Function


def mended(original: Function, version: Function, shift: int) -> Mended | None:
    """The version, changed so that it is rounded as its original; None where no such changes are known."""
    original, version = _written(original, 0), _written(version, shift)
    wrong = wrong_forms(original, version, shift)
    if len(wrong) > _MOST:
        return None
    for number in range(len(wrong)):
        changed = _right(version, wrong[number], shift)
        if changed is None:
            return None
        version, more = changed
        wrong = [one.moved(wrong[number].total.index, more) for one in wrong]
    return Mended(original, version) if difference(original, version, shift) is None else None


def _written(whole: Function, shift: int) -> Function:
    """A function with sums that say themselves that they stay apart, where ptxas sees several values or may unroll."""
    values = values_of(whole, shift)
    lines: tuple[str, ...] | None = whole.lines
    for total in sums(values):
        if is_rounded(total) or lines is None:
            continue
        if not {SEVERAL, OUTSIDE}.isdisjoint(forms(values, total)):
            base, _, rest = total.opcode.partition(".")
            lines = _replaced(lines, total, [f"{base}.rn.{rest} {', '.join(total.operands)}"])
    return whole if lines is None else function(whole.name, list(lines), is_entry=whole.is_entry)


def _right(version: Function, wrong: Wrong, shift: int) -> tuple[Function, int] | None:
    """A version with one sum in the form that it is to have, and how many instructions stand in front of that now."""
    values = values_of(version, shift)
    total = version.instructions[wrong.total.index]
    for texts in _changes(values, total):
        lines = _replaced(version.lines, total, texts)
        if lines is None:
            return None
        changed = function(version.name, list(lines), is_entry=version.is_entry)
        more = len(changed.instructions) - len(version.instructions)
        again = values_of(changed, shift)
        if wrong.is_right(told(again, changed.instructions[total.index + more], wrong.grain, others=wrong.others)):
            return changed, more
    return None


def _changes(values: Values, total: Instruction) -> Iterator[list[str]]:
    """What may stand in the place of a sum: statements with `%new0`, `%new1` for registers of their own."""
    result, kind = total.operands[0], total.type
    known = set(total.opcode.split(".")[1:-1]) <= _MODIFIERS and not total.guard and kind in ("f32", "f64")
    if not known:
        return
    ftz = ".ftz" if ".ftz" in total.opcode else ""
    if total.base == "fma":
        product = _product(values, total.operands[3], total)
        if product is not None:
            first, second = total.operands[1:3]
            own = [f"mul.rn{ftz}.{kind} %new0, {first}, {second}"]
            yield [*own, *_fused(result, product, "%new0", kind, ftz)]
        first, second, addend = total.operands[1:]
        yield [f"mul.rn{ftz}.{kind} %new0, {first}, {second}", f"add.rn{ftz}.{kind} {result}, %new0, {addend}"]
        return
    for position, operand in enumerate(addends_of(total)):
        product = _product(values, operand, total)
        if product is not None:
            other = addends_of(total)[1 - position]
            minus = total.base == "sub"
            if minus and position == 1:
                product = _Product(product.factors, not product.is_negated)
            sign = [f"neg{ftz}.{kind} %new0, {other}"] if minus and position == 0 else []
            yield [*sign, *_fused(result, product, "%new0" if sign else other, kind, ftz)]
    yield [f"{total.base}.rn{ftz}.{kind} {', '.join(total.operands)}"]


def _fused(result: str, product: _Product, addend: str, kind: str, ftz: str) -> list[str]:
    first, second = product.factors
    if product.is_negated:
        return [f"neg{ftz}.{kind} %new1, {first}", f"fma.rn{ftz}.{kind} {result}, %new1, {second}, {addend}"]
    return [f"fma.rn{ftz}.{kind} {result}, {first}, {second}, {addend}"]


def _product(values: Values, operand: str, total: Instruction) -> _Product | None:
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


def _replaced(lines: Sequence[str], total: Instruction, texts: Sequence[str]) -> tuple[str, ...] | None:
    """The lines with other statements in the place of one, None where that cannot be found."""
    wanted = f"{total.opcode} {', '.join(total.operands)};"
    places = [at for at, line in enumerate(lines) if " ".join(line.split()) == wanted]
    if len(places) != 1:
        return None
    made = [f"\t{one};" for one in texts]
    changed = [*lines[: places[0]], *made, *lines[places[0] + 1 :]]
    if not any("%new" in one for one in texts):
        return tuple(changed)
    declared = [(at, found) for at, line in enumerate(lines) if (found := _DECLARED.match(line))]
    own = [(at, found) for at, found in declared if found[2] == total.type]
    if len(own) != 1:
        return None
    at, found = own[0]
    used = int(found[4])
    changed = [re.sub(r"%new([01])", lambda new: f"{found[3]}{used + int(new[1])}", line) for line in changed]
    changed[at] = f"{found[1]}{found[3]}<{used + 2}>;"
    return tuple(changed)
