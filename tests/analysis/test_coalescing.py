"""Lines and sectors of a warp, by enumeration of its lanes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpuopt_driver.analysis.coalescing import Shape, Touched, distinct, per_warp, touched, warp_threads
from gpuopt_driver.frontend.expr import Const, Expr, Sym, SymKind, add, mul, op

X, Y, Z = (Sym(f"threadIdx.{axis}", SymKind.THREAD) for axis in "xyz")
N = Sym("n", SymKind.PARAM, uniform=True)


def _warp(offset: Expr, length: int, shape: Shape, **values: int) -> Touched | None:
    return per_warp(offset, length, shape, values)


def test_one_line_for_consecutive_floats() -> None:
    assert _warp(mul(Const(4), X), 4, Shape(256)) == Touched(1, 4)


def test_one_sector_for_a_broadcast() -> None:
    assert _warp(Const(4000), 4, Shape(256)) == Touched(1, 1)


def test_every_thread_its_own_line() -> None:
    assert _warp(mul(Const(4), X, N), 4, Shape(256), n=40960) == Touched(32, 32)


def test_stride_of_eight_floats_takes_eight_lines() -> None:
    assert _warp(mul(Const(32), X), 4, Shape(256)) == Touched(8, 32)


def test_unknown_stride_is_unknown() -> None:
    assert _warp(mul(Const(4), X, N), 4, Shape(256)) is None


def test_two_dimensional_blocks_are_numbered_x_first() -> None:
    matrix = add(mul(Const(4), Y, N), mul(Const(4), X))
    assert _warp(matrix, 4, Shape(32, 8), n=1000) == Touched(1, 4)
    assert _warp(matrix, 4, Shape(16, 16), n=4096) == Touched(2, 4)
    assert _warp(matrix, 4, Shape(8, 32), n=4096) == Touched(4, 4)


def test_three_dimensional_block() -> None:
    assert _warp(mul(Const(4096), Z), 4, Shape(4, 4, 4)) == Touched(2, 2)


def test_partial_warps_have_fewer_lanes() -> None:
    assert _warp(mul(Const(128), X), 4, Shape(20)) == Touched(20, 20)
    assert list(warp_threads(Shape(40), 1, 1)) == list(range(32, 40))


def test_unaligned_rows_touch_one_line_more() -> None:
    assert touched(add(mul(Const(4), X), Const(64)), 4, Shape(32), {}, range(32)) == Touched(2, 4)


def test_negative_offsets_round_down() -> None:
    assert touched(add(mul(Const(4), X), Const(-4)), 4, Shape(32), {}, range(32)) == Touched(2, 5)


def test_forms_that_are_not_linear_are_evaluated_lane_by_lane() -> None:
    assert _warp(mul(Const(4), op("%", X, Const(4))), 4, Shape(64)) == Touched(1, 1)
    assert _warp(mul(Const(128), op("/", X, Const(8))), 4, Shape(64)) == Touched(4, 4)
    assert _warp(mul(Const(4), op("/", X, N)), 4, Shape(64)) is None


@given(st.lists(st.integers(-5000, 5000), min_size=1, max_size=40), st.integers(1, 300))
def test_distinct_counts_what_byte_sets_count(starts: list[int], length: int) -> None:
    touched_bytes = {start + byte for start in starts for byte in range(length)}
    expected = Touched(len({byte // 128 for byte in touched_bytes}), len({byte // 32 for byte in touched_bytes}))
    assert distinct(starts, length, 128, 32) == expected
