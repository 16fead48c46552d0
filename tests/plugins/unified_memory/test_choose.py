"""Which of an SM's divisions is chosen: the largest L1 that costs no wave, more waves where they promise enough."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from gpuopt_plugins.unified_memory.decide import choose
from gpuopt_plugins.unified_memory.predict import Division

from gpuopt_driver.analysis.l1_reuse import Term


def division(shared: int, waves: int, hit_rate: float, performance: float) -> Division:
    return Division(shared, 256 - shared, 8 // max(waves, 1), 1 / max(waves, 1), hit_rate, performance, waves)


DRIVERS = division(200, 1, 0.1, 1.0)


def test_the_largest_l1_that_costs_no_wave_needs_no_promise() -> None:
    roomy, tight = division(100, 1, 0.1, 1.0), division(50, 4, 0.9, 1.2)
    assert choose([tight, roomy, division(150, 1, 0.1, 1.0), DRIVERS], DRIVERS, 1.25) == roomy
    assert choose([tight, roomy, DRIVERS], DRIVERS, 1.15) == tight
    assert choose([tight, roomy, DRIVERS], DRIVERS, math.inf) == roomy


@pytest.mark.parametrize("hits", [0.1, 0.4])
def test_a_little_more_l1_is_not_worth_a_version(hits: float) -> None:
    tight = division(50, 4, 0.9, 1.2)
    enough, little = division(172, 1, hits, 1.1), division(173, 1, hits, 1.1)  # the driver's has 56 of L1
    assert choose([tight, enough, DRIVERS], DRIVERS, 1.25) == enough
    assert choose([tight, little, DRIVERS], DRIVERS, 1.25) == DRIVERS


def test_nothing_changes_where_no_hits_are_lost() -> None:
    fits = division(200, 1, 0.9, 1.0)
    assert choose([division(50, 2, 0.92, 2.0), division(100, 1, 0.94, 1.1), fits], fits, 1.25) == fits


def test_of_divisions_that_are_tied_the_fewest_waves_win() -> None:
    fewest, best = division(100, 2, 0.6, 1.92), division(50, 8, 0.9, 2.0)
    assert choose([best, fewest, DRIVERS], DRIVERS, 1.25) == fewest
    assert choose([best, division(100, 2, 0.6, 1.8), DRIVERS], DRIVERS, 1.25) == best


def test_more_waves_must_bring_hits() -> None:
    assert choose([division(50, 2, 0.12, 2.0), DRIVERS], DRIVERS, 1.25) == DRIVERS


@pytest.mark.parametrize(("hits", "worth", "taken"), [(0.5, 1.3, True), (0.12, 1.3, False), (0.5, 1.2, False)])
def test_without_waves_performance_and_hits_decide(hits: float, worth: float, taken: bool) -> None:
    drivers, other = division(200, 0, 0.1, 1.0), replace(division(50, 0, hits, worth), blocks=4)
    assert choose([other, drivers], drivers, 1.25) == (other if taken else drivers)


def test_the_driver_that_takes_no_account_of_kernels_is_corrected_without_lost_hits() -> None:
    drivers, other = division(200, 0, 0.1, 1.0), division(50, 0, 0.1, 1.0)
    assert choose([other, drivers], drivers, 1.25) == drivers
    assert choose([other, drivers], drivers, 1.25, fixed=True) == other


def test_without_waves_l1_that_costs_no_block_needs_no_promise() -> None:
    drivers, other = division(200, 0, 0.1, 1.0), division(50, 0, 0.9, 1.0)
    assert choose([other, drivers], drivers, 1.25) == other


def test_visits_of_one_batch_need_no_line_to_stay() -> None:
    term = Term(lines=1, fetched=10, asked=10, past=10, useful=40, visits=8)
    assert term.misses(0.0) == 10
    assert term.misses(1.0) == 10 / 8
    assert term.misses(0.0, 4) == 10 * 2 / 8  # two batches, each fetches its units once
    assert term.misses(0.0, 4, 0.5) == 10 * (2 + 6 * 0.5) / 8
    assert term.misses(0.0, 3) == 10 * 3 / 8
    assert term.misses(0.0, 16, 0.0) == term.misses(0.0)
