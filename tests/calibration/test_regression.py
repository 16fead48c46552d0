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
    assert seen == [{"b", "c"}, {"a", "c"}, {"a", "b"}]  # both cases of `a` by one regression


def test_runs_without_counts_or_differences_are_refused() -> None:
    with pytest.raises(ValueError, match="no numbers of instructions"):
        regression.fit_time([dataclasses.replace(RUNS[0], instructions=0)])
    with pytest.raises(ValueError, match="vary both"):
        regression.fit_time([RUNS[0], RUNS[0]])


def with_inputs(*times: tuple[float, float]) -> list[Run]:
    """Two divisions of a case, each with an input for every pair of times."""
    return [
        Run("a 0", 1.0, 0.5, both[at], default=not at, division=str(at), given=str(number))
        for number, both in enumerate(times)
        for at in (0, 1)
    ]


def test_inputs_are_averaged_and_judge_each_other() -> None:
    runs = with_inputs((1.0, 2.0), (1.0, 0.8))
    assert [(run.milliseconds, run.division, run.given) for run in regression.averaged(runs)] == [
        (1.0, "0", ""),
        (1.4, "1", ""),
    ]
    assert regression.by_another_input(runs) == [[0.8], [0.5]]  # each one's best division, run with the other
    assert regression.by_another_input(with_inputs((1.0, 2.0))) == []


def test_what_another_input_loses_is_a_tie() -> None:
    assert regression.tied([[1.0] * 18 + [0.9], [1.0] * 18 + [0.97, 0.98, 0.99]]) == 0.98
    assert regression.tied([]) == 0.99


def of_waves(resident: int, blocks: int, hit: float) -> Run:
    """A run whose time is that of waves of blocks: 3 an iteration, 0.2 a missed sector, 0.05 one asked for."""
    waves = -(-blocks // resident)
    full = waves * resident / blocks
    parts = (3 * 10 * waves, 0.2 * 100 * blocks * (1 - hit), 0.05 * 100 * blocks * full)
    time = sum(part**4 for part in parts) ** 0.25
    case = f"{blocks}"
    return Run(
        case, resident / 8, hit, time, resident == 8, sectors=100 * blocks, waves=waves, iterations=10, full=full
    )


def test_the_third_form_finds_what_made_the_runs() -> None:
    runs = [of_waves(resident, blocks, 0.9 - 0.1 * resident) for blocks in (8, 12, 30) for resident in (1, 2, 3, 5, 8)]
    assert regression.fit_waves(runs) == pytest.approx((3, 0.2, 0.05))
    held_out = regression.cross_validated(runs, 1.0, regression.by_waves)
    assert [one.chosen for one in held_out] == pytest.approx([1.0] * 3)
    assert regression.fit_waves([of_waves(8, blocks, 1.0) for blocks in (8, 16, 24)])[1] == 0  # nothing misses
    with pytest.raises(ValueError, match="no numbers of waves"):
        regression.fit_waves(RUNS)
