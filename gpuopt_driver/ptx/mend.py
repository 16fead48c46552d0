"""Gives a version the form that its original has: where nvcc fused other products, its PTX is changed.

Where a product is left to ptxas, what that makes of the original is to be found out first (`guess.py`). Whether the
version then has its original's form is for the comparison to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from gpuopt_driver.ptx.change import Body, changes
from gpuopt_driver.ptx.fusion import Wrong, difference, wrong_forms
from gpuopt_driver.ptx.guess import choices
from gpuopt_driver.ptx.read import Function, function
from gpuopt_driver.ptx.sums import told
from gpuopt_driver.ptx.values import Values, values_of

_MOST = 100  # sums of one version that are changed
_LARGEST = 4000  # instructions of a version of which it is tried what is likely: a second for 5000, mostly in vain


def mended(
    original: Function, version: Function, shift: int, picked: Mapping[int, int] = MappingProxyType({})
) -> Function | None:
    """The version, changed so that it is rounded as its original; None where no such changes are known.

    Of the original all that ptxas decides is written down. Where labels do not say which sums of the version are which
    of the original's, they are taken for what is likely first; or, sum by sum in their order, for what the original's
    are (`picked`, see `guess.Choices`).
    """
    first = _changed(original, version, shift)
    if first is not None:
        return first
    left = choices(version, shift)
    likely = left.likely() if len(version.instructions) <= _LARGEST else None
    for form in (left.like(picked), likely):
        if first is None and form is not None and form is not version:
            first = _changed(original, form, shift)
    return first


def _changed(original: Function, version: Function, shift: int) -> Function | None:
    """The version with its wrong sums changed: all at once, each in the first way that gives it the right form."""
    wrong = wrong_forms(original, version, shift, _MOST)
    if wrong is None:
        return None
    values = values_of(version, shift)
    ways = [list(changes(values, one.total)) for one in wrong]
    picked = [0] * len(wrong)
    changed: Function | None = version
    waiting = list(range(len(wrong)))
    while waiting and changed is not None:
        fits = all(at < len(texts) for at, texts in zip(picked, ways, strict=True))
        texts = [texts[at] for at, texts in zip(picked, ways, strict=True)] if fits else []
        changed = _replaced(version, wrong, texts) if fits else None
        waiting = [] if changed is None else list(_still_wrong(values_of(changed, shift), wrong, texts))
        for number in waiting:
            picked[number] += 1
    return changed if changed is not None and difference(original, changed, shift) is None else None


def _replaced(version: Function, wrong: Sequence[Wrong], texts: Sequence[Sequence[str]]) -> Function | None:
    """A version with other statements in the place of some sums, None where one cannot be found."""
    body = Body(version.lines)
    if not all(body.replace(one.total, statements) for one, statements in zip(wrong, texts, strict=True)):
        return None
    return function(version.name, list(body.lines), is_entry=version.is_entry)


def _still_wrong(values: Values, wrong: Sequence[Wrong], texts: Sequence[Sequence[str]]) -> Iterator[int]:
    """The numbers of the sums that do not have the right form in a version in which statements were replaced."""
    more = 0  # instructions that have come in front of a sum, its own included
    for number, (one, statements) in enumerate(zip(wrong, texts, strict=True)):
        more += len(statements) - 1
        total = values.function.instructions[one.total.index + more]
        if not one.is_right(told(values, total, one.grain, others=one.others)):
            yield number
