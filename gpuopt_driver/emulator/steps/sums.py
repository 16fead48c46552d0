"""Whole numbers as sums of products of unknown ones, and what can be told of the difference of two threads' numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import gcd

from gpuopt_driver.dataclass import dataclass

LANES = 32


@dataclass(frozen=True, slots=True)
class Atom:
    """A number that is not known. `implies`: of which atoms two threads have the same value where they have the same
    value of this one (for a coordinate of the thread: itself)."""

    name: str
    own: bool = False  # threads may have different values
    low: int | None = None
    high: int | None = None
    lane: bool = False  # no two lanes of a warp have the same value
    implies: frozenset[str] = frozenset()
    part: tuple[Parts, Parts, str] | None = None  # of a quotient or rest: the dividend, the divisor, "/" or "%"
    loaded: bool = False  # read from memory
    flipped: str | None = None  # of `e ^ m`: the sum `e`, as a text

    def other(self) -> Atom:
        """That of another thread."""
        name = self.name + "'"
        return Atom(name, True, self.low, self.high, part=self.part, loaded=self.loaded) if self.own else self


Product = tuple[Atom, ...]
Parts = tuple[tuple[Product, int], ...]  # a sum that can be a key
Sum = Mapping[Product, int]


def number(value: int) -> Sum:
    """A number that is known."""
    return {(): value} if value else {}


def of(atom: Atom) -> Sum:
    """The atom by itself."""
    return {(atom,): 1}


def added(left: Sum, right: Sum, times: int = 1) -> Sum:
    """`left + times * right`."""
    result = dict(left)
    for product, factor in right.items():
        total = result.get(product, 0) + times * factor
        if total:
            result[product] = total
        else:
            result.pop(product, None)
    return result


def multiplied(left: Sum, right: Sum) -> Sum:
    """`left * right`."""
    result: dict[Product, int] = {}
    for one, factor in left.items():
        for other, times in right.items():
            product = tuple(sorted((*one, *other), key=lambda atom: atom.name))
            result[product] = result.get(product, 0) + factor * times
    return {product: factor for product, factor in result.items() if factor}


def value_of(total: Sum) -> int | None:
    """The number, if it is known."""
    return total.get((), 0) if all(not product for product in total) else None


def text_of(total: Sum) -> str:
    """The same text for the same sum."""
    return "+".join(sorted(f"{factor}*{'*'.join(atom.name for atom in product)}" for product, factor in total.items()))


def parts_of(total: Sum) -> Parts:
    """The sum as a key."""
    return tuple(sorted(total.items(), key=lambda item: [atom.name for atom in item[0]]))


def atoms_of(total: Sum) -> set[Atom]:
    """All atoms in it."""
    return {atom for product in total for atom in product}


def other(total: Sum) -> Sum:
    """The same number of another thread."""
    return {tuple(sorted((a.other() for a in p), key=lambda a: a.name)): f for p, f in total.items()}


def _known(product: Product) -> bool:
    return all(atom.low is not None and atom.low >= 0 for atom in product)


def not_negative(total: Sum, facts: Sequence[Sum], depth: int = 3) -> bool:
    """Whether the sum is 0 or more where all `facts` are."""
    negative = [p for p, factor in total.items() if factor < 0 or not _known(p)]
    if not negative:
        return True
    product = negative[0]
    factor = total[product]
    if not product:
        bounded = [p for p in total if len(p) == 1 and total[p] > 0 and p[0].low is not None and p[0].low > 0]
        least = sum(total[p] * (p[0].low or 0) for p in bounded)
        rest = {p: f for p, f in total.items() if p and p not in bounded}
        if factor + least >= 0 and all(f > 0 and _known(p) for p, f in rest.items()):
            return True
    if len(product) == 1:
        bound = product[0].high if factor < 0 else product[0].low
        if bound is not None:
            rest = {p: f for p, f in total.items() if p != product}
            if not_negative(added(rest, number(factor * bound)), facts, depth):
                return True
    if depth == 0:
        return False
    candidate = next((p for p in negative if p), product)
    for fact in facts:
        times, left = divmod(total[candidate], fact[candidate]) if candidate in fact else (0, 1)
        if times > 0 and left == 0 and not_negative(added(total, fact, -times), facts, depth - 1):
            return True
    return False


def _without_factor(total: Sum) -> Sum:
    """The sum without a factor that all products have: what all threads agree on, which is not 0."""
    while total and all(total):
        common = [a for a in min(total, key=len) if not a.own and all(a in p for p in total)]
        if not common:
            break
        shorter: dict[Product, int] = {}
        for product, factor in total.items():
            rest = list(product)
            rest.remove(common[0])
            shorter[tuple(rest)] = factor
        total = shorter
    return total


def _other_rest(total: Sum) -> bool:
    """Whether the sum is `(x + n) % m - x % m`, where m does not divide n, or `(x ^ n) - x`."""
    for product, factor in total.items():
        left: Sum = {p: f for p, f in total.items() if p != product}
        if len(product) != 1 or abs(factor) != 1 or not left:
            continue
        if factor < 0:
            left = added({}, left, -1)
        atom = product[0]
        if atom.flipped is not None and atom.flipped == text_of(added({}, left, -1)):
            return True
        one = next(iter(left))
        if len(left) != 1 or len(one) != 1 or left[one] != -1 or atom.part is None or one[0].part is None:
            continue
        apart = value_of(added(dict(atom.part[0]), dict(one[0].part[0]), -1))
        divisor = value_of(dict(atom.part[1]))
        if atom.part[1:] == one[0].part[1:] and atom.part[2] == "%" and divisor and apart and apart % divisor:
            return not (atom.own or one[0].own)
    return False


def never_zero(total: Sum, facts: Sequence[Sum]) -> bool:
    """Whether the sum is not 0 where all `facts` are 0 or more."""
    if _other_rest(total):
        return True
    total = _without_factor(total)
    constant = total.get((), 0)
    divisor = reduce(gcd, (factor for product, factor in total.items() if product), 0)
    if divisor == 0:
        return constant != 0
    if constant % divisor:
        return True
    less_one = number(-1)
    atoms = atoms_of(total)
    facts = [fact for fact in facts if not atoms.isdisjoint(atoms_of(fact))]
    return not_negative(added(total, less_one), facts) or not_negative(added(less_one, total, -1), facts)
