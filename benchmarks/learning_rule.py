"""What the rule of learning dispatch does, simulated: time lost, launches until it is settled, wrong choices.

    python benchmarks/learning_rule.py                    # tables for docs/learning.md (two minutes, no GPU)
    python benchmarks/learning_rule.py --plot FILE.svg    # docs/learning-regret.svg, too
    python benchmarks/learning_rule.py --pairs original   # the same with candidates beside the original, not the leader

The rule is `learner.h` itself, compiled for the host (`learning/rule.cpp`). Arms are those of real kernels, as
measured on a GPU (`learning/recorded.json`), and random sets of them. The original, the best arm and what was
learned meet the same noise, launch by launch.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.learning.student import STUDENT

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parent / "gpuopt_driver" / "learning"
MOST_ARMS = 15
_BESIDE = "now.arm = (int)other; now.reference = (int)take;"  # of learner.h


@dataclass(frozen=True)
class Setting:
    """What disturbs the times of a row of the table."""

    name: str
    noise: float = 0.02
    drift: float = 0.0
    shared: float = 0.0
    late: int = 16
    budget: float = 0.01
    launches: int = 1000
    runs: int = 3
    held_up: float = 1.0  # how many times as long the first launch of the best arm takes


SETTINGS = (
    Setting("1 % noise", noise=0.01),
    Setting("2 % noise"),
    Setting("5 % noise", noise=0.05),
    Setting("known at once", late=1),
    Setting("known 300 launches later", late=300),
    Setting("drift of 5 %", drift=0.05),
    Setting("another kernel half of the time", shared=0.5),
    Setting("all of these", noise=0.05, drift=0.05, shared=0.5, late=300),
)


@dataclass(frozen=True)
class Kernel:
    """Times of a kernel: of the original, and of each arm divided by it; whether the first is the model's choice."""

    ns: float
    ratios: tuple[float, ...]
    expected: bool


FEW = (  # programs with few launches, or that wait for none before the last is on its way: ns, arms, launches, late
    ("2 launches of 0.09 ms", 9e4, (0.5,), 2, 1),
    ("2 of 0.9 ms", 9e5, (0.5,), 2, 1),
    ("9 of 0.1 ms, none waited for", 1e5, (2.6, 0.69, 2.6), 9, 9),
    ("200 of 0.6 ms, none waited for", 6e5, (0.66, 0.63, 0.46), 200, 200),
    ("1000 of 0.02 ms, none waited for", 2e4, (0.8, 1.5, 0.95), 1000, 1000),
)


@dataclass(frozen=True)
class Result:
    """One run of a program."""

    run: int
    speed: float  # time of the original / what was learned, tries included
    of_best: float  # time of the best arm / what was learned
    at_200: float  # best arm / leader
    at_end: float
    settled: bool
    settled_at: int
    leader: float  # time of the leader / of the original
    lost: float
    allowed: float
    beyond: float
    arms: int
    looked: int  # launches that did not go by at once
    regret: tuple[float, ...]  # time so far / time of the best arm, at SHOWN launches


SHOWN = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


def recorded() -> list[Kernel]:
    """The kernels that were measured, in an order of arms that knows nothing."""
    numbers = random.Random(36)
    made = []
    for point in json.loads((HERE / "learning" / "recorded.json").read_text())["points"]:
        gains = point["gains"][:MOST_ARMS]
        numbers.shuffle(gains)
        chosen = abs(math.log(point["model"])) > 0.02
        if chosen:  # the models took the arm of this gain
            first = min(gains, key=lambda gain: abs(math.log(gain / point["model"])))
            gains.insert(0, gains.pop(gains.index(first)))
        made.append(Kernel(point["plain_ns"], tuple(1 / gain for gain in gains), chosen))
    return made


def random_kernels(count: int, seed: int) -> list[Kernel]:
    """Random sets of arms with gains like those that were measured; kernels of 2 us to 50 ms."""
    numbers, known = random.Random(seed), recorded()
    ratios = [ratio for kernel in known for ratio in kernel.ratios]
    counts = [len(kernel.ratios) for kernel in known if kernel.ratios]
    return [
        Kernel(
            2e3 * 25e3 ** numbers.random(),
            tuple(numbers.choice(ratios) * math.exp(numbers.gauss(0, 0.01)) for _ in range(numbers.choice(counts))),
            numbers.random() < 0.3,
        )
        for _ in range(count)
    ]


def build(directory: Path, *, pairs: str = "leader", compiler: str = "g++", extra: Sequence[str] = ()) -> Path:
    """The simulation; `pairs`: what candidates are measured beside, the leader as in programs, or the original."""
    header = (HEADERS / "learner.h").read_text()
    if pairs == "original":
        if header.count(_BESIDE) != 1:
            raise SystemExit(f"learner.h has no line {_BESIDE!r} any more: say in learning_rule.py what it is now")
        header = header.replace(_BESIDE, "if (other) take = 0; " + _BESIDE)
    (directory / "learner.h").write_text(header)
    named = f"-DGPUOPT_RT_STUDENT={', '.join(map(str, STUDENT))}"
    source, built = HERE / "learning" / "rule.cpp", directory / "rule"
    subprocess.run(
        [compiler, "-O2", "-std=c++11", named, f"-I{directory}", *extra, str(source), "-o", str(built)], check=True
    )
    return built


def simulate(program: Path, kernels: Iterable[Kernel], setting: Setting, *, seeds: int = 1) -> list[Result]:
    """Runs of each kernel under a setting."""
    lines = []
    for number, kernel in enumerate(kernels):
        for seed in range(seeds):
            figures = (
                setting.launches, setting.runs, setting.noise, setting.drift, setting.shared, setting.late,
                setting.budget, setting.held_up, 1 + number * seeds + seed, kernel.ns, int(kernel.expected),
                *kernel.ratios,
            )  # fmt: skip
            lines.append(" ".join(map(str, ("k", *figures))))
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [_result(line) for line in done.stdout.splitlines()]


def _result(line: str) -> Result:
    figures, regret = line.split(" :")
    run, *numbers, arms, looked = figures.split()[1:]
    speed, best, at_200, at_end, settled, settled_at, leader, lost, allowed, beyond = map(float, numbers)
    return Result(
        int(run), speed, best, at_200, at_end, bool(settled), int(settled_at), leader, lost, allowed, beyond,
        int(arms), int(looked), tuple(map(float, regret.split())),
    )  # fmt: skip


def mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0


def slower(results: Iterable[Result]) -> list[Result]:
    """Runs that end with an accepted arm that is truly slower than the original."""
    return [one for one in results if one.leader > 1]


def row(name: str, results: Sequence[Result]) -> str:
    """A line of the table: figures of first runs, and of what is known after the third."""
    first = [one for one in results if one.run == 0]
    last = [one for one in results if one.run == max(other.run for other in results)]
    least = min(one.speed for one in results)
    lost = sum(one.speed < 0.99 for one in results) / len(results)
    missed = sum(one.at_end < 0.98 for one in last) / len(last)
    settled = [sum(one.settled for one in some) / len(some) for some in (first, last)]
    when = sorted(one.settled_at if one.settled_at >= 0 else 10**9 for one in first)[len(first) // 2]
    figures = (
        f"{mean(one.speed for one in first):.3f}",
        f"{mean(one.of_best for one in first):.3f}",
        f"{least:.4f}",
        f"{lost:.4f}",
        f"{mean(one.at_200 for one in first):.3f}",
        f"{mean(one.at_end for one in first):.3f}",
        f"{mean(one.at_end for one in last):.3f}",
        str(when) if when < 10**9 else "later",
        *(f"{one:.2f}" for one in settled),
        f"{len(slower(last))} of {len(last)}",
        f"{missed:.3f}",
    )
    return f"| {' | '.join((name, *figures))} |"


HEAD = (
    "| disturbed by | run 1 | of best | least of all runs | runs under 0.99 | at 200 | at 1000 "
    "| run 3 | settled after | settled, run 1 | run 3 | slower than the original | under 0.98 |\n" + 13 * "|---" + "|"
)


def table(program: Path, kernels: Sequence[Kernel], *, seeds: int) -> None:
    """Prints a row for each setting."""
    print(HEAD)
    for setting in SETTINGS:
        print(row(setting.name, simulate(program, kernels, setting, seeds=seeds)), flush=True)
    print(f"\nbest arm / original: {mean(min((1.0, *one.ratios)) for one in kernels):.3f}\n")


def few_launches(program: Path, *, seeds: int) -> None:
    """Prints speed-ups over the original in each of eight runs, tries included, and what the best arm would reach."""
    print(f"| launches | {' | '.join(f'run {run}' for run in range(1, 9))} | best |\n|{'---|' * 10}")
    for name, ns, ratios, launches, late in FEW:
        kernel = Kernel(ns, ratios, expected=False)
        results = simulate(program, [kernel], Setting("", 0.01, launches=launches, late=late, runs=8), seeds=seeds)
        speeds = [mean(one.speed for one in results if one.run == run) for run in range(8)]
        print(f"| {name} | {' | '.join(f'{speed:.2f}' for speed in speeds)} | {1 / min(kernel.ratios):.2f} |")


def plot(program: Path, kernels: Sequence[Kernel], path: Path) -> None:
    """The mean of time so far / time of the best arm over launches."""
    lines = []
    for noise in (0.01, 0.02, 0.05):
        setting = Setting("", noise=noise, launches=10000, runs=1)
        results = simulate(program, kernels, setting)
        at = [mean(one.regret[i] for one in results) for i in range(len(SHOWN))]
        lines.append((f"{noise:.0%} noise", at))
    path.write_text(drawn(lines))


def drawn(lines: Sequence[tuple[str, Sequence[float]]]) -> str:
    """A plot as SVG; readers' colours for dark pages."""
    width, height, left, top, right, bottom = 560, 340, 60, 20, 20, 45
    high = max(value for _, values in lines for value in values)

    def x(count: float) -> float:
        return left + (width - left - right) * math.log10(count / 10) / 3

    def y(value: float) -> float:
        return height - bottom - (height - top - bottom) * (value - 1) / (high - 1)

    parts = []
    for count in (10, 100, 1000, 10000):
        parts.append(f'<text x="{x(count):.0f}" y="{height - 26}" text-anchor="middle">{count}</text>')
        parts.append(f'<path class="axis" d="M{x(count):.1f} {top}V{height - bottom}"/>')
    step = 0.05 if high < 1.3 else 0.1
    for number in range(int((high - 1) / step) + 1):
        value = 1 + number * step
        parts.append(f'<text x="{left - 6}" y="{y(value) + 4:.0f}" text-anchor="end">{value:.2f}</text>')
        parts.append(f'<path class="axis" d="M{left} {y(value):.1f}H{width - right}"/>')
    for number, (name, values) in enumerate(lines):
        points = "L".join(f"{x(count):.1f} {y(value):.1f}" for count, value in zip(SHOWN, values, strict=True))
        parts.append(f'<path class="s{number}" d="M{points}"/>')
        parts.append(f'<text class="s{number}" x="{width - right - 90}" y="{top + 16 + 16 * number}">{name}</text>')
    parts.append(f'<text x="{(left + width - right) / 2:.0f}" y="{height - 8}" text-anchor="middle">launches</text>')
    title = "Time of all launches so far / time of the best version"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">
<style>
:root {{ --ink: #1b1f24; --faint: #d8dee4; --c0: #1f6feb; --c1: #bf5700; --c2: #1a7f37 }}
@media (prefers-color-scheme: dark) {{
:root {{ --ink: #e6edf3; --faint: #3d444d; --c0: #6cb6ff; --c1: #f0883e; --c2: #57ab5a }} }}
svg {{ max-width: 100%; height: auto; font: 12px system-ui, sans-serif }}
svg text {{ fill: var(--ink) }} svg path {{ fill: none; stroke-width: 1.5 }}
svg .axis {{ stroke: var(--faint); stroke-width: 1 }}
svg path.s0 {{ stroke: var(--c0) }} svg path.s1 {{ stroke: var(--c1) }} svg path.s2 {{ stroke: var(--c2) }}
svg text.s0 {{ fill: var(--c0) }} svg text.s1 {{ fill: var(--c1) }} svg text.s2 {{ fill: var(--c2) }}
</style>
<title>{title}</title>
{chr(10).join(parts)}
</svg>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", choices=("leader", "original"), default="leader")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--random", type=int, default=2000, help="random sets of arms")
    parser.add_argument("--seeds", type=int, default=20, help="runs of each recorded kernel, with other noise")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory), pairs=arguments.pairs)
        if arguments.plot:
            plot(program, recorded(), arguments.plot)
        print(f"{len(recorded())} kernels as they were measured, {arguments.seeds} times each\n")
        table(program, recorded(), seeds=arguments.seeds)
        print(f"{arguments.random} random sets of arms, kernels of 2 us to 50 ms\n")
        table(program, random_kernels(arguments.random, 1), seeds=1)
        print(f"programs with few launches, 1 % noise, {2 * arguments.seeds} times each\n")
        few_launches(program, seeds=2 * arguments.seeds)


if __name__ == "__main__":
    sys.exit(main())
