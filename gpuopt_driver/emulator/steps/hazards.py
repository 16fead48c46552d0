"""Accesses of two lanes of a warp whose order matters, and that no barrier orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import reduce
from math import gcd

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.tree import Declined, statements
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import functions_reaching
from gpuopt_driver.emulator.steps.accesses import Access
from gpuopt_driver.emulator.steps.own import own_names
from gpuopt_driver.emulator.steps.reader import Reader, Subject
from gpuopt_driver.emulator.steps.sums import (
    LANES,
    Atom,
    Parts,
    Sum,
    added,
    atoms_of,
    never_zero,
    not_negative,
    number,
    of,
    other,
    parts_of,
    text_of,
)
from gpuopt_driver.emulator.structure import Function, Role, Structure

_BARRIERS = frozenset(
    {b"__syncthreads", b"__syncthreads_count", b"__syncthreads_and", b"__syncthreads_or", b"__syncwarp", b"sync"}
    | {b"__shfl_sync", b"__shfl_up_sync", b"__shfl_down_sync", b"__shfl_xor_sync", b"__ballot_sync", b"__any_sync"}
    | {b"__all_sync", b"arrive_and_wait", b"wait", b"__activemask", b"__ballot", b"__any", b"__all", b"__shfl"}
    | {b"__shfl_up", b"__shfl_down", b"__shfl_xor", b"__match_any_sync", b"__match_all_sync", b"__reduce_add_sync"}
)


@dataclass(frozen=True, slots=True)
class Hazard:
    """`second` may be of the same element as `first` of another lane; not both load."""

    first: Access
    second: Access
    likely: bool = True  # no trick with bits or memory hides that they are not


@dataclass(slots=True)
class Judge:
    """Decides on pairs of accesses; `axes`: the coordinates of threads that the function asks for."""

    axes: frozenset[str]
    flat: bool
    found: list[Hazard] = field(default_factory=list)
    known: dict[object, bool] = field(default_factory=dict)

    def __call__(self, first: Access, second: Access) -> None:
        """Note the pair if it is a hazard; `first` comes before `second`."""
        if first.atomic and second.atomic:
            return
        only_stores = not first.loads and not second.loads
        if only_stores and first.at == second.at:
            return
        at_once = first.place == second.place
        key = (first.at, second.at, first.loads, second.loads, at_once)
        if self.known.get(key):
            return
        case = (
            *key,
            *(tuple(x if not isinstance(x, dict) else text_of(x) for x in a.path) for a in (first, second)),
            tuple(map(text_of, first.facts)),
            tuple(map(text_of, second.facts)),
        )
        if case in self.known:
            return
        self.known[case] = True
        if not self.apart(first, second):
            self.known[key] = True
            self.found.append(Hazard(first, second, not only_stores and _likely(first, second)))

    def facts(self, first: Access, second: Access) -> list[Sum]:
        """What is 0 or more for two lanes of a warp, one at each access."""
        facts = [one for one in (*first.facts, *map(other, second.facts)) if one and len(one) < 8]
        for axis in self.axes:
            at = Atom(axis, own=True, low=0, lane=self.flat and axis[-1] == "x", implies=frozenset({axis}))
            size = of(Atom(f"blockDim.{axis[-1]}", low=1))
            facts += [added(added(size, number(-1)), one, -1) for one in (of(at), of(at.other()))]
            if self.flat and axis == "threadIdx.x":
                apart = added(of(at), of(at.other()), -1)
                facts += [added(number(LANES - 1), apart), added(number(LANES - 1), apart, -1)]
        return facts

    def apart(self, first: Access, second: Access) -> bool:
        """Whether no two lanes can meet there: the elements differ, or the thread is the same."""
        facts = self.facts(first, second)
        same: set[str] = set()
        parts: set[tuple[Parts, Parts, str]] = set()
        rest: list[Sum] = []
        for one, two in zip(first.path, second.path, strict=False):
            if one is None or two is None or isinstance(one, bytes) != isinstance(two, bytes):
                return False
            if isinstance(one, bytes) or isinstance(two, bytes):
                if one != two:
                    return True
                continue
            difference = added(one, other(two), -1)
            if never_zero(difference, facts) or _halves(difference, first, second):
                return True
            if one == two:
                if self._agree(atoms_of(one), same, parts):
                    return True
                if "threadIdx.x" in same and not self._rows(first, second):
                    same |= self.axes
            else:
                rest.append(difference)
                known = [*first.equal, *map(other, second.equal)]
                for told in (difference, *(added(difference, one, sign) for one in known for sign in (1, -1))):
                    same |= self._equal(told, facts)
        if any(one in second.equal and self._agree(atoms_of(one), same, parts) for one in first.equal):
            return True
        return self._apart_in(rest, same, facts) or (bool(same) and self.axes <= same)

    def _apart_in(self, rest: list[Sum], same: set[str], facts: list[Sum]) -> bool:
        """Whether the differences are not all 0 where the coordinates `same` are the same."""
        rest = [self._substituted(one, same) for one in rest]
        for count, one in enumerate(rest):
            if never_zero(one, facts):
                return True
            for two in rest[:count]:
                if any(never_zero(added(one, two, sign), facts) for sign in (1, -1)):
                    return True
        return False

    def _rows(self, first: Access, second: Access) -> bool:
        """Whether the accesses are made under other conditions on the other coordinates."""
        rows = self.axes - {"threadIdx.x"}
        told = [
            {text_of(one) for one in (*access.facts, *access.equal) if any(a.name in rows for a in atoms_of(one))}
            for access in (first, second)
        ]
        return told[0] != told[1]

    def _agree(self, atoms: Iterable[Atom], same: set[str], parts: set[tuple[Parts, Parts, str]]) -> bool:
        """Note what is the same for two threads where these are; whether the thread is."""
        for atom in atoms:
            if not atom.own:
                continue
            if atom.lane:
                return True
            same |= atom.implies
            if atom.part:
                parts.add(atom.part)
                dividend, divisor, how = atom.part
                if (dividend, divisor, "%" if how == "/" else "/") in parts:
                    same |= {axis for axis in self.axes if any(a.name == axis for p, _ in dividend for a in p)}
        return False

    def _equal(self, difference: Sum, facts: list[Sum]) -> set[str]:
        """The coordinates that are the same if the difference is 0: `c * (t - t') + less than c`."""
        found: set[str] = set()
        for product, factor in difference.items():
            own = [atom for atom in product if atom.own and atom.implies and not atom.name.endswith("'")]
            if len(own) != 1:
                continue
            others = [a for a in product if a is not own[0]]
            if any(a.own for a in others):
                continue
            partner = tuple(sorted((*others, own[0].other()), key=lambda a: a.name))
            if difference.get(partner) != -factor:
                continue
            left = {p: f for p, f in difference.items() if p not in (product, partner)}
            scale = {tuple(others): abs(factor)}
            below = added(scale, number(-1))
            small = not left or all(not_negative(added(below, left, sign), facts) for sign in (1, -1))
            if small or self._multiple(own[0], others, factor, left, facts):
                found |= own[0].implies
        return found

    def _multiple(self, atom: Atom, others: list[Atom], factor: int, left: Sum, facts: list[Sum]) -> bool:
        """Whether the rest is a multiple of more than what two threads' values can differ by."""
        if others:
            return False
        size = f"blockDim.{atom.name[-1]}"
        if abs(factor) == 1 and all(any(a.name == size for a in product) for product in left):
            return True
        step = reduce(gcd, left.values())
        apart: Sum = {(atom,): factor, (atom.other(),): -factor}
        return all(not_negative(added(number(step - 1), apart, sign), facts) for sign in (1, -1))

    def _substituted(self, difference: Sum, same: set[str]) -> Sum:
        result: Sum = {}
        for product, factor in difference.items():
            renamed = tuple(
                sorted(
                    (
                        Atom(a.name.removesuffix("'"), True, a.low, a.high) if a.name.removesuffix("'") in same else a
                        for a in product
                    ),
                    key=lambda a: a.name,
                )
            )  # fmt: skip
            result = added(result, {renamed: factor})
        return result


def _halves(difference: Sum, first: Access, second: Access) -> bool:
    """Whether the elements are half a step apart, of threads that are whole steps apart: `t % (2 * h) == 0`."""
    for one in first.equal:
        if len(one) != 1 or one not in second.equal:
            continue
        (product,) = one
        if len(product) != 1 or product[0].part is None or product[0].part[2] != "%":
            continue
        dividend, divisor = dict(product[0].part[0]), dict(product[0].part[1])
        steps = added(dividend, other(dividend), -1)
        for sign in (1, -1):
            for rest in (added(difference, steps, -sign), added({}, added(difference, steps, -sign), -1)):
                half = added(rest, rest) == divisor
                atom = next(iter(rest))[0] if len(rest) == 1 and next(iter(rest)) else None
                if half or (
                    atom and atom.part and atom.part[1:] == (parts_of(number(2)), "/") and dict(atom.part[0]) == divisor
                ):
                    return True
    return False


def _likely(first: Access, second: Access) -> bool:
    """Whether the elements differ between two lanes by little that is not known: `s[t]` and `s[t + h]`."""
    for one, two in zip(first.path, second.path, strict=False):
        if one is None or two is None:
            return False
        if isinstance(one, bytes) or isinstance(two, bytes):
            continue
        difference = dict(added(one, other(two), -1))
        for product, factor in list(difference.items()):
            if len(product) == 1 and product in difference and product[0].own and _plain(product[0]):
                partner = (product[0].other(),)
                if difference.get(partner) == -factor:
                    del difference[product], difference[partner]
        constant = difference.pop((), 0)
        # The first element of a warp's or of another group of lanes' part of the array.
        difference = {p: f for p, f in difference.items() if not (p[0].part and p[0].part[2] == "/" and _plain(p[0]))}
        if (
            abs(constant) >= LANES
            or len(difference) > 2
            or any(abs(f) != 1 or len(p) > 1 for p, f in difference.items())
        ):
            return False
        if any(not _plain(product[0]) and not product[0].loaded for product in difference):
            return False
    return True


def _plain(atom: Atom) -> bool:
    """Whether it is a variable, a coordinate, or a quotient or rest of these by a number that is known."""
    if atom.part:
        return all(not product for product, _ in atom.part[1])
    return not set(atom.name) & set(" ()^{")


def hazards_of(tokens: Tokens, structure: Structure) -> dict[int, list[Hazard]]:
    """The hazards of each device function and kernel of the user's, by their places in the unit."""
    device = [f for f in structure.functions if f.role is not Role.HOST]
    user = tokens.owned()
    _, reaching = functions_reaching(
        tokens, device, lambda f: bool(_BARRIERS.intersection(tokens.original[f.body : tokens.match[f.body]]))
    )
    barriers = _BARRIERS | frozenset(reaching)
    found: dict[int, list[Hazard]] = {}
    for count, function in enumerate(structure.functions):
        if function.role is Role.HOST or not any(start <= function.body < end for start, end in user):
            continue
        hazards = _hazards(tokens, function, barriers)
        words = tokens.original[function.body : tokens.match[function.body]]
        # Who writes barriers and tricky indices means them to go together.
        if any(hazard.likely for hazard in hazards) or (hazards and barriers.isdisjoint(words)):
            found[count] = hazards
    return found


def _hazards(tokens: Tokens, function: Function, barriers: frozenset[bytes]) -> list[Hazard]:
    start, end = function.body + 1, tokens.match[function.body]
    words = tokens.original[start:end]
    if b"__shared__" not in words:
        return []
    axes = frozenset(
        f"threadIdx.{tokens.at(at + 2).decode()}"
        for at in range(start, end)
        if tokens.at(at) == b"threadIdx" and tokens.at(at + 1) == b"."
    )
    flat = axes <= {"threadIdx.x"}
    judge = Judge(axes, flat)
    subject = Subject({}, own_names(tokens, start, end), barriers, flat)
    try:
        Reader(tokens, subject, judge).run(tuple(statements(tokens, start, end)))
    except Declined:
        return []
    arrays = {h.first.array for h in judge.found if h.first.loads or h.second.loads}
    return [h for h in judge.found if h.first.array in arrays]
