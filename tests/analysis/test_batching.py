"""Which loads nvcc issues together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuopt_driver.analysis.batching import ordering, unroll_factor
from gpuopt_driver.frontend.expr import Const, add, mul
from gpuopt_driver.frontend.model import Access, Kernel, Stmt, StmtKind

from .models import SPAN, I, J, K, N, access, kernel, loop

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


def _nest(trips: int | None, *, matrix: bool = False) -> Kernel:
    """An inner loop over x, or over a piece of the row, inside a walk: as probed with nvcc."""
    inner = loop(2, Const(trips) if trips is not None else N, parent=1)
    row = add(mul(J, Const(16)), K) if matrix else J
    loads = (access("A", add(mul(I, N), row), (1, 2) if matrix else (1,)), access("x", K, (1, 2)))
    return kernel((loop(), inner), loads)


@pytest.mark.parametrize(
    ("trips", "matrix", "batch"),
    [
        (12, False, 4),
        (16, False, 2),
        (24, False, 2),
        (32, False, 1),
        (4, True, 4),
        (8, True, 2),
        (16, True, 1),
        (None, False, 1),
    ],
)
def test_small_loops_inside_are_unrolled_first(trips: int | None, matrix: bool, batch: int) -> None:
    one = _nest(trips, matrix=matrix)
    assert ordering(one, one.loops[0]).batch(one.accesses[0]) == batch


def test_a_branch_inside_keeps_iterations_apart() -> None:
    one = _nest(4)
    branch = Stmt(len(one.stmts), StmtKind.IF, SPAN, 2)
    stmts = (*one.stmts[:2], replace(one.stmts[2], children=(branch.id,)), *one.stmts[3:], branch)
    one = replace(one, stmts=stmts)
    assert ordering(one, one.loops[0]).batch(one.accesses[0]) == 1
