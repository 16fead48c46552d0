"""What divisions.cu measured on a GPU, beside the occupancy and hit rate that `unified_memory` predicts.

    nvcc -O3 -arch=sm_90 -o divisions benchmarks/bypass/divisions.cu && ./divisions > RUN.csv       (on an H200)
    python benchmarks/bypass_divisions.py RUN.csv... -o FILE.csv && gpuopt profile --fit FILE.csv

One row for every kernel, launch, configuration and run; a percentage counts for the configuration that it asks for.
`sectors` are those that the blocks of an SM ask L1 for in all iterations.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gpuopt_plugins.unified_memory import decide

from gpuopt_driver.api import Arch, Site, loop_loads, sites
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SOURCE = Path(__file__).parent / "bypass" / "divisions.cu"
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
    source = SOURCE.read_text()
    kernels = source[: source.index("typedef void")]
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
        loops = loop_loads.loop_loads(kernel, unit.files[kernel.span.file])
        mine = [case for case in times if case[0] == kernel.name]
        found = sites(kernel, tuple(unit.launches_of(kernel)), arch, registers=32, static_shared_bytes=0)
        for case, site in zip(mine, found, strict=True):
            known = decide.counts(arch, loops, site)
            assert known is not None, case
            blocks = site.occupancy.blocks
            divisions = list(decide.divisions(arch, arch.partition, loops, known, site, blocks, fewer=True))
            yield case, site, divisions, sum(term.asked for one in known for term in one.terms)


def configuration(arch: Arch, percent: int, default: int, least: int) -> int:
    """What a percentage gives: a hundred is all that there is, and no kernel gets less than a block needs."""
    sizes = arch.shared.configurations
    if percent < 0:
        return default
    return max(least, next((size for size in sizes if size >= percent * max(sizes) / 100), max(sizes)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--columns", type=int, default=512)
    options = parser.parse_args()
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
