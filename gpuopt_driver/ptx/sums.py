"""Sums of products: what is added, told by labels, and in which form nvcc adds it.

The *kind* of a sum is its type and what it adds, independent of what was fused; its *form* says of each product whether
it is fused with the sum, kept apart, or left to ptxas, then with all that ptxas decides by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product as combinations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.operations import addends_of, is_rounded, products_of
from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.values import FLOATS, SUMS, Grain, Values

Form = tuple[object, ...]
Kind = tuple[str, ...]  # of a sum: its type, then the labels of its products
OTHER: Form = ("other",)  # the form of an addend that is no product
SEVERAL: Form = ("apart", "one of several values")  # for ptxas to fuse, or not, where paths meet
OUTSIDE: Form = ("apart", "outside of the loop")  # the same, where it unrolls that
_FUSED: Form = ("fused",)
_LEFT = "left to ptxas"


@dataclass(frozen=True, slots=True)
class _Addend:
    """One operand of a sum: its label (a product's own, with those of its factors), and how it is added.

    `special`: labels that it has where it is one of the products that it may be, or a constant, or has one as a factor.
    """

    label: str
    form: Form
    special: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def sums(values: Values) -> Sequence[Instruction]:
    """The sums that add at least one product."""
    return tuple(_sums(values))


def _sums(values: Values) -> Iterator[Instruction]:
    for instruction in values.function.instructions:
        if instruction.base not in SUMS or instruction.type not in FLOATS:
            continue
        if instruction.base == "fma" or any(products_of(values, one, instruction) for one in addends_of(instruction)):
            yield instruction


def is_left(form: Form) -> bool:
    """Whether a product in this form is for ptxas to fuse, or not."""
    return form in (SEVERAL, OUTSIDE) or form[0] == _LEFT


def is_near(form: Form) -> bool:
    """Whether such a product stands in the basic block of its sum, as do all that use it."""
    return form[0] == _LEFT and bool(form[2])


def is_likely(form: Form) -> bool:
    """Whether ptxas is likely to fuse such a product: all that uses it is one sum, beside it."""
    return is_near(form) and form[3:] == (True, 1)


def can_fuse(total: Instruction) -> bool:
    """Whether a sum is fused, or may be by ptxas; with -fmad=false none is."""
    return total.base == "fma" or not is_rounded(total)


@lru_cache(maxsize=1 << 15)
def told(values: Values, total: Instruction, grain: Grain, *, others: bool) -> Sequence[tuple[Kind, Form]]:
    """A sum's kind (type and, sorted, the labels of its products; with `others` of all addends), and its form.

    Behind that come the kinds that it has where an operand that may be several things is a product or a constant among
    them: code that is taken out for that case (nothing was added up yet) has such a sum.
    """
    return tuple(_told(_addends(values, total, grain), total.type, others=others))


def _told(found: Sequence[_Addend], type_: str, *, others: bool) -> Iterator[tuple[Kind, Form]]:
    # Mostly there is one combination, and these are told for every grain.
    every = combinations(*((one.label, *one.special) for one in found))
    for labels in every if any(one.special for one in found) else [[one.label for one in found]]:
        pairs = [(one.form == OTHER, label, one.form) for one, label in zip(found, labels, strict=True)]
        pairs.sort(key=lambda pair: pair[:2])
        kind: Kind = (type_, *(label for is_other, label, _ in pairs if others or not is_other))
        yield kind, tuple(form for is_other, _, form in pairs if not is_other)


def forms(values: Values, total: Instruction) -> list[Form]:
    """How each addend of a sum is added, of a fused one its product last."""
    found = [form for _, _, form in _parts(values, total)]
    return [*found, _FUSED] if total.base == "fma" else found


@lru_cache(maxsize=1 << 14)
def _parts(values: Values, total: Instruction) -> Sequence[tuple[str, Sequence[Instruction], Form]]:
    """The operands of a sum that are added, the products that each may be, and how it is added."""
    found: list[tuple[str, Sequence[Instruction], Form]] = []
    for position, operand in enumerate(addends_of(total), start=int(total.base == "fma")):
        products = products_of(values, operand, total)
        form = _apart(values, total, operand, position, products) if products else OTHER
        found.append((operand, products, form))
    return found


@lru_cache(maxsize=1 << 14)
def _addends(values: Values, total: Instruction, grain: Grain) -> tuple[_Addend, ...]:
    """The addends of a sum, told once for all versions that are held against a kernel."""
    return tuple(_told_addends(values, total, grain))


def _told_addends(values: Values, total: Instruction, grain: Grain) -> Iterator[_Addend]:
    if total.base == "fma":
        label, *special = _factors(values, total, grain)
        yield _Addend(label, _FUSED, tuple(special))
    for operand, products, form in _parts(values, total):
        if not products:
            label, *special = _labels(values, operand, grain)
            yield _Addend(label, OTHER, tuple(special))
            continue
        labels = [_factors(values, one, grain) for one in products]
        label = " or ".join(sorted({one[0] for one in labels}))
        special = labels[0][1:] if len(labels) == 1 else sorted({one[0] for one in labels} - {label})
        yield _Addend(label, form, tuple(special))


def _factors(values: Values, product: Instruction, grain: Grain) -> list[str]:
    """The label of a product, and those that it has where a factor is a constant that it may be."""
    first, second = (_labels(values, one, grain) for one in product.operands[1:3])
    if len(first) == len(second) == 1:
        return [f"{first[0]} * {second[0]}" if first[0] <= second[0] else f"{second[0]} * {first[0]}"]
    return [" * ".join(sorted(pair)) for pair in combinations(first, second)]


def _labels(values: Values, operand: str, grain: Grain) -> list[str]:
    """The label of an operand, and those of the constants that it may be beside other values."""
    sources = values.sources(operand)
    if len(sources) == 1:
        return [values.label(operand, grain)]
    constants = [one for one in sources if one.instruction is None and not one.constant.startswith("%")]
    if not constants or len(constants) == len(sources):
        return [values.label(operand, grain)]
    return [values.label(operand, grain), *sorted({values.told(one, grain) for one in constants})]


def _apart(values: Values, total: Instruction, operand: str, position: int, products: list[Instruction]) -> Form:
    """How a product that cicc did not fuse is added: all that ptxas decides by, where the decision is left to it."""
    if is_rounded(total) or total.base == "fma" or all(map(is_rounded, products)):
        return ("apart",)
    if any(
        values.was_moved_out(product, total) for product in products
    ):  # also where it is the first of several values
        return OUTSIDE
    if len(values.sources(operand)) > 1:
        return SEVERAL
    product = products[0]
    result = product.operands[0]
    users = values.users(result)
    here = all(values.segment(user) == values.segment(product) for user in users)
    added = all(user.base in ("add", "sub") and user.type == product.type for user in users)
    return (_LEFT, position, here, added, min(len(users), 3))
