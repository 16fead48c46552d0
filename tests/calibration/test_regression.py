"""Regressions of divisions of L1: they find what made the runs, and hold a kernel out with all its cases."""

from __future__ import annotations

import dataclasses

import pytest

from gpuopt_driver.calibration import regression
from gpuopt_driver.calibration.regression import Run


def made(kernel: str, instructions: float, sectors: float, hits: tuple[float, float, float]) -> list[Run]:
    """Runs under three divisions whose time is 2 per instruction and occupancy, and 30 per missed sector."""
    return [
        Run(
            f"{kernel} {sectors:g}",
            occupancy,
            hit,
            2 * instructions / occupancy + 30 * sectors * (1 - hit),
            default=occupancy == 1,
            kernel=kernel,
            instructions=instructions,
            sectors=sectors,
        )
        for occupancy, hit in zip((1.0, 0.5, 0.25), hits, strict=True)
    ]


RUNS = [
    *made("a", 100, 10, (0.1, 0.5, 0.9)),
    *made("a", 100, 90, (0.1, 0.5, 0.9)),
    *made("b", 50, 40, (0.3, 0.4, 0.8)),
    *made("c", 70, 9, (0.2, 0.2, 0.2)),
]


def test_the_second_form_finds_what_made_the_runs() -> None:
    assert regression.fit_time(RUNS) == pytest.approx((2, 30))
    for margin in (1.0, regression.MARGIN):
        held_out = regression.cross_validated(RUNS, margin, regression.by_time)
        assert [one.chosen for one in held_out] == [1.0] * 4
    assert [one.default for one in held_out] != [1.0] * 4


def test_no_coefficient_is_negative() -> None:
    odd = [dataclasses.replace(run, milliseconds=run.instructions / run.occupancy - run.sectors / 4) for run in RUNS]
    instruction, sector = regression.fit_time(odd)
    assert instruction > 0
    assert sector == 0


def test_a_kernel_is_held_out_with_all_its_cases() -> None:
    seen: list[set[str]] = []

    def remembers(runs: object) -> object:
        seen.append({run.kernel for run in runs})  # type: ignore[attr-defined]
        return lambda run: 1.0

    regression.cross_validated(RUNS, 1.0, remembers)  # type: ignore[arg-type]
    assert seen == [{"b", "c"}, {"b", "c"}, {"a", "c"}, {"a", "b"}]


def test_runs_without_counts_or_differences_are_refused() -> None:
    with pytest.raises(ValueError, match="no numbers of instructions"):
        regression.fit_time([dataclasses.replace(RUNS[0], instructions=0)])
    with pytest.raises(ValueError, match="vary both"):
        regression.fit_time([RUNS[0], RUNS[0]])
