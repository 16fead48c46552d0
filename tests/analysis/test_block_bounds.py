"""What bounds tell of how far blocks reach is what the integer-set library finds."""

from __future__ import annotations

import random

import pytest

from gpuopt_driver.analysis.block_bounds import LINE, Row, most_by_bounds
from gpuopt_driver.analysis.block_sets import _most_of_set

NAMES = ("b0", "c0", "b1", "t0", "u0", "ik", "jk", LINE)
BLOCKS, THREADS = 8, 32


def _box(trips: int) -> list[Row]:
    sizes = {"b0": BLOCKS, "c0": BLOCKS, "b1": 4, "t0": THREADS, "u0": THREADS, "ik": trips, "jk": trips}
    return [row for name, size in sizes.items() for row in ((((name, 1),), 0), (((name, -1),), size - 1))]


def _in_lines(left: dict[str, int], right: dict[str, int], offset: int, size: int) -> list[Row]:
    """Two sums in one line."""
    rows: list[Row] = []
    for factors, constant in ((left, 0), (right, offset)):
        rows.append(((*factors.items(), (LINE, -size)), constant))
        rows.append((((LINE, size), *((name, -factor) for name, factor in factors.items())), size - 1 - constant))
    return rows


def _in_bytes(left: dict[str, int], right: dict[str, int], offset: int) -> list[Row]:
    """Two sums that differ by less than four bytes."""
    between = {**right, **{name: right.get(name, 0) - factor for name, factor in left.items()}}
    ahead = tuple((name, factor) for name, factor in between.items() if factor)
    return [(ahead, offset + 3), (tuple((name, -factor) for name, factor in ahead), 3 - offset)]


@pytest.mark.parametrize(
    ("step", "told"),
    [(128, 0), (256, 0), (0, BLOCKS - 1), (64, None), (96, None)],
)
def test_blocks_that_step_over_whole_lines_share_none(step: int, told: int | None) -> None:
    left, right = {"b0": step, "t0": 4}, {"c0": step, "u0": 4}
    rows = [*_box(1), *_in_lines(left, right, 0, 128)]
    assert most_by_bounds((), rows, "b0", "c0") == told
    found = _most_of_set(NAMES, (), tuple(rows), "b0", "c0")
    assert found == told or (told is None and 0 < found < BLOCKS - 1)


def test_what_is_told_is_what_the_library_finds() -> None:
    random_ = random.Random(46)
    told = {0: 0, BLOCKS - 1: 0}
    for _ in range(400):
        steps = random_.choice([(0, 4), (128, 4), (4, 128), (8, 4), (33, 1), (512, 16), (120, 1), (16, 0)])
        left = {"b0": steps[0], "t0": steps[1], "b1": random_.choice([0, 128, 1024]), "ik": random_.choice([0, 4, 256])}
        right = {"c0": steps[0], "u0": steps[1], "b1": left["b1"], "jk": left["ik"]}
        left, right = ({name: factor for name, factor in one.items() if factor} for one in (left, right))
        offset = random_.choice([0, 0, 4, 100, -128, 5000])
        rows = _box(random_.choice([1, 3, 40]))
        by_lines = random_.random() < 0.5
        rows += _in_lines(left, right, offset, 128) if by_lines else _in_bytes(left, right, offset)
        if random_.random() < 0.3:
            rows.append(((("b0", THREADS), ("t0", 1)), -random_.choice([1, 40])))
        equal: list[Row] = [((("ik", 1), ("jk", -1)), 0)] if random_.random() < 0.3 else []
        if random_.random() < 0.2:
            equal.append(((("b0", 16), ("c0", -16), ("t0", 1), ("u0", -1)), random_.choice([0, 3])))
        far, near = random_.choice([("b0", "c0"), ("c0", "b0")])
        found = most_by_bounds(equal, rows, far, near)
        if found is not None:
            told[found] += 1
            assert found == _most_of_set(NAMES, tuple(equal), tuple(rows), far, near), (equal, rows, far)
    assert min(told.values()) > 20, told
