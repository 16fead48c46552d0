"""Whether nvcc rounds a version of a kernel as it rounds the kernel: which products are fused with which sums.

nvcc contracts `a * b + c` to one operation with one rounding where it finds product and sum in one basic block (cicc
first, then ptxas), so code around an expression decides how it is rounded. Without fast mathematics nothing else that
it does to floating-point arithmetic depends on that. So two compilations of one source compute the same bits if each
sum of products in one has a counterpart in the other that is fused in the same way.

Sums are told apart by what they add (`values.Values.label`). The comparison starts with the coarsest labels and goes on
to finer ones until every kind of sum has one form in both functions, the same one. What labels do not tell apart, all
that leads to a sum and follows from it may (`refine.Refinement`); what that does not either counts as different.
Of products that cicc has left to ptxas nothing is known but where all of the code is the same; what ptxas does with
them is to be written down (`mend.py`) before two functions can be compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, TypeVar

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.alike import are_alike
from gpuopt_driver.ptx.operations import adds_one_twice
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.refine import DETAILS, Refinement
from gpuopt_driver.ptx.sums import Form, Kind, can_fuse, forms, is_left, is_near, sums, told
from gpuopt_driver.ptx.values import Grain, Values, values_of

GRAINS = tuple(
    (Grain(depth, displacement, first), others)
    for depth, others in ((0, False), (1, False), (1, True), (2, True), (3, True))
    for first in (False, True)
    for displacement in (0, 16, -1)
)
_UNCLEAR = "unclear"  # behind the forms of a sum's addends: labels do not say which is which


@dataclass(frozen=True, slots=True)
class Difference:
    """A kind of sum that two functions do not round alike, and its forms in both; `is_left`: it is left to ptxas."""

    kind: Kind
    first: frozenset[Form]
    second: frozenset[Form]
    is_left: bool = False


@lru_cache(maxsize=256)
def difference(original: Function, version: Function, shift: int, *, is_optimized: bool = True) -> Difference | None:
    """Where a version rounds differently than its original, None where it does not.

    `shift` is the number of parameters that the version has in front of those of the original. Where ptxas does not
    optimize (`is_optimized`), it fuses nothing.
    """
    one, other = values_of(original), values_of(version, shift)
    groups = _Group(one, sums(one)), _Group(other, list(sums(other)))
    if not any(can_fuse(total) for group in groups for total in group.sums):
        return None
    alike = are_alike(one, other)
    left = next(_left(groups, alike=alike), None) if is_optimized else None
    if left is not None and not (alike and _is_same_code(original, version)):
        return left
    return None if alike else _settle(groups)


def _left(groups: Iterable[_Group], *, alike: bool) -> Iterator[Difference]:
    """The sums with products that are left to ptxas; of functions that are alike, those that are not in one block.

    What ptxas does with them depends on all of the code around: on loops that it unrolls, on products that it moves.
    """
    for group in groups:
        for total in group.sums:
            if any(is_left(form) and not (alike and is_near(form)) for form in forms(group.values, total)):
                kind, form = told(group.values, total, GRAINS[0][0], others=GRAINS[0][1])[0]
                yield Difference(kind, frozenset({form}), frozenset({form}), is_left=True)


def _is_same_code(original: Function, version: Function) -> bool:
    """Whether two functions have the same operations in the same basic blocks, those on addresses included."""
    mine, theirs = (
        [(one.opcode, one.block, bool(one.guard)) for one in each.instructions] for each in (original, version)
    )
    return mine == theirs


@dataclass(frozen=True, slots=True)
class Wrong:
    """A sum of a version that has another form than all of its kind in the original, and the form that it is to have.

    `grain` and `others` say how the kind is told.
    """

    total: Instruction
    kind: Kind
    form: Form
    grain: Grain
    others: bool

    def is_right(self, told_: Sequence[tuple[Kind, Form]]) -> bool:
        """Whether a sum of which this is told is of the kind and has the form."""
        kind, form = told_[0]
        return (kind, _clear(kind, form)) == (self.kind, self.form)


def wrong_forms(original: Function, version: Function, shift: int, most: int) -> list[Wrong] | None:
    """The sums of a version that are to have other forms to be rounded as the original; none where that is not known.

    It is known where all sums of a kind have one form in the original. None where they are more than `most`.
    """
    pair = (
        _Group(values_of(original), sums(values_of(original))),
        _Group(values_of(version, shift), sums(values_of(version, shift))),
    )
    if _are_never_told(*pair):
        return []
    waiting: list[_Pair] = [pair]
    found: dict[int, Wrong] = {}
    for grain, others in GRAINS:
        left: list[_Pair] = []
        for one in waiting:
            mine, theirs = (group.split(grain, others=others) for group in one)
            for kind in mine.keys() & theirs.keys():
                known = mine[kind].forms | mine[kind].special
                if len(known) != 1 or _UNCLEAR in next(iter(known)):
                    continue
                form = next(iter(known))
                for total in theirs[kind].sums:
                    if _clear(*told(one[1].values, total, grain, others=others)[0]) != form:
                        found.setdefault(total.index, Wrong(total, kind, form, grain, others))
                theirs[kind].forms.clear()
                theirs[kind].forms.add(form)
            left += _open(one, mine, theirs)[1]
        waiting = left
        if len(found) > most and difference(original, version, shift) is not None:
            return None
    if waiting:
        return []
    return sorted(found.values(), key=lambda one: one.total.index) if len(found) <= most else None


def _are_never_told(original: _Group, version: _Group) -> bool:
    """Whether the finest labels do not say of some sums of a version which form they are to have.

    No coarser ones do: what these tell apart the finest tell apart. So two sums of the original that the finest labels
    take for one kind, added in different ways, are of one kind all along; and so is a sum of the version.
    """
    grain, others = GRAINS[-1]
    mine = original.split(grain, others=others)
    unclear = {kind for kind, part in mine.items() if len(part.forms) > 1 or any(_UNCLEAR in one for one in part.forms)}
    if not unclear:
        return False
    return any(told(version.values, one, grain, others=others)[0][0] in unclear for one in version.sums)


def has_products(function: Function) -> bool:
    """Whether a function computes any sum of products that a compiler may fuse, or did fuse."""
    return bool(sums(values_of(function)))


@dataclass(frozen=True, slots=True)
class _Part:
    """The sums of one kind with their forms; `special`: of those that are of this kind at times.

    `also`: the kinds that the sums are of at times.
    """

    sums: list[Instruction] = field(default_factory=list)
    forms: set[Form] = field(default_factory=set)
    special: set[Form] = field(default_factory=set)
    also: set[Kind] = field(default_factory=set)

    def is_among(self, others: Mapping[Any, _Part]) -> bool:
        """Whether all that there is of these sums in another function is taken out for a case."""
        return any(kind in others and bool(others[kind].sums) for kind in self.also)


@dataclass(frozen=True, slots=True)
class _Group:
    """Some sums of one function."""

    values: Values
    sums: Sequence[Instruction]

    def split(self, grain: Grain, *, others: bool) -> dict[Kind, _Part]:
        """The sums by kind, told as finely as the grain says."""
        found: dict[Kind, _Part] = {}
        for total in self.sums:
            (kind, form), *more = told(self.values, total, grain, others=others)
            part = found.get(kind)
            if part is None:
                part = found[kind] = _Part()
            part.sums.append(total)
            part.forms.add(_clear(kind, form))
            for one in more:
                if one != (kind, form):
                    found.setdefault(one[0], _Part()).special.add(_clear(*one))
                    part.also.add(one[0])
        return found

    def refined(self, refinement: Refinement, side: int) -> dict[Hashable, _Part]:
        """The same by the classes of a refinement."""
        found: dict[Hashable, _Part] = {}
        for total in self.sums:
            pairs = sorted(zip(refinement.addends(side, total), forms(self.values, total), strict=True))
            form: Form = tuple(form for _, form in pairs)
            kind = (refinement.of(side, total), *(one for one, _ in pairs))
            part = found.setdefault(kind, _Part())
            part.sums.append(total)
            part.forms.add(form if adds_one_twice(self.values, total) else _clear(kind, form))
        return found


def _clear(kind: Sequence[Hashable], form: Form) -> Form:
    """The form of a sum of this kind, marked where both addends are told alike but are not added in the same way."""
    return (*form, _UNCLEAR) if len(form) == 2 and kind[1] == kind[2] and form[0] != form[1] else form


_Pair = tuple[_Group, _Group]
_Key = TypeVar("_Key", bound=Hashable)


def _settle(pair: _Pair) -> Difference | None:
    """None where the sums can be told apart so that each kind has one form in both groups.

    A kind that has several forms is told apart further, by itself. Else the difference that the coarsest grain shows.
    """
    waiting = [pair]
    coarsest: Difference | None = None
    for grain, others in GRAINS:
        left: list[_Pair] = []
        for one in waiting:
            if coarsest is not None and _stays(one):
                left.append(one)
                continue
            mine, theirs = (group.split(grain, others=others) for group in one)
            kinds, open_pairs = _open(one, mine, theirs)
            left += open_pairs
            if kinds and coarsest is None:
                kind = min(kinds)
                first, second = (frozenset(part.get(kind, _Part()).forms) for part in (mine, theirs))
                coarsest = Difference(kind, first, second)
            is_coarsest = (grain, others) == GRAINS[0]
            if is_coarsest and not (_may_hold(mine, theirs) and _may_hold(theirs, mine)):
                return coarsest
        waiting = left
    values = pair[0].values, pair[1].values
    for detail in DETAILS:
        if waiting:
            classes = Refinement(values, detail)
            split = [(one, [group.refined(classes, side) for side, group in enumerate(one)]) for one in waiting]
            waiting = [open_pair for one, (mine, theirs) in split for open_pair in _open(one, mine, theirs)[1]]
    return coarsest if waiting else None


def _stays(pair: _Pair) -> bool:
    """Whether no label tells the sums of a pair apart, so that it stays as open as it is: looked at with the finest."""
    grain, others = GRAINS[-1]
    first = pair[0].sums[0] if pair[0].sums else pair[1].sums[0]
    side = pair[0] if pair[0].sums else pair[1]
    whole = told(side.values, first, grain, others=others)
    every = (told(group.values, one, grain, others=others) for group in pair for one in group.sums)
    if len(whole) > 1 or any(len(one) > 1 or one[0][0] != whole[0][0] for one in every):
        return False
    mine, theirs = (group.split(grain, others=others) for group in pair)
    return bool(_open(pair, mine, theirs)[1])


def _may_hold(mine: Mapping[Kind, _Part], theirs: Mapping[Kind, _Part]) -> bool:
    """Whether each sum may have a counterpart: if none of its kind has its form, none of a finer kind has either."""
    for kind, part in mine.items():
        other = theirs.get(kind, _Part())
        seen = {_unordered(form) for form in other.forms | other.special}
        if kind not in theirs and part.is_among(theirs):
            continue
        if not {_unordered(form) for form in part.forms} <= seen:
            return False
    return True


def _unordered(form: Form) -> Form:
    return tuple(sorted((one for one in form if one != _UNCLEAR), key=repr))


def _open(pair: _Pair, mine: Mapping[_Key, _Part], theirs: Mapping[_Key, _Part]) -> tuple[list[_Key], list[_Pair]]:
    """The kinds that do not have one form in both groups, and what is to be told apart further: their sums.

    That is the whole pair where a kind is in one group only, or where other sums are of that kind at times.
    """
    nothing = _Part()
    kinds: list[_Key] = []
    pairs: list[_Pair] = []
    is_whole = False
    for kind in mine.keys() | theirs.keys():
        parts = mine.get(kind, nothing), theirs.get(kind, nothing)
        if not any(part.sums for part in parts):  # sums that are of that kind at times have another one, too
            continue
        if (kind not in theirs and parts[0].is_among(theirs)) or (kind not in mine and parts[1].is_among(mine)):
            continue  # what is taken out for a case is compared as what it is then
        seen = [part.forms | part.special for part in parts]
        if seen[0] != seen[1] or len(seen[0]) != 1 or _UNCLEAR in next(iter(seen[0])):
            kinds.append(kind)
            is_whole |= any(part.special or not part.sums for part in parts)
            pairs.append((_Group(pair[0].values, parts[0].sums), _Group(pair[1].values, parts[1].sums)))
    return kinds, [pair] if is_whole else pairs
