"""References, their reuse, and the lines that they keep in L1."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis import footprint
from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.references import references
from gpuopt_driver.frontend.expr import Const, Sym, SymKind, add, mul
from gpuopt_driver.frontend.model import Kernel, Space

from .models import DX, TX, TY, I, J, K, N, access, kernel, loop

BLOCK = {"blockDim.x": 256, "blockDim.y": 1, "blockIdx.x": 0, "blockIdx.y": 0}


def atax() -> Kernel:
    n = Const(40960)
    return kernel(
        (loop(trips=n),),
        (
            access("tmp", I, is_write=True),
            access("A", add(mul(I, n), J)),
            access("B", J),
        ),
    )


def test_atax_of_the_paper_is_136_kb() -> None:
    """CATT section 5: 32 + 1 + 1 lines for each of 32 resident warps."""
    refs = references(atax(), loop(trips=Const(40960)))
    assert [footprint.requests_per_warp(ref, Shape(256), BLOCK, 128) for ref in refs] == [1, 32, 1]
    lines = footprint.paper_lines(refs, Shape(256), BLOCK, 1, 128)
    assert lines is not None
    assert lines.total(4) * 128 == 139264
    half = footprint.paper_lines(refs, Shape(256), BLOCK, 2, 128)
    assert half is not None
    assert half.total(4) * 2 == lines.total(4)


def test_sectored_model_counts_a_broadcast_once_per_sm() -> None:
    refs = references(atax(), loop(trips=Const(40960)))
    lines = footprint.sectored_lines(refs, Shape(256), BLOCK, 1, 128)
    assert lines == footprint.Lines(per_block=8 * 33, per_sm=1)


def test_equation_6_is_in_bytes() -> None:
    for step, expected in ((1, True), (32, True), (33, False), (-32, True)):
        one = kernel((loop(step=Const(step)),), (access("A", add(mul(I, N), J)),))
        (ref,) = references(one, one.loops[0])
        assert footprint.has_line_locality(ref, {**BLOCK, "n": 4096}, 128) is expected


@pytest.mark.parametrize(("stride", "visits"), [(1, 8), (2, 4), (4, 2), (8, 1), (100, 1)])
def test_visits_per_sector(stride: int, visits: int) -> None:
    one = kernel(
        (loop(step=Const(stride)),), (access("A", add(mul(I, N), J)), access("y", I, is_read=False, is_write=True))
    )
    (ref,) = references(one, one.loops[0])
    assert ref.batch == 1
    assert footprint.visits_per_sector(ref, BLOCK, 32, batched=True) == visits


def test_loads_that_are_issued_together_visit_a_sector_less_often() -> None:
    one = kernel((loop(),), (access("A", add(mul(I, N), J)),))
    (ref,) = references(one, one.loops[0])
    assert ref.batch == 4
    assert footprint.visits_per_sector(ref, BLOCK, 32, batched=True) == 2
    assert footprint.visits_per_sector(ref, BLOCK, 32, batched=False) == 8


def test_symbolic_distance_is_unknown_until_its_value_is_given() -> None:
    one = kernel((loop(),), (access("A", add(mul(J, N), I)),))
    (ref,) = references(one, one.loops[0])
    assert footprint.has_line_locality(ref, BLOCK, 128) is None
    assert footprint.has_line_locality(ref, {**BLOCK, "n": 4096}, 128) is False


def test_irregular_indices_count_one_line() -> None:
    data = Sym("unknown1", SymKind.UNKNOWN)
    one = kernel((loop(),), (access("cost", data), access("edges", None)))
    refs = references(one, one.loops[0])
    assert all(ref.irregular for ref in refs)
    assert [footprint.requests_per_warp(ref, Shape(256), BLOCK, 128) for ref in refs] == [1, 1]
    assert not any(footprint.has_line_locality(ref, BLOCK, 128) for ref in refs)


def test_a_loop_that_starts_at_data_is_irregular_but_has_locality() -> None:
    one = kernel((loop(start=None),), (access("edges", Sym("loop1", SymKind.LOOP)),))
    (ref,) = references(one, one.loops[0])
    assert ref.irregular
    assert footprint.has_line_locality(ref, BLOCK, 128) is True


def test_a_uniform_unknown_start_only_shifts_the_base() -> None:
    one = kernel((loop(start=None),), (access("A", add(mul(I, N), J)),))
    (ref,) = references(one, one.loops[0])
    assert not ref.irregular
    assert footprint.requests_per_warp(ref, Shape(256), {**BLOCK, "n": 4096}, 128) == 32


def test_a_loop_over_threads_starts_at_the_thread() -> None:
    one = kernel((loop(start=TX, step=DX),), (access("A", Sym("loop1", SymKind.LOOP)),))
    (ref,) = references(one, one.loops[0])
    assert footprint.requests_per_warp(ref, Shape(256), BLOCK, 128) == 1
    assert footprint.has_line_locality(ref, BLOCK, 128) is False


def test_identical_references_are_joined_and_others_of_one_array_share_lines() -> None:
    one = kernel(
        (loop(),),
        (access("A", add(mul(I, N), J)), access("A", add(mul(I, N), J)), access("A", add(mul(I, N), J, Const(1)))),
    )
    refs = references(one, one.loops[0])
    assert len(refs) == 2
    values = {**BLOCK, "n": 4096}
    paper = footprint.paper_lines(refs, Shape(256), values, 1, 128)
    sectored = footprint.sectored_lines(refs, Shape(256), values, 1, 128)
    assert paper == footprint.Lines(8 * 64, 0)
    assert sectored == footprint.Lines(8 * 32, 0)


def test_warps_of_a_block_share_lines() -> None:
    """C = A * B^T: the rows of B belong to threadIdx.x and are the same for all rows of a 32 x 8 block."""
    shape, values = Shape(32, 8), {**BLOCK, "blockDim.x": 32, "blockDim.y": 8, "n": 2048}
    one = kernel((loop(),), (access("A", add(mul(TY, N), J)), access("B", add(mul(TX, N), J))))
    refs = references(one, one.loops[0])
    assert footprint.paper_lines(refs, shape, values, 1, 128) == footprint.Lines(8 * 33, 0)
    assert footprint.sectored_lines(refs, shape, values, 1, 128) == footprint.Lines(0, 8 + 32)


def test_guarded_references_count_one_line_per_warp_in_the_sectored_model() -> None:
    one = kernel((loop(),), (access("A", add(mul(I, N), J), guarded=True),))
    refs = references(one, one.loops[0])
    assert footprint.sectored_lines(refs, Shape(256), {**BLOCK, "n": 4096}, 1, 128) == footprint.Lines(8, 0)


def test_what_does_not_live_in_l1_makes_no_reference() -> None:
    shared = access("tile", I)
    array = type(shared.array)("tile", Space.SHARED, "float", 4)
    one = kernel(
        (loop(),),
        (
            access("a", I, is_atomic=True, is_write=True),
            access("v", I, is_volatile=True),
            access("out", I, is_read=False, is_write=True),
            access("tile", I, array=array),
        ),
    )
    assert references(one, one.loops[0]) == ()


def test_an_outer_loop_holds_what_its_inner_loop_walks() -> None:
    """k-means: 34 features of 4 bytes are 136 bytes in a row, 34 lines per warp, read once per centre."""
    inner = loop(2, Const(34), parent=1, depth=1)
    one = kernel((loop(1, Const(5)), inner), (access("points", add(mul(I, Const(34)), K), loops=(1, 2)),))
    (ref,) = references(one, one.loops[0])
    assert footprint.run(ref, {}, 128) == footprint.Run(136, 1)
    assert footprint.requests_per_warp(ref, Shape(256), BLOCK, 128) == 34
    assert footprint.has_line_locality(ref, BLOCK, 128) is True


def test_an_inner_loop_over_rows_makes_copies() -> None:
    """CORR: the inner loop walks 2048 rows, so one iteration of the outer one needs 2048 lines of each warp."""
    inner = loop(2, Const(2048), parent=1, depth=1)
    one = kernel((loop(1, Const(2048)), inner), (access("data", add(mul(K, Const(2049)), I, J), loops=(1, 2)),))
    (ref,) = references(one, one.loops[0])
    assert footprint.run(ref, {}, 128) == footprint.Run(4, 2048)
    assert footprint.requests_per_warp(ref, Shape(256), BLOCK, 128) == 2048


def test_an_unknown_inner_trip_count_leaves_the_outer_loop_unknown() -> None:
    inner = loop(2, None, parent=1, depth=1)
    one = kernel((loop(1, Const(5)), inner), (access("A", add(mul(I, N), K), loops=(1, 2)),))
    refs = references(one, one.loops[0])
    assert footprint.sectored_lines(refs, Shape(256), {**BLOCK, "n": 64}, 1, 128) is None
