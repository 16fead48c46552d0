"""What ptxas may make of the sums that are left to it: a function with its choices written down.

What it does with them is known where that has the same machine code as the function without them. Mostly it does what
is likely. Else each way in which a sum may go is tried by itself, and those that fit together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice, product

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.change import Body, apart, changes, product_of
from gpuopt_driver.ptx.operations import addends_of, is_rounded
from gpuopt_driver.ptx.read import Function, Instruction, function
from gpuopt_driver.ptx.sums import Form, forms, is_left, is_likely, is_near, sums
from gpuopt_driver.ptx.values import Values, values_of

_MOST = 12  # ways to put together what fits by itself
_MOST_ALONE = 64
_MOST_TEXT = 400_000  # characters of all copies that are assembled at once


@dataclass(frozen=True, slots=True)
class Choices:
    """The sums of a function that are left to ptxas, each with what may stand in its place, the likeliest first."""

    whole: Function
    left: Sequence[tuple[Instruction, Sequence[Sequence[str]]]]
    _picked: dict[Function, Mapping[int, int]] = field(default_factory=dict, compare=False)

    def likely(self) -> Function:
        """The function as ptxas is most likely to understand it; the same object where nothing is left to it."""
        return self._with(dict.fromkeys(range(len(self.left)), 0))

    def alone(self) -> dict[tuple[int, int], Function]:
        """By a sum's number and a way's: the function with that alone written down; {} where these are too many.

        Nor where each sum has one way: all of these together are the likely form.
        """
        if all(len(texts) == 1 for _, texts in self.left):
            return {}
        ways = [(at, number) for at, (_, texts) in enumerate(self.left) for number in range(len(texts))]
        size = sum(map(len, self.whole.lines)) * len(ways)
        return {one: self._with(dict([one])) for one in ways} if len(ways) <= _MOST_ALONE and size <= _MOST_TEXT else {}

    def together(self, fitting: Sequence[tuple[int, int]]) -> list[Function]:
        """The function with a fitting way of each sum written down, in several ways."""
        by_sum = [[number for at, number in fitting if at == sum_] for sum_ in range(len(self.left))]
        return [self._with(dict(enumerate(picked))) for picked in islice(product(*by_sum), _MOST)]

    def picked(self, form: Function) -> Mapping[int, int]:
        """The ways of all sums in one of these forms."""
        return self._picked.get(form, {})

    def like(self, picked: Mapping[int, int]) -> Function | None:
        """The function with the ways of another one that has as many sums left, each with as many ways."""
        fits = len(picked) == len(self.left) and all(number < len(self.left[at][1]) for at, number in picked.items())
        return self._with(picked) if fits and picked else None

    def _with(self, picked: Mapping[int, int]) -> Function:
        """The function with these ways of sums, by their numbers; a sum that is not found stays."""
        if not picked:
            return self.whole
        body = Body(self.whole.lines)
        for at, number in picked.items():
            total, texts = self.left[at]
            body.replace(total, texts[number])
        lines = body.lines
        if lines == self.whole.lines:
            return self.whole
        made = function(self.whole.name, list(lines), is_entry=self.whole.is_entry)
        self._picked[made] = picked
        return made


def _is_unlikely(form: Form) -> bool:
    """Whether ptxas is likelier to fuse the other product of a sum: something else uses this one, too."""
    return not is_near(form) or form[4] != 1


def choices(whole: Function, shift: int) -> Choices:
    """What is left to ptxas in a function; `shift` is the number of parameters in front of its original's own."""
    return Choices(whole, list(_left(values_of(whole, shift))))


def _left(values: Values) -> Iterator[tuple[Instruction, list[list[str]]]]:
    for total in sums(values):
        found = forms(values, total)
        if not is_rounded(total) and any(map(is_left, found)):
            fused = [one for one in changes(values, total) if one != apart(total)]
            order = [
                form for one, form in zip(addends_of(total), found, strict=False) if product_of(values, one, total)
            ]
            if total.base != "fma" and len(order) == len(fused):
                fused = [
                    one
                    for _, one in sorted(zip(map(_is_unlikely, order), fused, strict=True), key=lambda pair: pair[0])
                ]
            yield total, [*fused, apart(total)] if any(map(is_likely, found)) else [apart(total), *fused]
