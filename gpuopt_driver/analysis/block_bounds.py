"""How far apart two blocks that touch the same data can be, where the bounds of a set's dimensions tell.

Most pairs of accesses are of two kinds: those of different blocks never meet, as what a block spans is shorter than its
distance to the next one, or they meet in the corner of the set where the blocks are as far apart as the grid has them.
Both are told in microseconds; the integer-set library takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuopt_driver.dataclass import dataclass

Row = tuple[tuple[tuple[str, int], ...], int]  # a sum: factors by name, and a constant
LINE = "l"  # the dimension that is the number of a cache line

_Range = tuple[float, float]
_ANYTHING: _Range = (float("-inf"), float("inf"))


def most_by_bounds(equal: Sequence[Row], least: Sequence[Row], far: str, near: str) -> int | None:
    """The largest `far - near` above 0 over the points where `equal` are 0 and `least` at least 0; None: not told."""
    box = _Box.of(least, far, near)
    if box.furthest < 1 or _never_in_one_line(least, box):
        return 0
    if any(box.excludes(row, is_equal=True) for row in equal) or any(
        box.excludes(row, is_equal=False) for row in least
    ):
        return 0
    at = box.corner([*equal, *least], least)
    holds = all(_value(row, at) == 0 for row in equal) and all(_value(row, at) >= 0 for row in least)
    return int(box.furthest) if holds and box.furthest != _ANYTHING[1] else None


@dataclass(frozen=True, slots=True)
class _Box:
    """The ranges of dimensions, and of two that are `far` and `near`, which are to differ by 1 at least."""

    ranges: dict[str, _Range]
    far: str
    near: str

    @classmethod
    def of(cls, least: Sequence[Row], far: str, near: str) -> _Box:
        """What rows with one dimension say."""
        ranges: dict[str, _Range] = {}
        for factors, constant in least:
            if len(factors) == 1:
                ((name, factor),) = factors
                low, high = ranges.get(name, _ANYTHING)
                if factor > 0:
                    low = max(low, -(constant // factor))
                else:
                    high = min(high, constant // -factor)
                ranges[name] = low, high
        return cls(ranges, far, near)

    @property
    def furthest(self) -> float:
        """The largest difference that the ranges leave."""
        return self.ranges.get(self.far, _ANYTHING)[1] - self.ranges.get(self.near, _ANYTHING)[0]

    def excludes(self, row: Row, *, is_equal: bool) -> bool:
        """Whether a sum is never 0, or never at least 0."""
        low, high = self.range(row)
        return high < 0 or (is_equal and low > 0)

    def range(self, row: Row) -> _Range:
        """The least and the largest number that a sum may be."""
        factors, constant = dict(row[0]), row[1]
        low: float = constant
        high: float = constant
        if factors.get(self.far, 0) == -factors.get(self.near, 0) != 0:
            step = factors.pop(self.far)
            del factors[self.near]
            low, high = low + min(step, step * self.furthest), high + max(step, step * self.furthest)
        for name, factor in factors.items():
            ends = [factor * end for end in self.ranges.get(name, _ANYTHING)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def corner(self, rows: Sequence[Row], least: Sequence[Row]) -> dict[str, int]:
        """The point where the blocks are furthest apart and all else is 0, or as small as it may be."""
        names = {name for factors, _ in rows for name, _ in factors}
        at = {name: self._nearest_to_0(name) for name in names}
        at[self.far], at[self.near] = (
            self._nearest_to_0(self.far, self.ranges.get(self.far, _ANYTHING)[1]),
            self._nearest_to_0(self.near, self.ranges.get(self.near, _ANYTHING)[0]),
        )
        first = next(((of, size) for of, size in _lined(least)), None)
        if first is not None:
            at[LINE] = _value(first[0], at) // first[1]
        return at

    def _nearest_to_0(self, name: str, wanted: float = 0) -> int:
        low, high = self.ranges.get(name, _ANYTHING)
        found = min(max(wanted, low), high)
        return int(found) if abs(found) != _ANYTHING[1] else 0


def _lined(least: Sequence[Row]) -> Iterator[tuple[Row, int]]:
    """The two sums that are in one line, with its size: rows `sum - size * line`."""
    for factors, constant in least:
        size = -dict(factors).get(LINE, 0)
        if size > 0 and len(factors) > 1:
            yield (tuple(one for one in factors if one[0] != LINE), constant), size


def _never_in_one_line(least: Sequence[Row], box: _Box) -> bool:
    """Whether two sums that are to be in one line never are.

    What steps over whole lines is set apart; the rest of each comes to a range of lines.
    """
    found = list(_lined(least))
    if len(found) != 2 or found[0][1] != found[1][1]:
        return False
    steps: dict[str, int] = {}
    ranges = dict(box.ranges)
    for sign, ((factors, constant), size) in zip((1, -1), found, strict=True):
        for name, factor in factors:
            if factor % size == 0:
                steps[name] = steps.get(name, 0) + sign * factor // size
        low, high = box.range((tuple(one for one in factors if one[1] % size), constant))
        if _ANYTHING[1] in (-low, high):
            return False
        rest = f"{LINE}{sign}"
        ranges[rest] = low // size, high // size
        steps[rest] = sign
    row = tuple((name, factor) for name, factor in steps.items() if factor), 0
    return _Box(ranges, box.far, box.near).excludes(row, is_equal=True)


def _value(row: Row, at: dict[str, int]) -> int:
    return row[1] + sum(factor * at[name] for name, factor in row[0])
