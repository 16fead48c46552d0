"""Which band of blocks is chosen: by L2, by L1, and what an H200 was measured to do (benchmarks/RESULTS.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuopt_driver.analysis.block_choice import Machine, Near, best_tile, traffic
from gpuopt_driver.analysis.block_traffic import Touch

H200 = Machine(132, 8, 8, int(52_428_800 * 0.72), 32, 2424, Near(224_788, 32, 31))
MARGIN, SHARE = 1.5, 0.013


def _product(n: int, x: int, y: int, size: int = 4) -> tuple[tuple[Touch, ...], tuple[int, int, int]]:
    """The matrices of a naive product of n rows with blocks of x * y threads, and its grid."""
    row = size * n
    touches = (
        Touch(size, n, ((row, y), (size, n)), (0, row * y, 0)),
        Touch(size, n, ((size, x), (row, n)), (size * x, 0, 0)),
        Touch(size, 1, ((size, x), (row, y)), (size * x, row * y, 0)),
    )
    return touches, (n // x, n // y, 1)


def _held(x: int, y: int) -> Machine:
    return replace(H200, resident=min(32, 2048 // (x * y)), warps=x * y // 32)


# Times in milliseconds of widths of bands, one H200 (0: the usual order).
_MEASURED = {
    (4096, 16, 16, 8): {0: 44.157, 12: 44.0, 16: 43.7, 32: 40.8, 64: 43.3},  # dgemm
    (2048, 16, 16, 8): {0: 5.492, 16: 4.36, 32: 4.329, 64: 4.32, 128: 5.49},
    (4096, 32, 8, 4): {0: 24.308, 1: 21.684, 4: 21.130, 8: 21.233, 16: 20.951, 32: 20.760, 64: 21.535},
    (8192, 32, 8, 4): {0: 210.455, 4: 170.689, 8: 169.531, 16: 170.131, 32: 175.778},
    (4096, 16, 16, 4): {0: 26.987, 4: 25.472, 16: 25.266, 32: 25.194, 64: 25.176},
    (4096, 256, 1, 4): {0: 26.718, 1: 26.273, 2: 28.709, 4: 29.852, 8: 28.389},
    (4096, 128, 1, 4): {0: 27.144, 1: 25.226, 2: 27.623, 4: 29.196, 8: 30.079, 16: 28.534},
    (4096, 64, 1, 4): {0: 27.909, 1: 23.967, 2: 24.977, 4: 27.063, 8: 28.918, 16: 30.018, 32: 28.597},
    (8192, 256, 1, 4): {0: 432.189, 1: 223.536, 4: 226.067, 8: 210.785, 16: 286.716},
}


@pytest.mark.parametrize(("n", "x", "y", "size"), _MEASURED)
def test_bands_that_an_h200_was_measured_with(n: int, x: int, y: int, size: int) -> None:
    """Within 3 % of the best width; 6 % for flat blocks at their largest and smallest, which gain 1.9 and 1.1 times."""
    touches, grid = _product(n, x, y, size)
    found = best_tile(touches, grid, _held(x, y), SHARE)
    assert found.pays(MARGIN, SHARE) is (y > 1 or n > 4096)
    times = _MEASURED[n, x, y, size]
    assert times[found.tile[0]] <= min(times.values()) * (1.03 if y > 1 or (x > 64 and n < 8192) else 1.065)


def test_what_l1_may_save_must_be_half_of_the_whole_time() -> None:
    """Single columns of 256 x 1: 1.32 times as fast by the model, 6 % slower than the usual order on an H200."""
    touches, grid = _product(4096, 256, 1)
    found = best_tile(touches, grid, _held(256, 1), SHARE)
    assert found.best.for_l2
    assert found.base.waited > MARGIN * found.best.waited
    assert not found.pays(MARGIN, SHARE)
    assert found.pays(1.3, SHARE)


@pytest.mark.parametrize("x", [64, 128, 256])
def test_l1_decides_where_l2_is_what_blocks_wait_for(x: int) -> None:
    """Flat blocks: memory is behind L2 in all of these bands, and by memory alone a slower one would be taken."""
    touches, grid = _product(4096, x, 1)
    with_l1, without = (
        best_tile(touches, grid, machine, 0.0) for machine in (_held(x, 1), replace(_held(x, 1), near=None))
    )
    assert with_l1.tile[0] < without.tile[0]
    times = _MEASURED[4096, x, 1, 4]
    assert times[with_l1.tile[0]] < 0.9 * times[min(without.tile[0], 16)]
    asked = [traffic(touches, grid, (width, 0, 1), _held(x, 1))[1] for width in (with_l1.tile[0], without.tile[0])]
    assert asked[0] is not None
    assert asked[1] is not None
    assert asked[0] < asked[1]


def test_l1_does_not_override_l2() -> None:
    """Single columns ask L2 for less, and bring so much more from memory that this is what is waited for."""
    touches, grid = _product(8192, 64, 1)
    machine = _held(64, 1)
    found = best_tile(touches, grid, machine, SHARE)
    memory, asked = traffic(touches, grid, (1, 0, 1), machine)
    assert found.tile == (4, 0, 1)
    assert found.best.l2_read_bytes is not None
    assert asked is not None
    assert asked < found.best.l2_read_bytes
    assert memory > 4 * found.best.memory_bytes
    # Blocks of 32 x 8 issue loads for longer than L2 takes, whatever they share in L1: the choice is L2's alone.
    touches, grid = _product(4096, 32, 8)
    assert best_tile(touches, grid, H200, SHARE).tile == best_tile(touches, grid, replace(H200, near=None), SHARE).tile


def test_blocks_out_of_step_share_what_a_cache_holds() -> None:
    """Misses of L1 and L2 that one H200 counted for products of 4096 rows (benchmarks/RESULTS.md), in gigabytes."""
    counted = {
        (32, 8, 0): (42.9, 22.4), (32, 8, 32): (43.1, 0.35), (32, 8, 16): (43.0, 0.48), (64, 1, 4): (265.4, 1.25),
        (64, 1, 8): (271.3, 0.75), (64, 1, 16): (274.2, 0.49), (256, 1, 0): (275.1, 89.9), (256, 1, 4): (273.8, 0.49),
    }  # fmt: skip
    for (x, y, width), (l1, l2) in counted.items():
        touches, grid = _product(4096, x, y)
        tile = (width, 0, 1) if width else (0, 1, 1)
        memory, asked = traffic(touches[:2], grid, tile, _held(x, y))
        assert asked is not None
        assert asked / 1e9 == pytest.approx(l1, rel=0.03)
        assert memory / 1e9 == pytest.approx(l2, rel=0.5)


def test_short_blocks_share_all_in_l1() -> None:
    """Columns of 32 rows fit L1: blocks ask for them once, and what the next blocks touch is there as well."""
    row, held = 4 * 4096, 8
    touches = (Touch(4, 32, ((128, 1), (4, 32)), (0, 128, 0)), Touch(4, 32, ((4, 256), (row, 32)), (1024, 0, 0)))
    machine = replace(H200, resident=held)
    _, narrow = traffic(touches, (16, 4096, 1), (1, 0, 1), machine)
    _, usual = traffic(touches, (16, 4096, 1), (0, 1, 1), machine)
    assert narrow is not None
    assert usual is not None
    assert narrow < 0.05 * usual
    column, rows = 32 * 1024, 128
    blocks = 16 * 4096
    # Every multiprocessor reads a column once for its band, and every row once for each column.
    assert narrow == pytest.approx(blocks * rows + 132 * 16 * column, rel=0.15)
