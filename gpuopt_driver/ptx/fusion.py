"""Whether nvcc rounds a version of a kernel as it rounds the kernel: which products are fused with which sums.

nvcc contracts `a * b + c` to one operation with one rounding where it finds product and sum in one basic block (cicc
first, then ptxas), so code around an expression decides how it is rounded. Without fast mathematics nothing else that
it does to floating-point arithmetic depends on that. So two compilations of one source compute the same bits if each
sum of products in one has a counterpart in the other that is fused in the same way.

Sums are told apart by what they add (`values.Values.label`). The comparison starts with the coarsest labels and goes on
to finer ones until every kind of sum has one form in both functions, the same one. What no labels tell apart counts as
different. Products that cicc has left to ptxas are compared with all that ptxas decides by.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuopt_driver.ptx.alike import are_alike
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.values import FLOATS, SUMS, Grain, Values

GRAINS = tuple(
    (Grain(depth, displacement, first), others)
    for depth, others in ((0, False), (1, False), (1, True), (2, True), (3, True))
    for first in (False, True)
    for displacement in (0, 16, -1)
)
_ROUNDED = frozenset({"rn", "rz", "rm", "rp"})
_BREAKS = frozenset({"div", "sqrt", "rcp", "call", "bra"})  # ptxas makes branches of these

Form = tuple[object, ...]
Kind = tuple[str, ...]  # of a sum: its type, then the labels of its products


@dataclass(frozen=True, slots=True)
class Addend:
    """One operand of a sum: its label (a product's own, with those of its factors), and how it is added."""

    label: str
    form: Form  # ("other",): it is no product


@dataclass(frozen=True, slots=True)
class Difference:
    """A kind of sum that two functions do not round alike, and its forms in both."""

    kind: Kind
    first: frozenset[Form]
    second: frozenset[Form]


def difference(original: Function, version: Function, shift: int) -> Difference | None:
    """Where a version rounds differently than its original, None where it does not.

    `shift` is the number of parameters that the version has in front of those of the original.
    """
    one, other = Values(original), Values(version, shift)
    sums = [list(_sums(one)), list(_sums(other))]
    if not any(_can_fuse(total) for group in sums for total in group):
        return None
    if are_alike(one, other):
        return None
    return _settle(_Group(one, sums[0]), _Group(other, sums[1]))


def has_products(function: Function) -> bool:
    """Whether a function computes any sum of products that a compiler may fuse, or did fuse."""
    return any(True for _ in _sums(Values(function)))


@dataclass(frozen=True, slots=True)
class _Group:
    """Some sums of one function."""

    values: Values
    sums: list[Instruction]

    def split(self, grain: Grain, *, others: bool) -> dict[Kind, tuple[_Group, frozenset[Form]]]:
        """The sums by kind, told as finely as the grain says, with the forms of each kind."""
        found: dict[Kind, list[tuple[Instruction, Form]]] = {}
        for total in self.sums:
            kind, form = _told(self.values, total, grain, others=others)
            found.setdefault(kind, []).append((total, form))
        return {
            kind: (_Group(self.values, [total for total, _ in pairs]), frozenset(form for _, form in pairs))
            for kind, pairs in found.items()
        }


def _settle(first: _Group, second: _Group) -> Difference | None:
    """None where the grains tell the sums apart so that each kind has one form in both groups.

    A kind that has several forms is told apart further, by itself. Else the difference that the coarsest grain shows.
    """
    waiting = [(first, second)]
    coarsest: Difference | None = None
    for grain, others in GRAINS:
        left: list[tuple[_Group, _Group]] = []
        for pair in waiting:
            mine, theirs = (group.split(grain, others=others) for group in pair)
            if mine.keys() != theirs.keys():
                kind = min(mine.keys() ^ theirs.keys())
                forms = [part[kind][1] if kind in part else frozenset[Form]() for part in (mine, theirs)]
                coarsest = coarsest or Difference(kind, forms[0], forms[1])
                left.append(pair)
                continue
            for kind, (group, form) in mine.items():
                other, others_form = theirs[kind]
                if form != others_form or len(form) != 1 or _is_ambiguous(kind, next(iter(form))):
                    coarsest = coarsest or Difference(kind, form, others_form)
                    left.append((group, other))
        waiting = left
    return coarsest if waiting else None


def _is_ambiguous(kind: Kind, form: Form) -> bool:
    """Whether two products of a sum have one label but are not added in the same way."""
    products = kind[1:3]
    return len(form) == 2 and products[0] == products[1] and form[0] != form[1]


def _sums(values: Values) -> Iterator[Instruction]:
    """The sums that add at least one product."""
    for instruction in values.function.instructions:
        if instruction.base not in SUMS or instruction.type not in FLOATS:
            continue
        if instruction.base == "fma" or any(_products(values, one, instruction) for one in instruction.operands[1:3]):
            yield instruction


def _products(values: Values, operand: str, total: Instruction) -> list[Instruction]:
    """The multiplications that an operand of a sum can come from."""
    found = (source.instruction for source in values.sources(operand))
    return [one for one in found if one is not None and one.base == "mul" and one.type == total.type]


def _told(values: Values, total: Instruction, grain: Grain, *, others: bool) -> tuple[Kind, Form]:
    """A sum's kind (type and, sorted, the labels of its products; with `others` of all addends), and its form."""
    addends = sorted(_addends(values, total, grain), key=lambda one: (one.form == ("other",), one.label))
    products = [one for one in addends if one.form != ("other",)]
    kind: Kind = (total.type, *(one.label for one in (addends if others else products)))
    return kind, tuple(one.form for one in products)


def _addends(values: Values, total: Instruction, grain: Grain) -> Iterator[Addend]:
    operands = total.operands
    if total.base == "fma":
        yield Addend(_factors(values, total, grain), ("fused",))
        rest: tuple[tuple[int, str], ...] = ((1, operands[3]),)
    else:
        rest = ((0, operands[1]), (1, operands[2]))
    for position, operand in rest:
        products = _products(values, operand, total)
        if not products:
            yield Addend(values.label(operand, grain), ("other",))
            continue
        labels = sorted({_factors(values, one, grain) for one in products})
        yield Addend(" or ".join(labels), _apart(values, total, operand, position, products))


def _factors(values: Values, product: Instruction, grain: Grain) -> str:
    return " * ".join(sorted(values.label(one, grain) for one in product.operands[1:3]))


def _apart(values: Values, total: Instruction, operand: str, position: int, products: list[Instruction]) -> Form:
    """How a product that cicc did not fuse is added: all that ptxas decides by, where the decision is left to it."""
    if _is_rounded(total) or total.base == "fma" or all(map(_is_rounded, products)):
        return ("apart",)
    if len(values.sources(operand)) > 1:
        return ("apart", "one of several values")
    product = products[0]
    result = product.operands[0]
    users = values.users(result)
    here = all(_segment(values, user) == _segment(values, product) for user in users)
    sums = all(user.base in ("add", "sub") and user.type == product.type for user in users)
    return ("left to ptxas", position, here, sums, min(len(users), 3))


def _can_fuse(total: Instruction) -> bool:
    """Whether a sum is fused, or may be by ptxas; with -fmad=false none is."""
    return total.base == "fma" or not _is_rounded(total)


def _is_rounded(instruction: Instruction) -> bool:
    """Whether a rounding is written, which forbids ptxas to fuse."""
    return not _ROUNDED.isdisjoint(instruction.opcode.split("."))


def _segment(values: Values, instruction: Instruction) -> tuple[int, int]:
    """The part of a basic block that an instruction is in: what ptxas expands to branches ends one."""
    return instruction.block, values.count_before(instruction, _BREAKS)
