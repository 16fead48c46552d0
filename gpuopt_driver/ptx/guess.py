"""What ptxas may make of the sums that are left to it: a function with its choices written down, in several ways.

Which one is right is known where it has the same machine code as the function without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

from gpuopt_driver.ptx.change import apart, changes, replaced
from gpuopt_driver.ptx.operations import addends_of, is_rounded, products_of
from gpuopt_driver.ptx.read import Function, Instruction, function
from gpuopt_driver.ptx.sums import forms, is_left, is_likely, sums
from gpuopt_driver.ptx.values import Values, values_of

MOST = 16  # ways that are tried


def guessed(whole: Function, shift: int) -> Function:
    """A function as ptxas is most likely to understand it; the same object where nothing is left to ptxas."""
    return next(guesses(whole, shift))


def guesses(whole: Function, shift: int) -> Iterator[Function]:
    """Ways in which ptxas may understand a function, the likeliest first."""
    values = values_of(whole, shift)
    left = [(total, _ways(values, total)) for total in sums(values) if _is_open(values, total)]
    seen: set[tuple[str, ...]] = set()
    totals = [total for total, _ in left]
    for picked in _picks([len(ways) for _, ways in left], [*_like(values, totals), *_shared(values, totals)]):
        lines = _with(whole.lines, [(total, ways[at]) for (total, ways), at in zip(left, picked, strict=True)])
        if lines not in seen:
            seen.add(lines)
            yield whole if lines == whole.lines else function(whole.name, list(lines), is_entry=whole.is_entry)


def _picks(counts: Sequence[int], related: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Which way each sum goes: as is likely, all otherwise, those that are related otherwise, one or two otherwise."""
    every = range(len(counts))
    for group in chain([(), every], related, combinations(every, 1), combinations(every, 2)):
        for way in range(1, max((counts[at] for at in group), default=2)):
            yield [min(way, counts[at] - 1) if at in group else 0 for at in every]


def _like(values: Values, totals: Sequence[Instruction]) -> Iterator[list[int]]:
    """The numbers of sums of one type that are left to ptxas in one form, the most first."""
    by_form: dict[object, list[int]] = {}
    for number, total in enumerate(totals):
        by_form.setdefault((total.opcode, *forms(values, total)), []).append(number)
    yield from sorted((numbers for numbers in by_form.values() if len(numbers) > 1), key=len, reverse=True)


def _shared(values: Values, totals: Sequence[Instruction]) -> Iterator[list[int]]:
    """The numbers of sums that add one product."""
    by_product: dict[int, list[int]] = {}
    for number, total in enumerate(totals):
        for operand in addends_of(total):
            for one in products_of(values, operand, total):
                by_product.setdefault(one.index, []).append(number)
    yield from (numbers for numbers in by_product.values() if len(numbers) > 1)


def _is_open(values: Values, total: Instruction) -> bool:
    return not is_rounded(total) and any(map(is_left, forms(values, total)))


def _ways(values: Values, total: Instruction) -> list[list[str]]:
    """What may stand in the place of a sum, the likeliest first."""
    fused = [one for one in changes(values, total) if one != apart(total)]
    return [*fused, apart(total)] if any(map(is_likely, forms(values, total))) else [apart(total), *fused]


def _with(lines: tuple[str, ...], texts: Sequence[tuple[Instruction, list[str]]]) -> tuple[str, ...]:
    """The lines with other sums; a sum that is not found stays."""
    for total, text in texts:
        lines = replaced(lines, total, text) or lines
    return lines
