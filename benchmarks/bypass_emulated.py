"""The bypassing paper's experiment (figure 6, table IV) on an emulated GTX 680 with 16, 32 and 48 KB of L1.

    python benchmarks/bypass_emulated.py [--exhaustive] [KERNEL...]      Markdown tables; deterministic but for times
    python benchmarks/bypass_emulated.py --partition RUNS.csv            runs for `gpuopt profile --fit`
    python benchmarks/bypass_emulated.py --choices RUNS.csv              what `unified_memory` chooses for such runs

Builds benchmarks/bypass/paper.cu for the emulator with -Xptxas -dlcm=ca. Per kernel and L1: a run with
GPUOPT_EMU_PAIRS gives accesses, hits alone and in pairs; the plugin's graph, algorithm 1 and the exact solver choose
("graph": the exact one alone); then, as in the plugin, whichever of caching all and bypassing all is faster stays
unless much less traffic is promised. Every choice is run.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gpuopt_plugins.cache_bypass import graph as trg
from gpuopt_plugins.cache_bypass.metrics import Load, Metrics
from gpuopt_plugins.cache_bypass.profiled import settle

from gpuopt_driver.api import Unit, loop_loads, loop_work
from gpuopt_driver.calibration import regression
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.policy.options import ORDER

SOURCE = Path(__file__).parent / "bypass" / "paper.cu"
KERNELS = ["BAA", "BFS", "EUF", "KMI", "PFFL", "SRP", "SRR", "SRS", "SPM", "MGR", "3DC", "SRK", "GEM", "ALT", "MRQ"]
L1 = {16: 100, 32: 66, 48: 33}  # KB, and the percentage of shared memory that leaves them
PAPER = {16: (4.6, 13.1), 32: (13.0, 19.1), 48: (20.1, 23.4)}  # percent over bypass-all: cache-all, heuristic
TABLE_IV = {16: "0.04 to 35.26", 32: "0.05 to 35.43", 48: "0.04 to 35.34"}  # seconds
# The two branches of a load must stay two loads.
SEPARATE = (
    "-fno-code-hoisting,-fno-tree-pre,-fno-if-conversion,-fno-if-conversion2,-fno-crossjumping,-fno-tree-tail-merge"
)
SEPARATE += ",-fno-ssa-phiopt,-fno-tree-phiprop,-fno-gcse,-fno-tree-sink"


def build(folder: Path, *options: str) -> Path:
    program = folder / "paper"
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", *options, "-O2"]
    command += ["-std=c++17", "-Xptxas", "-dlcm=ca", "-Xcompiler", SEPARATE, "-o", str(program), str(SOURCE)]
    subprocess.run(command, check=True)
    return program


def run(
    program: Path,
    kernel: str,
    mask: int,
    kilobytes: int | None,
    *,
    pairs: bool = False,
    shared: int = 0,
    more: tuple[str, ...] = (),
) -> tuple[dict, str]:
    """The report of one launch, and what the program printed; no `kilobytes`: the program's own division of L1."""
    report = program.with_name("report.json")
    env = {
        **os.environ,
        "GPUOPT_EMU_MODE": "model",
        "GPUOPT_EMU_GPU": "gtx680",
        "GPUOPT_EMU_REPORT": str(report),
        **({"GPUOPT_EMU_CARVEOUT": str(L1[kilobytes])} if kilobytes else {}),
        "GPUOPT_EMU_PAIRS": "1" if pairs else "0",
    }
    done = subprocess.run(
        [str(program), kernel, str(mask), str(shared), *more], env=env, check=True, capture_output=True, text=True
    )
    (launch,) = json.loads(report.read_text())["launches"]
    assert kilobytes is None or launch["l1_bytes"] == kilobytes * 1024, launch["l1_bytes"]
    return launch, done.stdout


def metrics_of(launch: dict) -> Metrics:
    """The paper's metrics; loads in the order of their lines, which is that of the masks' bits."""
    counted = launch["pairs"]["loads"]
    order = sorted(range(len(counted)), key=lambda at: counted[at]["line"])
    place = {at: index for index, at in enumerate(order)}
    loads = [
        Load(index, counted[at]["array"], counted[at]["line"], 1, counted[at]["accesses"], counted[at]["hits"],
             counted[at]["sectors"] / (4 * counted[at]["accesses"]), 1.0)
        for index, at in enumerate(order)
    ]  # fmt: skip
    together = {
        (min(place[a], place[b]), max(place[a], place[b])): float(hits) for a, b, hits in launch["pairs"]["together"]
    }
    return Metrics("emulator", tuple(loads), 128, 128, together)


def mask_of(solution: trg.Solution, loads: int) -> int:
    return sum(1 << load for load in range(loads) if load not in solution.cached)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", default=KERNELS)
    parser.add_argument("--exhaustive", action="store_true", help="run every choice of loads, too")
    parser.add_argument("--partition", metavar="FILE.csv", help="write runs under every division of L1 instead")
    parser.add_argument("--choices", metavar="FILE.csv", help="what the plugin chooses where such runs were made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.choices:
            choices(Path(name), options.kernels, Path(options.choices))
            return
        program = build(Path(name), "--gpuopt-off")
        if options.partition:
            partitions(program, options.kernels, Path(options.partition))
            return
        for kilobytes in L1:
            table(program, options, kilobytes)


SHARED = (0, 2048, 5120, 11264)  # bytes of every block, which decide how many blocks fit beside each L1
# And the paper's own (table III), less what a kernel has by itself.
TABLE_III = {
    "BAA": 16384 - 1088,
    "BFS": 16384,
    "EUF": 16384,
    "KMI": 16384,
    "PFFL": 4096,
    "SRP": 2048,
    "SRR": 4096 - 1024,
}
THREADS = 8  # times as many as in the tables: with few blocks per SM, the last ones decide
INPUTS = (7, 8, 9, 10, 11)  # random ones
COLUMNS = (
    "kernel",
    "case",
    "input",
    "carveout_percent",
    "occupancy",
    "hit_rate",
    "milliseconds",
    "instructions",
    "source_instructions",
    "sectors",
    "own",
)


def partitions(program: Path, kernels: list[str], path: Path) -> None:
    """Occupancy, hit rate, time and what was done of every kernel beside every L1, all loads cached."""
    lines = [",".join(COLUMNS)]
    unit = parse_unit(SOURCE, ParseOptions())
    for kernel in kernels:
        own = TABLE_III.get(kernel, 0)
        for shared in amounts(kernel):
            for kilobytes, percent in L1.items():
                for seed in INPUTS:
                    launch, _ = run(program, kernel, 0, kilobytes, shared=shared, more=(str(THREADS), str(seed)))
                    wish = "" if kilobytes == 16 else percent  # the driver's own division
                    did = figures(launch, in_source(unit, kernel, launch))
                    lines.append(f"{kernel},{kernel} {shared},{seed},{wish},{did},{int(shared == own)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def amounts(kernel: str) -> list[int]:
    """Bytes of shared memory that a kernel is run beside."""
    return list(dict.fromkeys((*SHARED, TABLE_III.get(kernel, 0))))


def in_source(unit: Unit, name: str, launch: dict) -> float:
    """Instructions of a launch's warps by the source, as the plugin counts them, with the iterations that were made."""
    kernel = next(one for one in unit.kernels if one.name == {"3DC": "TDC"}.get(name, name))
    loops = loop_loads.loop_loads(kernel, unit.files[kernel.span.file])
    warps = math.prod(launch["grid"]) * math.prod(launch["block"]) / 32
    trips = []
    for item in loops:
        lines = {access.span.line for access in item.loads[0].accesses}
        trips.append(sum(one["load_requests"] for one in launch["lines"] if one["line"] in lines) / warps)
    values = {f"blockDim.{axis}": threads for axis, threads in zip("xyz", launch["block"], strict=True)}
    work = loop_work.work(kernel, unit.files[kernel.span.file], loops)
    return loop_work.instructions(work, trips, values) * warps


def figures(launch: dict, instructions: float) -> str:
    """Instructions (of warps) and sectors (of loads) are those of all multiprocessors."""
    shares = f"{launch['theoretical_occupancy']:.4f},{launch['l1_load_hit_rate']:.4f},{launch['time_ns'] * 1e-6:.6f}"
    return f"{shares},{launch['warp_instructions']},{instructions:.0f},{launch['l1_load_sectors']}"


POLICY = "[plugins.{}]\nenabled = false\n"
OTHERS = tuple(name for name in ORDER if name != "unified_memory")


def choices(folder: Path, kernels: list[str], path: Path) -> None:
    """The division that the plugin gives every launch, and the part of the best one's performance that it reaches."""
    with path.open(newline="") as file:
        runs = regression.averaged([regression.run_of(row) for row in csv.DictReader(file)])
    parts = dict(zip(runs, regression.performance(runs), strict=True))
    percents = {(run.case, run.division): parts[run] for run in runs}
    asked = " | ".join(f"asked for {gain}" for gain in GAINS)
    print(f"| kernel, shared bytes | 16 / 32 / 48 KB of L1 | {asked} |")
    print("|---" * (2 + len(GAINS)) + "|")
    programs = []
    for gain in GAINS:
        home = folder / f"{gain}"
        home.mkdir()
        policy = f"[plugins.unified_memory]\nminimum_gain = {gain}\n" + "".join(map(POLICY.format, OTHERS))
        (home / "toolchain.toml").write_text(policy)
        programs.append(build(home, f"--gpuopt-policy={home / 'toolchain.toml'}", "--gpuopt-gpu=gtx680"))
    for kernel in kernels:
        for shared in amounts(kernel):
            cells = []
            for program in programs:
                launch, _ = run(program, kernel, 0, None, shared=shared, more=(str(THREADS), str(INPUTS[0])))
                left = launch["l1_bytes"] // 1024
                wish = "" if left == 16 else str(L1[left])
                mark = "" if launch["kernel"] == "TDC" or launch["kernel"] in KERNELS else ", changed"
                cells.append(f"{left} KB: {percents[f'{kernel} {shared}', wish]:.3f}{mark}")
            all_three = " / ".join(f"{percents[f'{kernel} {shared}', wish]:.3f}" for wish in ("", "66", "33"))
            own = " (its own)" if shared == TABLE_III.get(kernel, 0) else ""
            print(f"| {kernel}, {shared}{own} | {all_three} | {' | '.join(cells)} |")


GAINS = (1.0, 1.25)  # that more L1 must promise: any, and the policy's default


NAMES = ("cache-all", "graph", "heuristic", "exact")


def table(program: Path, options: argparse.Namespace, kilobytes: int) -> None:
    factors: dict[str, list[float]] = {name: [] for name in (*NAMES, "best")}
    print(f"\n{kilobytes} KB; times as fast as bypassing all\n")
    print(f"| kernel | loads | {' | '.join(NAMES)} | bypassed | best of all | graph s |\n" + "|---" * 9 + "|")
    worse = []
    for kernel in options.kernels:
        by, masks, loads, took = compared(program, kernel, kilobytes, exhaustive=options.exhaustive)
        for name, found in factors.items():
            found.append(by[name])
        mine, baseline = min(by["heuristic"], by["exact"]), max(1.0, by["cache-all"])
        if mine < baseline:
            worse.append(f"{kernel} ({mine / baseline:.3f})")
        cells = " | ".join(f"{by[name]:.3f}" for name in NAMES)
        chosen = f"{masks['heuristic']:b}, {masks['exact']:b}"
        print(f"| {kernel} | {loads} | {cells} | {chosen} | {by['best']:.3f} ({masks['best']:b}) | {took:.3f} |")
    means = {name: 100 * (math.exp(sum(map(math.log, found)) / len(found)) - 1) for name, found in factors.items()}
    cells = " | ".join(f"{means[name]:+.1f}" for name in NAMES)
    print(f"| mean (%) | | {cells} | | {means['best']:+.1f} | |")
    cached, chosen_there = PAPER[kilobytes]
    print(f"| the paper's (%) | | {cached:+.1f} | | {chosen_there:+.1f} | | | | {TABLE_IV[kilobytes]} |")
    print(f"\nWorse than the better of the two: {', '.join(worse) or 'none'}.")


def compared(
    program: Path, kernel: str, kilobytes: int, *, exhaustive: bool
) -> tuple[dict[str, float], dict[str, int], int, float]:
    """By choice: times as fast as bypassing all, and its mask; the number of loads, the seconds that graphs took."""
    first, sums = run(program, kernel, 0, kilobytes, pairs=True)
    begin = time.perf_counter()
    metrics = metrics_of(first)
    graph = trg.traffic_graph(metrics)
    loads = len(metrics.loads)
    found = {"heuristic": trg.heuristic(graph), "exact": trg.solve(graph, "exact", 10.0)}
    took = time.perf_counter() - begin
    none = (1 << loads) - 1
    without, _ = run(program, kernel, none, kilobytes)
    seen = (first["cycles"], without["cycles"])  # what a profile holds
    masks = {"bypass-all": none, "cache-all": 0, "graph": mask_of(found["exact"], loads)}
    masks.update({name: mask_of(settle(metrics, one, seen), loads) for name, one in found.items()})
    cycles = {}
    for mask in range(1 << loads) if exhaustive else sorted(set(masks.values())):
        launch, same = run(program, kernel, mask, kilobytes)
        assert same == sums, f"{kernel} {mask}"
        cycles[mask] = launch["cycles"]
    masks["best"] = min(cycles, key=lambda mask: cycles[mask])
    return {name: cycles[none] / cycles[mask] for name, mask in masks.items()}, masks, loads, took


if __name__ == "__main__":
    main()
