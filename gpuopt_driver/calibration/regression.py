"""Equation 1 of Liang et al. (TCAD 2015) fitted to runs of launches under several divisions of L1 and shared memory.

Perf = b0 + b1 Occ + b2 HitRate + b3 Occ HitRate, where the performance of a run is that of the fastest run of its case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a case: occupancy, hit rate (0 to 1), milliseconds. Cases of a `kernel` are held out together."""

    case: str
    occupancy: float
    hit_rate: float
    milliseconds: float
    default: bool  # under the driver's own division
    kernel: str = ""


def terms(run: Run) -> tuple[float, float, float, float]:
    """What the coefficients are multiplied with."""
    return 1.0, run.occupancy, run.hit_rate, run.occupancy * run.hit_rate


def performance(runs: Sequence[Run]) -> list[float]:
    """Each run's performance relative to the best of its case."""
    best: dict[str, float] = {}
    for run in runs:
        best[run.case] = min(best.get(run.case, run.milliseconds), run.milliseconds)
    return [best[run.case] / run.milliseconds for run in runs]


def fit(runs: Sequence[Run]) -> tuple[float, float, float, float]:
    """The coefficients of least squares (normal equations)."""
    wanted = performance(runs)
    matrix = [[0.0] * 5 for _ in range(4)]
    for run, value in zip(runs, wanted, strict=True):
        row = terms(run)
        for i in range(4):
            for j in range(4):
                matrix[i][j] += row[i] * row[j]
            matrix[i][4] += row[i] * value
    for i in range(4):
        pivot = max(range(i, 4), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        if abs(matrix[i][i]) < 1e-12:
            raise ValueError("the runs do not tell occupancy and hit rate apart: vary both")
        for k in range(4):
            if k != i:
                factor = matrix[k][i] / matrix[i][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i], strict=True)]
    found = [matrix[i][4] / matrix[i][i] for i in range(4)]
    return found[0], found[1], found[2], found[3]


def predicted(coefficients: Sequence[float], run: Run) -> float:
    """Equation 1."""
    return sum(a * b for a, b in zip(coefficients, terms(run), strict=True))


def mean_square_error(coefficients: Sequence[float], runs: Sequence[Run]) -> float:
    """Of predicted against measured performance."""
    pairs = zip(runs, performance(runs), strict=True)
    return sum((predicted(coefficients, run) - value) ** 2 for run, value in pairs) / len(runs)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A case that was left out of the fit: measured performance of the run chosen for it, and of the driver's."""

    case: str
    chosen: float
    default: float


def cross_validated(runs: Sequence[Run]) -> list[HeldOut]:
    """Every case with the run that coefficients fitted to all other cases (of other kernels) choose."""
    found: list[HeldOut] = []
    values = dict(zip(runs, performance(runs), strict=True))
    for case in dict.fromkeys(run.case for run in runs):
        mine = [run for run in runs if run.case == case]
        held = {run.kernel for run in mine if run.kernel}
        coefficients = fit([run for run in runs if run.case != case and run.kernel not in held])
        chosen = max(mine, key=lambda run: (round(predicted(coefficients, run), 9), run.occupancy))
        default = next((run for run in mine if run.default), mine[0])
        found.append(HeldOut(case, values[chosen], values[default]))
    return found
