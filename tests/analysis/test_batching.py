"""Which loads nvcc issues together."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis.batching import ordering, unroll_factor
from gpuopt_driver.frontend.expr import add, mul
from gpuopt_driver.frontend.model import Access

from .models import I, J, N, access, kernel, loop

ROW = access("A", add(mul(I, N), J))
SUM = access("y", I, is_write=True)


@pytest.mark.parametrize(
    ("pragmas", "factor"),
    [
        ("", 4),
        ("\n#pragma unroll 1\n", 1),
        ("#pragma unroll(2)", 2),
        ("#pragma unroll", 8),
        ("#pragma nounroll", 1),
        ("#pragma GCC unroll 16\n", 16),
    ],
)
def test_unroll_factor(pragmas: str, factor: int) -> None:
    assert unroll_factor(pragmas) == factor


def _batch(*accesses: Access, pragmas: str = "", **changes: object) -> int:
    one = kernel((loop(**changes),), accesses)  # type: ignore[arg-type]
    return ordering(one, one.loops[0], pragmas).batch(accesses[0])


def test_sums_in_registers_are_batched() -> None:
    assert _batch(ROW) == 4
    assert _batch(ROW, pragmas="#pragma unroll 1") == 1


def test_a_store_that_may_alias_keeps_iterations_apart() -> None:
    assert _batch(ROW, SUM) == 1


def test_restrict_lets_loads_pass_stores() -> None:
    assert _batch(access("A", add(mul(I, N), J), restrict=True), SUM) == 4
    assert _batch(ROW, access("y", I, is_write=True, restrict=True)) == 4


def test_loops_of_unknown_length_are_not_batched() -> None:
    assert _batch(ROW, trips=None) == 1


def test_volatile_accesses_keep_order() -> None:
    assert _batch(ROW, access("flag", I, is_volatile=True)) == 1


def test_restrict_stores_keep_loads_of_their_own_array_apart() -> None:
    walk = access("y", add(mul(I, N), J), restrict=False)
    assert _batch(walk, access("y", I, is_write=True, restrict=True)) == 1
