"""The emulator's model beside hardware counters: requests, sectors, hit rates, L2 reads, signs of effects, time.

    python benchmarks/model_accuracy.py [--work DIR] [--most-sectors N] [--program NAME]... [--jobs N] [--rows]

Reads a CSV file of ground_truth.py, builds and runs the same programs on the emulator (GPUOPT_EMU_MODE=model, with the
carve-outs and with an empty L2 at each launch, as ncu has it) and compares launch by launch. Reports are kept in DIR
and used again; --fresh runs all. Exit status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock

from ground_truth import Case, compile_case, short_cases
from polybench_gpu import LATER_CUDA

from gpuopt_driver.report.columns import table
from gpuopt_driver.report.emulated import Launch, read_emulated
from gpuopt_driver.report.plots import Point, scatter, standalone

HERE = Path(__file__).resolve().parent
FILL = "fill"  # the examples' kernel that writes input data
EFFECT = 0.10  # a build or carve-out has an effect on L2 reads where it changes them by more; runs differ by less


@dataclass(frozen=True)
class Row:
    """One launch, measured and modelled."""

    case: Case
    kernel: str
    grid: str
    measured: dict[str, float]
    modelled: Launch

    def hit_rates(self) -> tuple[float, float]:
        """Measured and modelled L1 hit rate of loads, in percent."""
        measured = self.measured["l1_load_hits"] / self.measured["l1_load_sectors"]
        return 100 * measured, 100 * self.modelled.figure("l1_load_hit_rate")

    def error(self, measured: str, modelled: str) -> float:
        """Relative error of a count, in percent."""
        truth = self.measured[measured]
        return 100 * (self.modelled.figure(modelled) - truth) / truth


# Columns of a suite's file, whose programs are built as they are and take no arguments, by their names here.
SUITE_COLUMNS = {
    "l1_load_requests": "ld_requests",
    "l1_load_sectors": "ld_sectors",
    "l1_load_hits": "ld_sector_hits",
    "l2_tex_read_sectors": "l2_read_sectors",
    "ncu_time_ns": "time_ns",
}


def read_rows(path: Path) -> dict[Case, list[dict[str, str]]]:
    """The CSV file's rows by case, in launch order; also of a file that has no builds."""
    cases: dict[Case, list[dict[str, str]]] = {}
    with path.open(newline="") as file:
        for read in csv.DictReader(file):
            renamed = {} if "build" in read else {ours: read[theirs] for ours, theirs in SUITE_COLUMNS.items()}
            row = {**read, **renamed}
            case = Case(row["program"], row.get("build", "plain"), row.get("arguments", ""), row.get("carveout", ""))
            cases.setdefault(case, []).append(row)
    return cases


def suite_source(directory: Path, program: str) -> Path:
    """The one .cu file of a program's directory."""
    found = sorted((directory / program).glob("*.cu"))
    if len(found) != 1:
        raise SystemExit(f"{directory / program}: {len(found)} .cu files; one was expected")
    return found[0]


@dataclass(frozen=True)
class Setup:
    """How programs are modelled: the GPU, where builds and reports are kept, where a suite's sources are."""

    gpu: str
    work: Path
    suite: Path | None
    fresh: bool
    builds: dict[Path, Lock] = field(default_factory=lambda: defaultdict(Lock))

    def source(self, case: Case) -> Path | None:
        """The source of a suite's program; None for our own."""
        mine = self.suite and (self.suite / case.program).is_dir()
        return suite_source(self.suite, case.program) if self.suite and mine else None


def build(case: Case, program: Path, setup: Setup) -> None:
    """Make the emulated program of a case where it is not there yet."""
    known = program in setup.builds
    with setup.builds[program]:
        if not program.exists() or (setup.fresh and not known):
            driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator"]
            source = setup.source(case)
            more = ["-w", *LATER_CUDA] if source else []
            compile_case(case, program, [*driver, f"--gpuopt-gpu={setup.gpu}"], more, source=source)


def modelled(case: Case, kernels: Sequence[str], setup: Setup) -> list[Launch]:
    """The first launch of each kernel of a case, modelled. `kernels`: of `patterns`, which ones to run."""
    gpu, work, fresh = setup.gpu, setup.work, setup.fresh
    program = setup.work / f"{case.program}-{case.build}"
    name = "_".join(filter(None, (program.name, *case.arguments.split(), f"c{case.carveout}" if case.carveout else "")))
    chosen = kernels if case.program == "patterns" else ()
    report = work / f"{name}{f'_{len(chosen)}' if chosen else ''}.json"
    if not report.exists() or fresh:
        build(case, program, setup)
        settings = {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report)}
        settings |= {"GPUOPT_EMU_L2": "cold", "GPUOPT_EMU_LAUNCHES": "1", "GPUOPT_EMU_CARVEOUT": case.carveout}
        last = [*chosen, "--no-check"] if case.program == "patterns" else ["1", "--no-check"]
        argv = [str(program), *case.arguments.split(), *([] if setup.source(case) else last)]
        kept = {key: value for key, value in settings.items() if value}
        begin = time.perf_counter()
        done = subprocess.run(argv, env={**os.environ, **kept}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.stderr.strip() or done.stdout.strip()}")
        print(f"{name}: {time.perf_counter() - begin:.1f} s", file=sys.stderr, flush=True)
    first: dict[str, Launch] = {}
    for launch in read_emulated(str(report)).launches:
        if not launch.kernel.startswith(FILL):
            first.setdefault(launch.kernel, launch)
    return sorted(first.values(), key=lambda launch: launch.index)


def paired(case: Case, rows: Sequence[dict[str, str]], launches: Sequence[Launch]) -> Iterator[Row]:
    """Measured and modelled launches, in order; they must be of the same grids."""
    if len(rows) != len(launches):
        raise SystemExit(f"{case}: {len(rows)} kernels measured, {len(launches)} modelled")
    for row, launch in zip(rows, launches, strict=True):
        grid = tuple(int(part) for part in row["grid"].strip("()").split(","))
        if grid != launch.grid:
            raise SystemExit(f"{case}: {row['kernel']} has grid {grid}, {launch.title} was modelled")
        numbers = {key: float(value) for key, value in row.items() if value.replace(".", "", 1).isdigit()}
        yield Row(case, row["kernel"], row["grid"], numbers, launch)


@dataclass(frozen=True)
class Goal:
    """One figure of the summary: over how many launches, and whether it is where it should be."""

    name: str
    value: float
    unit: str
    over: int
    goal: str
    reached: bool


def goals(rows: Sequence[Row]) -> list[Goal]:
    """The summary."""
    loads = [row for row in rows if row.measured.get("l1_load_sectors")]
    requests = [row.error("l1_load_requests", "l1_load_requests") for row in loads]
    sectors = [row.error("l1_load_sectors", "l1_load_sectors") for row in loads]
    hits = [abs(model - truth) for truth, model in (row.hit_rates() for row in loads)]
    l2 = [abs(row.error("l2_tex_read_sectors", "l2_read_sectors")) for row in loads if l2_reads(row) >= 1000]
    below = [abs(truth - model) for row in loads if l2_reads(row) >= 1000 for truth, model in l2_hit_rates(row)]
    dram = [abs(row.error("dram_read_bytes", "dram_read_bytes")) for row in loads if dram_bytes(row) >= 1e6]
    signs = effects(rows)
    rank = spearman([(row.measured["sm_cycles"], row.modelled.figure("cycles")) for row in rows])
    right = 100 * sum(signs) / max(len(signs), 1)
    within = [100 * sum(abs(error) <= 1 for error in errors) / len(errors) for errors in (requests, sectors)]
    return [
        Goal("requests: launches within 1 %", within[0], "%", len(loads), "100 %", within[0] == 100),
        Goal("sectors: launches within 1 %", within[1], "%", len(loads), "100 %", within[1] == 100),
        Goal("L1 hit rate: mean absolute error", mean(hits), "points", len(hits), "at most 4", mean(hits) <= 4),
        Goal("L2 reads: mean absolute error", mean(l2), "%", len(l2), "at most 10", mean(l2) <= 10),
        Goal("L2 reads: median absolute error", median(l2), "%", len(l2), "", True),
        Goal("L2 hit rate of reads: mean absolute error", mean(below), "points", len(below), "", True),
        Goal("bytes read from DRAM: mean absolute error", mean(dram), "%", len(dram), "", True),
        Goal("sign of an effect on L2 reads", right, "%", len(signs), "at least 90", right >= 90 or not signs),
        Goal("rank correlation of cycles", rank, "", len(rows), "at least 0.9", rank >= 0.9),
    ]


def l2_reads(row: Row) -> float:
    """Sectors that L1 caches asked of L2, measured."""
    return row.measured["l2_tex_read_sectors"]


def l2_hit_rates(row: Row) -> Iterator[tuple[float, float]]:
    """Measured and modelled L2 hit rate of what L1 caches read, in percent, where it was measured."""
    if "l2_tex_read_hits" in row.measured:
        truth = min(row.measured["l2_tex_read_hits"] / l2_reads(row), 1)  # requests that were merged count, too
        yield 100 * truth, 100 * row.modelled.figure("l2_read_hits") / max(row.modelled.figure("l2_read_sectors"), 1)


def dram_bytes(row: Row) -> float:
    """Bytes read from DRAM, measured; 0 where they were not."""
    return row.measured.get("dram_read_bytes", 0.0)


def effects(rows: Sequence[Row]) -> list[bool]:
    """Whether the model has the sign right, for each build or carve-out that changes a plain launch's L2 reads."""
    plain = {
        (row.case.program, row.case.arguments, base(row.kernel)): row
        for row in rows
        if row.case.build == "plain" and not row.case.carveout
    }
    right = []
    for row in rows:
        reference = plain.get((row.case.program, row.case.arguments, base(row.kernel)))
        if reference is None or reference is row or l2_reads(reference) < 1000:
            continue
        truth = l2_reads(row) / l2_reads(reference) - 1
        model = row.modelled.figure("l2_read_sectors") / max(reference.modelled.figure("l2_read_sectors"), 1) - 1
        if abs(truth) > EFFECT:
            right.append(truth * model > 0)
    return right


def base(kernel: str) -> str:
    """A kernel's name without its version's."""
    return kernel.partition("__gpuopt_")[0]


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def median(values: Sequence[float]) -> float:
    """The middle value; 0 of nothing."""
    return sorted(values)[len(values) // 2] if values else 0.0


def spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's rank correlation; equal values share their mean rank."""
    xs, ys = (ranks([pair[axis] for pair in pairs]) for axis in (0, 1))
    mx, my = mean(xs), mean(ys)
    covariance = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    spread = (sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys)) ** 0.5
    return covariance / spread if spread else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 0."""
    order = sorted(values)
    places: dict[float, list[int]] = {}
    for place, value in enumerate(order):
        places.setdefault(value, []).append(place)
    return [mean([float(place) for place in places[value]]) for value in values]


def row_lines(rows: Iterable[Row]) -> list[str]:
    """Every launch with its errors."""
    header = ("program", "arguments", "build", "carve-out", "kernel", "requests", "sectors", "L1 hits", "model")
    return table((*header, "L2 reads", "us", "modelled us"), (_cells(row) for row in rows))


def _cells(row: Row) -> tuple[str, ...]:
    case = row.case
    names = (case.program, case.arguments, case.build, case.carveout, base(row.kernel))
    time_us = (f"{row.measured['ncu_time_ns'] / 1e3:.1f}", f"{row.modelled.figure('time_ns') / 1e3:.1f}")
    if not row.measured.get("l1_load_sectors"):
        return (*names, "", "", "", "", "", *time_us)
    truth, model = row.hit_rates()
    errors = (row.error(key, key) for key in ("l1_load_requests", "l1_load_sectors"))
    l2 = row.error("l2_tex_read_sectors", "l2_read_sectors") if l2_reads(row) else 0.0
    return (*names, *(f"{error:+.1f} %" for error in errors), f"{truth:.1f}", f"{model:.1f}", f"{l2:+.0f} %", *time_us)


def plots(rows: Sequence[Row], directory: Path) -> None:
    """Three plots, modelled over measured."""
    loads = [row for row in rows if row.measured.get("l1_load_sectors")]

    def label(row: Row) -> str:
        case = row.case
        return " ".join(filter(None, (case.program, case.arguments, case.build, case.carveout, base(row.kernel))))

    def series(row: Row) -> int:
        return 0 if row.case.program == "patterns" else 1 if row.case.build == "plain" else 2

    made = {
        "hit-rate": scatter(
            [Point(*row.hit_rates(), label(row), series(row)) for row in loads],
            ("L1 hit rate measured, %", "modelled, %"),
            "L1 hit rates of loads",
        ),
        "l2-reads": scatter(
            [Point(l2_reads(row), row.modelled.figure("l2_read_sectors"), label(row), series(row)) for row in loads],
            ("L2 read sectors measured", "modelled"),
            "sectors read from L2",
            logarithmic=True,
        ),
        "cycles": scatter(
            [Point(row.measured["sm_cycles"], row.modelled.figure("cycles"), label(row), series(row)) for row in rows],
            ("cycles measured", "modelled"),
            "cycles",
            logarithmic=True,
        ),
    }
    directory.mkdir(parents=True, exist_ok=True)
    for name, svg in made.items():
        (directory / f"model-accuracy-{name}.svg").write_text(standalone(svg), encoding="utf-8")


def _small_enough(case: Case, measured: list[dict[str, str]], most: float) -> list[dict[str, str]]:
    """The rows of a case that can be modelled; the kernels of `patterns` can be run one by one, those of others not.

    Cases that were made short for this purpose always can.
    """
    sectors = [float(row["l1_load_sectors"]) for row in measured]
    if case.program == "patterns":
        return [row for row, count in zip(measured, sectors, strict=True) if count <= most]
    return measured if sum(sectors) <= most or case in short_cases() else []


def all_modelled(
    wanted: Mapping[Case, Sequence[dict[str, str]]], setup: Setup, jobs: int
) -> list[tuple[Case, list[Launch]]]:
    """The launches of every case, `jobs` at once; those that load most come first, the result is in order."""

    def load(case: Case) -> float:
        return sum(float(row["l1_load_sectors"]) for row in wanted[case])

    with ThreadPoolExecutor(jobs) as pool:
        kernels = {case: [row["kernel"] for row in measured] for case, measured in wanted.items()}
        begun = {
            case: pool.submit(modelled, case, kernels[case], setup) for case in sorted(wanted, key=load, reverse=True)
        }
        return [(case, begun[case].result()) for case in wanted]


def main() -> int:
    """Run what is to be run, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counters", type=Path, nargs="*", help="CSV files; default: ground_truth/h200.csv")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument(
        "--work", type=Path, default=Path("build/model-accuracy"), help="where builds and reports are kept"
    )
    parser.add_argument("--most-sectors", type=float, default=25e6, help="leave out what loads more")
    parser.add_argument("--program", action="append", help="only these programs")
    parser.add_argument(
        "--suite", type=Path, metavar="DIR", help="programs of which there is a DIR/PROGRAM have their source there"
    )
    parser.add_argument("--arguments", default="*", metavar="GLOB", help="only cases with such arguments")
    parser.add_argument("--jobs", type=int, default=1, help="cases modelled at once")
    parser.add_argument("--fresh", action="store_true", help="build and run again")
    parser.add_argument("--rows", action="store_true", help="print every launch")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="write plots there")
    options = parser.parse_args()
    setup = Setup(options.gpu, options.work.resolve(), options.suite, options.fresh)
    counters = options.counters or [HERE / "ground_truth/h200.csv"]
    read = [item for path in counters for item in read_rows(path).items()]
    wanted = {case: _small_enough(case, measured, options.most_sectors) for case, measured in read}
    wanted = {
        case: measured
        for case, measured in wanted.items()
        if measured and fnmatchcase(case.arguments, options.arguments)
        if not options.program or case.program in options.program
    }
    rows = [
        row
        for case, launches in all_modelled(wanted, setup, options.jobs)
        for row in paired(case, wanted[case], launches)
    ]
    if not rows:
        raise SystemExit("nothing is left to compare")
    summary = goals(rows)
    if options.rows:
        print("\n".join(row_lines(rows)), end="\n\n")
    if options.json:
        print(json.dumps([vars(goal) for goal in summary], indent=1))
    else:
        cells = (
            (g.name, f"{g.value:.3g} {g.unit}", str(g.over), g.goal, "" if g.reached else "missed") for g in summary
        )
        print("\n".join(table(("figure", "value", "launches", "goal", ""), cells)))
    if options.plots:
        plots(rows, options.plots)
    return 0 if all(goal.reached for goal in summary) else 1


if __name__ == "__main__":
    sys.exit(main())
