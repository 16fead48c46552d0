"""What a division of L1 and shared memory is worth, fitted to runs of launches under several divisions. Three forms:

Equation 1 of Liang et al. (TCAD 2015): Perf = b0 + b1 Occ + b2 HitRate + b3 Occ HitRate, where the performance of a run
is relative to the fastest run of its case; where a run says how many instructions and loads it made,
time = a Instructions / Occ + b Sectors (1 - HitRate): latency that warps hide from each other, and what misses L1; and
where it says in how many waves its blocks ran, time^4 = (a Iterations Waves)^4 + (b Sectors (1 - HitRate))^4 +
(c Sectors of full waves)^4: whichever of a wave's latency, what misses L1 and what L1 is asked for takes longest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from gpuopt_driver.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a case: occupancy, hit rate (0 to 1), milliseconds. Cases of a `kernel` are held out together.

    `instructions` of warps, those that the source alone tells (`analysis/loop_work.py`), and `sectors` that loads asked
    L1 for, of the whole launch; 0: not recorded. `division` and `given` name the division and the input: runs of a case
    and division with several inputs are averaged.
    """

    case: str
    occupancy: float
    hit_rate: float
    milliseconds: float
    default: bool  # under the driver's own division
    kernel: str = ""
    instructions: float = 0.0
    source_instructions: float = 0.0
    sectors: float = 0.0
    division: str = ""
    given: str = ""
    waves: float = 0.0  # of blocks, one after another on an SM; 0: not recorded, as the next two
    iterations: float = 0.0  # of a thread's loops
    full: float = 1.0  # blocks that the waves have room for over those that there are
    own: bool = False  # beside the shared memory that the program itself uses, not what was added to vary occupancy


def run_of(row: Mapping[str, str]) -> Run:
    """A row of a table of runs; KeyError and ValueError where it is none."""
    waves: dict[str, float] = {}
    if row.get("blocks") and row.get("resident_blocks") and row.get("iterations"):
        blocks, resident = float(row["blocks"]), float(row["resident_blocks"])
        count = math.ceil(blocks / resident)
        waves = {"waves": count, "iterations": float(row["iterations"]), "full": count * resident / blocks}
    return Run(
        row["case"],
        float(row["occupancy"]),
        float(row["hit_rate"]),
        float(row["milliseconds"]),
        default=not row["carveout_percent"],
        kernel=row.get("kernel", ""),
        instructions=float(row.get("instructions") or 0),
        source_instructions=float(row.get("source_instructions") or 0),
        sectors=float(row.get("sectors") or 0),
        division=row["carveout_percent"],
        given=row.get("input", ""),
        own=row.get("own") == "1",
        **waves,
    )


def averaged(runs: Sequence[Run]) -> list[Run]:
    """One run for every case and division: the mean over inputs, and over repetitions."""
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        found.setdefault((run.case, run.division), []).append(run)
    return [
        replace(
            mine[0],
            default=any(run.default for run in mine),
            given="",
            occupancy=_mean([run.occupancy for run in mine]),
            hit_rate=_mean([run.hit_rate for run in mine]),
            milliseconds=_mean([run.milliseconds for run in mine]),
            instructions=_mean([run.instructions for run in mine]),
            source_instructions=_mean([run.source_instructions for run in mine]),
            sectors=_mean([run.sectors for run in mine]),
        )
        for mine in found.values()
    ]


def by_another_input(runs: Sequence[Run]) -> list[list[float]]:
    """What is chosen by running every division with another input: parts of the best performance of each case.

    One list for every ordered pair of inputs; none where the runs have one input.
    """
    found: list[list[float]] = []
    for mine, other in permutations(dict.fromkeys(run.given for run in runs), 2):
        seen = {(run.case, run.division): run for run in runs if run.given == other}
        parts: list[float] = []
        for case in dict.fromkeys(run.case for run in runs):
            fastest = min((run for run in runs if (run.case, run.given) == (case, mine)), key=_time)
            best = min((run for run in seen.values() if run.case == case), key=_time)
            parts.append(best.milliseconds / seen[case, fastest.division].milliseconds)
        found.append(parts)
    return found


def _time(run: Run) -> float:
    return run.milliseconds


def tied(by_inputs: Sequence[Sequence[float]]) -> float:
    """The part of the best performance from which on divisions are tied: 19 in 20 choices by another input reach it.

    At most 0.99: what is closer than one percent counts as the same everywhere.
    """
    parts = sorted(part for pair in by_inputs for part in pair)
    return min(parts[len(parts) // 20], 0.99) if parts else 0.99


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
    """The coefficients of least squares within cases: divisions of one launch are what is to be compared.

    How far a kernel's runs are apart says more about the kernel than about occupancy and hit rate, so b1 to b3 come
    from what changes inside each case; b0 gives all runs together their mean performance.
    """
    wanted = performance(runs)
    rows = [terms(run)[1:] for run in runs]
    members: dict[str, list[int]] = {}
    for at, run in enumerate(runs):
        members.setdefault(run.case, []).append(at)
    matrix = [[0.0] * 4 for _ in range(3)]
    for mine in members.values():
        middle = [_mean([rows[at][i] for at in mine]) for i in range(3)]
        level = _mean([wanted[at] for at in mine])
        for at in mine:
            row = [value - mean for value, mean in zip(rows[at], middle, strict=True)]
            for i in range(3):
                for j in range(3):
                    matrix[i][j] += row[i] * row[j]
                matrix[i][3] += row[i] * (wanted[at] - level)
    found = _solved(matrix)
    constant = _mean(wanted) - sum(value * _mean([row[i] for row in rows]) for i, value in enumerate(found))
    return constant, found[0], found[1], found[2]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _solved(matrix: list[list[float]]) -> list[float]:
    """The solution of linear equations whose right sides are the last column."""
    size = len(matrix)
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        if abs(matrix[i][i]) < 1e-12:
            raise ValueError("the runs do not tell occupancy and hit rate apart: vary both")
        for k in range(size):
            if k != i:
                factor = matrix[k][i] / matrix[i][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i], strict=True)]
    return [matrix[i][size] / matrix[i][i] for i in range(size)]


def predicted(coefficients: Sequence[float], run: Run) -> float:
    """Equation 1."""
    return sum(a * b for a, b in zip(coefficients, terms(run), strict=True))


def mean_square_error(coefficients: Sequence[float], runs: Sequence[Run]) -> float:
    """Of predicted against measured performance."""
    pairs = zip(runs, performance(runs), strict=True)
    return sum((predicted(coefficients, run) - value) ** 2 for run, value in pairs) / len(runs)


def error_within_cases(coefficients: Sequence[float], runs: Sequence[Run]) -> float:
    """Mean square error of what differs between a case's runs: all that is asked when one of them is chosen."""
    errors: dict[str, list[float]] = {}
    for run, value in zip(runs, performance(runs), strict=True):
        errors.setdefault(run.case, []).append(predicted(coefficients, run) - value)
    return _mean([(one - _mean(mine)) ** 2 for mine in errors.values() for one in mine])


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A case that was left out of the fit: measured performance of the run chosen for it, and of the driver's."""

    case: str
    chosen: float
    default: float
    own: bool = False


MARGIN = 1.05  # by how much the performance predicted for another division must be better than for the driver's
Regression = Callable[[Sequence[Run]], Callable[[Run], float]]  # from runs to what predicts a run's performance


def by_equation_1(runs: Sequence[Run]) -> Callable[[Run], float]:
    """Relative performance by equation 1."""
    coefficients = fit(runs)
    return lambda run: predicted(coefficients, run)


def by_time(runs: Sequence[Run]) -> Callable[[Run], float]:
    """One over the time that the second form predicts."""
    instruction, sector = fit_time(runs)
    return lambda run: 1 / (instruction * _hidden(run) + sector * _missed(run))


def fit_time(runs: Sequence[Run]) -> tuple[float, float]:
    """Milliseconds of an instruction (of a warp that has the GPU's multiprocessors for itself) and of a missed sector.

    Least squares of relative errors; neither is negative.
    """
    if not all(run.instructions > 0 and run.sectors > 0 and run.occupancy > 0 for run in runs):
        raise ValueError("no numbers of instructions and sectors")
    rows = [(_hidden(run) / run.milliseconds, _missed(run) / run.milliseconds) for run in runs]
    (aa, ab, bb) = (sum(x * x for x, _ in rows), sum(x * y for x, y in rows), sum(y * y for _, y in rows))
    a, b = sum(x for x, _ in rows), sum(y for _, y in rows)
    whole = aa * bb - ab * ab
    if whole < 1e-12 * max(aa * bb, 1e-300):
        raise ValueError("the runs do not tell occupancy and hit rate apart: vary both")
    instruction, sector = (a * bb - b * ab) / whole, (b * aa - a * ab) / whole
    if instruction < 0:
        return 0.0, b / bb
    return (instruction, sector) if sector >= 0 else (a / aa, 0.0)


def by_waves(runs: Sequence[Run]) -> Callable[[Run], float]:
    """One over the time that the third form predicts."""
    coefficients = fit_waves(runs)
    return lambda run: 1 / sum((a * b) ** 4 for a, b in zip(coefficients, _of_waves(run), strict=True)) ** 0.25


def fit_waves(runs: Sequence[Run]) -> tuple[float, float, float]:
    """Milliseconds of a wave's iteration, of a sector that misses L1, and of one that full waves ask for (of an SM).

    Least squares of the relative errors of fourth powers; none is negative.
    """
    if not all(run.waves > 0 and run.iterations > 0 and run.sectors > 0 for run in runs):
        raise ValueError("no numbers of waves, iterations and sectors")
    rows = [[(part / run.milliseconds) ** 4 for part in _of_waves(run)] for run in runs]
    products = [[sum(row[i] * row[j] for row in rows) for j in range(3)] for i in range(3)]
    totals = [sum(row[i] for row in rows) for i in range(3)]
    best: tuple[float, list[float]] | None = None
    for size in (3, 2, 1):
        for used in combinations(range(3), size):
            scale = [products[i][i] ** 0.5 or 1.0 for i in used]
            scaled = [
                [products[i][j] / by / other for j, other in zip(used, scale, strict=True)] + [totals[i] / by]
                for i, by in zip(used, scale, strict=True)
            ]
            try:
                solved = _solved(scaled)
            except ValueError:
                continue
            values = [0.0, 0.0, 0.0]
            for at, value, by in zip(used, solved, scale, strict=True):
                values[at] = value / by
            if min(values) < 0:
                continue
            x, y, z = values
            error = sum((x * wave + y * missed + z * asked - 1) ** 2 for wave, missed, asked in rows)
            if best is None or error < best[0]:
                best = error, values
    if best is None:
        raise ValueError("the runs do not tell waves, misses and loads apart")
    x, y, z = (value**0.25 for value in best[1])
    return x, y, z


def _of_waves(run: Run) -> tuple[float, float, float]:
    return run.iterations * run.waves, _missed(run), run.sectors * run.full


def _hidden(run: Run) -> float:
    return run.instructions / run.occupancy


def _missed(run: Run) -> float:
    return run.sectors * (1 - run.hit_rate)


def cross_validated(
    runs: Sequence[Run], margin: float = MARGIN, regression: Regression = by_equation_1
) -> list[HeldOut]:
    """Every case with the run that a regression of all other cases (of other kernels) chooses.

    The driver's division stays where no other one is predicted to be better by `margin`.
    """
    found: list[HeldOut] = []
    values = dict(zip(runs, performance(runs), strict=True))
    fitted: dict[tuple[int, ...], Callable[[Run], float]] = {}  # by which runs: the same for all cases of a kernel
    for case in dict.fromkeys(run.case for run in runs):
        mine = [run for run in runs if run.case == case]
        held = {run.kernel for run in mine if run.kernel}
        others = tuple(at for at, run in enumerate(runs) if run.case != case and run.kernel not in held)
        if others not in fitted:
            fitted[others] = regression([runs[at] for at in others])
        worth = fitted[others]
        chosen = max(mine, key=lambda run: (_figures(worth(run)), run.occupancy))
        default = next((run for run in mine if run.default), mine[0])
        if worth(chosen) < margin * worth(default):
            chosen = default
        found.append(HeldOut(case, values[chosen], values[default], mine[0].own))
    return found


def _figures(value: float) -> float:
    """Nine figures of a value: what differs by less is equal."""
    return float(f"{value:.9g}")
