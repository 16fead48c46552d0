"""Resident blocks, their limits, and the L1 that is left."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis.occupancy import BlockUse, occupancy
from gpuopt_driver.arch.load import load_arch

VOLTA = load_arch("titan-v")
HOPPER = load_arch("h200")


def test_grid_spread_over_sms_limits_atax_of_the_paper() -> None:
    seen = occupancy(VOLTA, BlockUse(256, 20, grid_blocks=320))
    assert (seen.resident_blocks, seen.blocks, seen.warps) == (8, 4, 32)
    assert seen.limiters == ("grid",)
    assert seen.l1_bytes == 131072


def test_grid_that_does_not_divide_is_rounded_up() -> None:
    assert occupancy(VOLTA, BlockUse(256, 20, grid_blocks=81)).blocks == 2


@pytest.mark.parametrize(("registers", "blocks"), [(32, 8), (33, 6), (40, 6), (64, 4), (128, 2), (255, 1)])
def test_registers_are_allocated_by_warp_in_units_of_256(registers: int, blocks: int) -> None:
    seen = occupancy(VOLTA, BlockUse(256, registers))
    assert seen.blocks == blocks
    assert not seen.registers_assumed


def test_unknown_registers_do_not_limit_and_are_flagged() -> None:
    seen = occupancy(VOLTA, BlockUse(256))
    assert seen.blocks == 8
    assert seen.registers_assumed
    assert "registers" not in seen.limits


def test_equation_4_takes_the_smallest_configuration_that_is_large_enough() -> None:
    seen = occupancy(VOLTA, BlockUse(512, 32, static_shared=4096), largest_l1=True)
    assert seen.blocks == 4
    assert seen.shared_configuration == 16384
    assert seen.l1_bytes == 131072 - 16384


def test_shared_memory_limits_blocks() -> None:
    seen = occupancy(VOLTA, BlockUse(64, 16, static_shared=40000))
    assert seen.blocks == 2
    assert seen.limiters == ("shared",)


def test_reserved_shared_memory_counts_on_new_gpus() -> None:
    seen = occupancy(HOPPER, BlockUse(64, 16, dynamic_shared=16 * 1024))
    assert seen.shared_per_block == 17 * 1024
    assert seen.blocks == 233472 // (17 * 1024)


def test_default_configuration_without_shared_memory() -> None:
    seen = occupancy(HOPPER, BlockUse(256, 32))
    assert seen.shared_configuration == HOPPER.shared.default_configuration
    assert seen.l1_bytes == 262144 - HOPPER.shared.default_configuration


def test_block_and_thread_slots() -> None:
    assert occupancy(VOLTA, BlockUse(32, 16)).limiters == ("blocks",)
    seen = occupancy(VOLTA, BlockUse(192, 32))
    assert seen.blocks == 10
    assert seen.limiters == ("warps", "threads", "registers")


def test_a_block_that_fits_nowhere() -> None:
    assert occupancy(VOLTA, BlockUse(256, 20, static_shared=200_000)).blocks == 0
    assert occupancy(VOLTA, BlockUse(1024, 128)).blocks == 0


def test_next_step_says_what_would_hold_one_more_block() -> None:
    seen = occupancy(VOLTA, BlockUse(256, 40, static_shared=15000))
    assert seen.blocks == 6
    step = seen.next_step
    assert step is not None
    assert step.blocks == 7
    assert step.registers == 32
    assert step.shared_bytes is not None
    assert occupancy(VOLTA, BlockUse(256, step.registers, static_shared=step.shared_bytes)).blocks >= 7
    assert occupancy(VOLTA, BlockUse(256, 32)).next_step is None


def test_an_empty_block_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one thread"):
        occupancy(VOLTA, BlockUse(0))
