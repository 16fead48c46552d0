"""The emulator's model beside Accel-Sim on the same traces: L1 hit rates, L2 reads, time.

    python benchmarks/accel_sim.py --simulator accel-sim.out --configs DIR [--work DIR] [--kernel NAME]...

Both play a TITAN V. Every kernel of accel_sim/kernels.cu is traced by the emulator (GPUOPT_EMU_TRACE), which models it
in another run; Accel-Sim takes the trace. DIR holds Accel-Sim's gpgpusim.config, trace.config and the network's file of
SM7_TITANV. Neither is part of this repository. A hit is a sector that is there or on its way. Exit status 1 where hit
rates differ by more than two points without a reason in EXPLAINED, or Accel-Sim is less than a hundred times slower.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.report.columns import table
from gpuopt_driver.report.traces import read_trace

HERE = Path(__file__).resolve().parent
# Kernels and the N that they get: a few seconds to a minute of Accel-Sim each.
SIZES = {"saxpy": 256, "conv2d": 128, "gemm": 64, "tiled": 64, "transpose": 192, "rows": 128, "columns": 128}
SIZES |= {"sums": 256, "gather": 64}
SIZES |= {"fits": 320, "fills": 320, "overflows": 320, "thrashes": 320}  # of an L1 of 128 KB: a half, all, 1.5, 2
_OVER = (
    "L1 overflows: the model keeps lines used twice, as an H200 does, where Accel-Sim's configuration drops the least "
    "recently used; and it has four turns of a loop under way at once, where the trace's arithmetic waits in every turn"
)
EXPLAINED = {"overflows": _OVER, "thrashes": _OVER}
POINTS, FASTER = 2.0, 100.0
_TOTAL = r"^\s*Total_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[{}\] = (\d+)"
_L2 = r"^\s*L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[{}\] = (\d+)"


@dataclass(frozen=True)
class Seen:
    """What one of the two says of a launch. `seconds`: of CPU."""

    sectors: int
    hits: int
    l2_reads: int
    cycles: int
    seconds: float

    @property
    def hit_rate(self) -> float:
        """Of L1, in percent."""
        return 100 * self.hits / self.sectors if self.sectors else 0.0


def spent(command: list[str], *, cwd: Path, log: Path | None = None, **settings: str) -> float:
    """Run it; the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (log or Path(os.devnull)).open("wb") as out:
        subprocess.run(command, cwd=cwd, env={**os.environ, **settings}, stdout=out, stderr=out, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def modelled(program: Path, name: str, work: Path, scheduler: str) -> Seen:
    """The launch in our model; the least time of five runs of the program."""
    report = work / "report.json"
    settings = {"GPUOPT_EMU_GPU": "titan-v", "GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_SCHEDULER": scheduler}
    settings |= {"GPUOPT_EMU_L2": "cold", "GPUOPT_EMU_REPORT": str(report)}
    command = [str(program), name, str(SIZES[name])]
    seconds = min(spent(command, cwd=work, **settings) for _ in range(5))
    launch = json.loads(report.read_text("utf-8"))["launches"][-1]
    sectors = launch["l1_load_sectors"]
    hits = round(launch["l1_load_hit_rate"] * sectors)
    return Seen(sectors, hits, launch["l2_read_sectors"], launch["cycles"], seconds)


def simulated(simulator: Path, configs: Path, traces: Path, work: Path) -> Seen:
    """The launch in Accel-Sim."""
    for path in configs.iterdir():
        shutil.copy(path, work)
    log = work / "accel-sim.log"
    lists = ["-config", "gpgpusim.config", "-config", "trace.config"]
    seconds = spent([str(simulator), "-trace", str(traces / "kernelslist.g"), *lists], cwd=work, log=log)
    text = log.read_text("utf-8", "replace")

    def last(pattern: str) -> int:
        found = re.findall(pattern, text, re.MULTILINE)
        return int(found[-1]) if found else 0

    hits = sum(last(_TOTAL.format(kind)) for kind in ("HIT", "HIT_RESERVED"))
    l2_reads = last(_L2.format("TOTAL_ACCESS"))
    return Seen(last(_TOTAL.format("TOTAL_ACCESS")), hits, l2_reads, last(r"^gpu_tot_sim_cycle = (\d+)"), seconds)


def traced(program: Path, name: str, work: Path) -> tuple[Path, int]:
    """Where the trace of the last launch alone is, and its warp instructions."""
    settings = {"GPUOPT_EMU_GPU": "titan-v", "GPUOPT_EMU_TRACE": str(work / "traces")}
    command = [str(program), name, str(SIZES[name])]
    spent(command, cwd=work, **settings)
    last = (work / "traces/kernelslist.g").read_text().split()[-1]
    (work / "traces/kernelslist.g").write_text(last + "\n")
    spent(command, cwd=work, **{**settings, "GPUOPT_EMU_TRACE_FORMAT": "gpuopt"})
    own = read_trace(work / "traces" / Path(last).with_suffix(".gputrace"))
    return work / "traces", sum(item.before + 1 for warp in own.warps() for item in warp)


def rows_of(arguments: argparse.Namespace, program: Path, work: Path) -> tuple[list[list[str]], list[str]]:
    """The table's rows, and what misses its goal."""
    rows, missed = [], []
    for name in arguments.kernel or SIZES:
        here = work / name
        here.mkdir(parents=True, exist_ok=True)
        traces, instructions = traced(program, name, here)
        ours = modelled(program, name, here, arguments.scheduler)
        theirs = simulated(arguments.simulator.resolve(), arguments.configs, traces, here)
        apart, faster = ours.hit_rate - theirs.hit_rate, theirs.seconds / ours.seconds
        rates = [f"{theirs.hit_rate:.2f}", f"{ours.hit_rate:.2f}", f"{apart:+.2f}"]
        counts = [f"{theirs.sectors} / {ours.sectors}", f"{theirs.l2_reads} / {ours.l2_reads}"]
        times = [f"{theirs.cycles} / {ours.cycles}", f"{theirs.seconds:.1f} / {ours.seconds:.3f}", f"{faster:.0f}"]
        rows.append([f"{name} {SIZES[name]}", str(instructions), *rates, *counts, *times])
        if abs(apart) > POINTS and name not in EXPLAINED:
            missed.append(f"{name}: hit rates are {apart:+.2f} points apart")
        if faster < FASTER:
            missed.append(f"{name}: Accel-Sim takes only {faster:.0f} times as long")
        print(*rows[-1], sep=" | ", file=sys.stderr)
    return rows, missed


def main() -> int:
    """Trace, model, simulate, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulator", type=Path, required=True, help="accel-sim.out")
    parser.add_argument("--configs", type=Path, required=True, help="the directory of its configuration files")
    parser.add_argument("--scheduler", default="lrr", help="of our model; default: lrr, as Accel-Sim's")
    parser.add_argument("--kernel", action="append", choices=SIZES, help="only this one")
    parser.add_argument("--work", type=Path, help="where traces and logs are kept; default: nowhere")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="accel-sim-") as scratch:
        work = (arguments.work or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        program = work / "kernels"
        source = str(HERE / "accel_sim/kernels.cu")
        build = ["gpuopt-nvcc", "--gpuopt-off", "--gpuopt-backend=emulator", "-O2", source, "-o", str(program)]
        subprocess.run(build, env={**os.environ, "GPUOPT_EMU_MODE": ""}, check=True)
        rows, missed = rows_of(arguments, program, work)
    heads = ("kernel", "warp instructions", "Accel-Sim %", "ours %", "points", "sectors (theirs / ours)")
    for line in table((*heads, "L2 reads", "cycles", "CPU seconds", "times"), rows):
        print(line)
    print(f"median: {statistics.median(float(row[-1]) for row in rows):.0f} times as fast")
    for name in sorted(set(arguments.kernel or SIZES) & set(EXPLAINED)):
        print(f"{name}: {EXPLAINED[name]}")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
