"""What divisions.cu measured on a GPU, beside the occupancy and hit rate that `unified_memory` predicts.

    nvcc -O3 -arch=sm_90 -o divisions benchmarks/bypass/divisions.cu && ./divisions > RUN.csv       (on an H200)
    python benchmarks/bypass_divisions.py RUN.csv... -o FILE.csv && gpuopt profile --fit FILE.csv
    python benchmarks/bypass_divisions.py --choices FILE.csv    what the plugin chooses, held out by kernel

One row for every kernel, launch, configuration and run; a percentage counts for the configuration that it asks for.
`sectors` are those that the blocks of an SM ask L1 for in all iterations.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from gpuopt_plugins.unified_memory import decide, predict

from gpuopt_driver.api import Arch, Site, loop_loads, loop_work, sites
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.calibration import regression
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SOURCE = Path(__file__).parent / "bypass" / "divisions_kernels.cu"
COLUMNS = ("kernel", "case", "input", "shared_bytes", "resident_blocks", "blocks", "carveout_percent", "occupancy")
COLUMNS += ("hit_rate", "milliseconds", "iterations", "sectors")
Times = dict[tuple[str, int, int, int], dict[int, float]]  # by kernel, threads, shared bytes, blocks: by percentage


def read(path: Path) -> Times:
    found: Times = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            case = (row["kernel"], int(row["threads"]), int(row["shared"]), int(row["blocks"]))
            found.setdefault(case, {})[int(row["percent"])] = float(row["ms"])
    return found


def launches(times: Times, arch: Arch, columns: int) -> Iterator[tuple[tuple[str, int, int, int], Site, list, float]]:
    """Every measured launch with what the plugin predicts of its divisions, and the sectors that a block asks for."""
    kernels = SOURCE.read_text()
    calls = "".join(
        f"    {name}<<<{arch.sms * blocks}, {threads}, {shared}>>>"
        f"({arch.sms * blocks * threads}, {columns}, p, p, p, q);\n"
        for name, threads, shared, blocks in times
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "launches.cu"
        path.write_text(f"{kernels}int main()\n{{\n    float *p = 0, *q = 0;\n{calls}}}\n")
        unit = parse_unit(path, ParseOptions())
    for kernel in unit.kernels:
        source = unit.files[kernel.span.file]
        loops = loop_loads.loop_loads(kernel, source)
        survey = predict.Survey(loops, loop_work.work(kernel, source, loops))
        mine = [case for case in times if case[0] == kernel.name]
        found = sites(kernel, tuple(unit.launches_of(kernel)), arch, registers=32, static_shared_bytes=0)
        for case, site in zip(mine, found, strict=True):
            known = predict.counts(arch, survey, site)
            assert known is not None, case
            blocks = site.occupancy.blocks
            divisions = list(predict.divisions(arch, loops, known, site, blocks, fewer=True))
            yield case, site, divisions, sum(term.asked for one in known.loops for term in one.terms)


def configuration(arch: Arch, percent: int, default: int, least: int) -> int:
    """What a percentage gives: a hundred is all that there is, and no kernel gets less than a block needs."""
    sizes = arch.shared.configurations
    if percent < 0:
        return default
    return max(least, next((size for size in sizes if size >= percent * max(sizes) / 100), max(sizes)))


def runs_of(path: Path) -> list[regression.Run]:
    """The runs of a table that this script wrote, a division by its bytes of shared memory."""
    found = []
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            resident, blocks = int(row["resident_blocks"]), int(row["blocks"])
            waves = predict.waves_of(blocks, resident)
            run = regression.Run(
                row["case"],
                float(row["occupancy"]),
                float(row["hit_rate"]),
                float(row["milliseconds"]),
                default=not row["carveout_percent"],
                kernel=row["kernel"],
                sectors=float(row["sectors"]),
                division=row["shared_bytes"],
                given=row["input"],
                waves=waves,
                iterations=float(row["iterations"]),
                full=waves * resident / blocks,
            )
            found.append(run)
    return found


def chosen(
    mine: list[regression.Run], arch: Arch, worth: Callable[[regression.Run], float], gain: float
) -> regression.Run:
    """The run under the division that the plugin would choose with this `minimum_gain`."""
    of = {}
    for run in mine:
        shared = int(run.division)
        parts = (run.occupancy, run.hit_rate, worth(run), int(run.waves))
        of[predict.Division(shared, arch.l1_bytes(shared), 0, *parts)] = run
    default = next(division for division, run in of.items() if run.default)
    return of[decide.choose(list(of), default, gain)]


def table(runs: list[regression.Run]) -> None:
    """Times as fast as with the driver's division, every kernel by a regression of the others."""
    cases: dict[str, list[regression.Run]] = {}
    arch = load_arch("h200")
    for run in runs:
        cases.setdefault(run.case, []).append(run)
    print("| minimum_gain | changed | mean (geometric) | at worst | slower by more than 1 % |\n" + "|---" * 5 + "|")
    for gain in (1.0, 1.05, 1.15, 1.25, 1.4, 2.0, math.inf):
        factors: dict[str, float] = {}
        changed = 0
        for kernel in dict.fromkeys(run.kernel for run in runs):
            worth = regression.by_waves([run for run in runs if run.kernel != kernel])
            for case, mine in cases.items():
                if mine[0].kernel == kernel:
                    one = chosen(mine, arch, worth, gain)
                    default = next(run for run in mine if run.default)
                    changed += one is not default
                    factors[case] = default.milliseconds / one.milliseconds
        slower = [f"{case} ({factor:.3f})" for case, factor in factors.items() if factor < 0.99]
        mean = statistics.geometric_mean(factors.values())
        cells = f"{gain} | {changed} of {len(factors)} | {mean:.3f} | {min(factors.values()):.3f}"
        print(f"| {cells} | {', '.join(slower) or 'none'} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--columns", type=int, default=512)
    parser.add_argument("--choices", type=Path, metavar="FILE.csv", help="judge the plugin's choices instead")
    options = parser.parse_args()
    if options.choices:
        table(regression.averaged(runs_of(options.choices)))
        return
    if not options.runs or not options.output:
        parser.error("RUN.csv... and -o FILE.csv, or --choices FILE.csv")
    arch = load_arch("h200")
    runs = [read(path) for path in options.runs]
    lines = [",".join(COLUMNS)]
    for case, site, divisions, asked in launches(runs[0], arch, options.columns):
        name, threads, shared, blocks = case
        default = site.occupancy.shared_configuration
        least = divisions[0].shared_bytes
        for one in divisions:
            percents = [
                percent for percent in runs[0][case] if configuration(arch, percent, default, least) == one.shared_bytes
            ]
            wish = "" if one.shared_bytes == default else str(percents[-1]) if percents else None
            for number, times in enumerate(runs, 1):
                if wish is None:
                    continue
                time = statistics.median_high(times[case][percent] for percent in percents)
                title = f"{name},{name} {threads}x{shared}/{blocks},{number}"
                shares = f"{one.occupancy:.4f},{one.hit_rate:.4f},{time:.5f}"
                work = f"{options.columns},{asked * blocks * options.columns}"
                lines.append(f"{title},{one.shared_bytes},{one.blocks},{blocks},{wish},{shares},{work}")
    options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
