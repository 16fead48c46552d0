"""Where the CPU time of compilations goes, beside nvcc's: by program, and by run of nvcc.

    python benchmarks/compile_steps.py FILE.cu ... [--rounds 1] [--only nvcc,cold,warm] [-- nvcc arguments]

Every file is compiled in its own directory by nvcc, by gpuopt-nvcc that has not seen it ("cold"), and again ("warm").
Columns are CPU seconds (user and system): `all` as the system counts them, the others as seen by looking at all
processes every few milliseconds. `python`: gpuopt, `analysis`: the process that analyses; then what nvcc starts:
`cudafe++`, `cicc`, `ptxas`, `preprocess` (the host compiler's -E), `host` (its other passes), `rest`. `lost`: all
runs of nvcc but the largest one. `wall s`: seconds on the clock. `MB` is the peak of the largest process.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from project_cost import cpu_of_children, descendants, peak_of
from sources import machine, nvcc_version

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_LOOK_SECONDS = 0.004
_FIRST = "__global__ void k(int *a) { a[blockIdx.x] = 1; }\nvoid f(int *a) { k<<<999, 99>>>(a); }\n"  # has versions
_STEPS = ("python", "analysis", "cudafe++", "cicc", "ptxas", "preprocess", "host", "rest")


@dataclass
class Look:
    """What the processes of a compilation have used so far: nanoseconds by step and run of nvcc (0: none)."""

    spent: Counter[tuple[str, int]] = field(default_factory=Counter)
    last: dict[int, int] = field(default_factory=dict)
    runs: dict[int, int] = field(default_factory=dict)  # the number of the run of nvcc by process
    nvccs: list[int] = field(default_factory=list)
    peak: float = 0.0

    def take(self, process: int, parent: int) -> None:
        """Add what a process has used since the last look."""
        with suppress(OSError, ValueError, IndexError):
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            used = nanoseconds_of(process)
            name = os.path.basename(words[0]).decode()  # noqa: PTH119
            run = self.runs.get(process) or self.runs.get(parent, 0)
            if name == "nvcc" and not run:
                self.nvccs.append(process)
                run = len(self.nvccs)
            self.runs[process] = run
            self.spent[(step_of(name, words, is_child=parent in self.last), run)] += used - self.last.get(process, 0)
            self.last[process] = used
            self.peak = max(self.peak, peak_of(process)[1])


def nanoseconds_of(process: int) -> int:
    """The CPU time of a process: exactly of its first thread, by hundredths of a second of all threads (plugins')."""
    first = int(Path(f"/proc/{process}/schedstat").read_text().split()[0])
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return max(first, (int(user) + int(system)) * 1_000_000_000 // os.sysconf("SC_CLK_TCK"))


def step_of(name: str, words: Sequence[bytes], *, is_child: bool) -> str:
    """The column of a process."""
    if name.startswith("python"):
        return "analysis" if is_child else "python"
    if name.startswith(("cudafe", "cicc", "ptxas")):
        return {"cu": "cudafe++", "ci": "cicc", "pt": "ptxas"}[name[:2]]
    if name.startswith("cc1"):
        return "preprocess" if b"-E" in words else "host"
    return "host" if name in ("as", "g++", "gcc", "collect2", "ld") else "rest"


@dataclass(frozen=True)
class Row:
    """One compilation: CPU seconds in all, by step, those of runs of nvcc that were lost, seconds, the peak in MB."""

    status: int
    cpu: float
    wall: float
    steps: dict[str, float]
    lost: float
    peak: float


def compile_once(argv: Sequence[str], cwd: Path, env: dict[str, str]) -> Row:
    """Run a compiler and wait for all that it leaves behind."""
    look, begin, ends = Look(), cpu_of_children(), threading.Event()
    started = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=-3, stderr=-3)

    def watch() -> None:
        while not ends.wait(_LOOK_SECONDS):
            look.take(process.pid, 0)
            for parent, one in family(process.pid):
                look.take(one, parent)

    watcher = threading.Thread(target=watch)
    watcher.start()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall = time.perf_counter() - started
    ends.set()
    watcher.join()
    status = process.wait()
    with suppress(ChildProcessError):
        while True:
            os.wait()
    steps = {name: sum(ns for (one, _), ns in look.spent.items() if one == name) / 1e9 for name in _STEPS}
    runs = [sum(ns for (_, run), ns in look.spent.items() if run == number + 1) for number in range(len(look.nvccs))]
    lost = (sum(runs) - max(runs, default=0)) / 1e9
    return Row(status, cpu_of_children() - begin, wall, steps, lost, look.peak)


def family(process: int) -> list[tuple[int, int]]:
    """All pairs of parent and child below a process."""
    found, left = [], [process]
    while left:
        parent = left.pop()
        with suppress(OSError, ValueError):
            for child in map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split()):
                found.append((parent, child))
                left.append(child)
    found += [(0, one) for one in descendants(os.getpid()) if one not in {child for _, child in found} | {process}]
    return found


def measure(source: Path, options: argparse.Namespace, args: Sequence[str], scratch: Path) -> dict[str, float]:
    """Compile a file in all ways and print a line for each; CPU seconds by way, the median of the rounds."""
    env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(scratch / "cache")}
    command = [*args, "-c", source.name, "-o", str(scratch / "a.o")]
    rows: dict[str, list[Row]] = {}
    for _ in range(options.rounds):
        for way in options.only.split(","):
            if way == "cold":
                for kind in ("memo", "map", "patched"):
                    shutil.rmtree(scratch / "cache" / kind, ignore_errors=True)
            program = options.nvcc if way == "nvcc" else options.gpuopt_nvcc
            rows.setdefault(way, []).append(compile_once([program, *command], source.parent.resolve(), env))
    took = {}
    for way, found in rows.items():
        one = sorted(found, key=lambda row: row.cpu)[len(found) // 2]
        took[way] = one.cpu
        ratio = f" ({one.cpu / took['nvcc']:.2f})" if "nvcc" in took and way != "nvcc" else ""
        name = f"{source.parent.name}/{source.name}"
        steps = " | ".join(f"{one.steps[step]:.2f}" for step in _STEPS)
        failed = f" fails ({one.status})" if one.status else ""
        ends = f"{one.lost:.2f} | {one.wall:.2f} | {one.peak:.0f}"
        print(f"| {name}{failed} | {way} | {one.cpu:.2f}{ratio} | {steps} | {ends} |", flush=True)
    return took


def main() -> None:
    """Parse the command line, measure, print Markdown."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="nvcc,cold,warm")
    parser.add_argument("--nvcc", default=shutil.which(os.environ.get("GPUOPT_NVCC") or "nvcc"))
    parser.add_argument("--gpuopt-nvcc", default=str(Path(sys.executable).with_name("gpuopt-nvcc")))
    options = parser.parse_args(given[:split])
    args = given[split + 1 :] or ["-arch=sm_90", "-O3"]
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    print(f"{machine()}; nvcc {nvcc_version(options.nvcc)}; {' '.join(args)}; load {os.getloadavg()[0]:.1f}\n")
    print(
        "| file | way | all s | " + " | ".join(_STEPS) + " | lost | wall s | MB |\n" + "|---" * (len(_STEPS) + 6) + "|"
    )
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "first.cu").write_text(_FIRST)
        env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(scratch / "cache")}
        compile_once([options.gpuopt_nvcc, *args, "-c", "first.cu", "-o", "first.o"], scratch, env)
        took = [measure(path, options, args, scratch) for path in options.files]
    for way in took[0] if "nvcc" in took[0] else ():
        ratios = [one[way] / one["nvcc"] for one in took]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{way}: geometric mean {mean:.2f}, highest {max(ratios):.2f} times nvcc's.", end="")
    print()


if __name__ == "__main__":
    main()
