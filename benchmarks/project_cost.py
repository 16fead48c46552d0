"""What gpuopt-nvcc costs for each file of a project beside nvcc, with an empty and a full cache: CPU seconds, memory.

    python benchmarks/project_cost.py ROOT [FILE.cu ...] [--rounds 1] [--report DIR] [-- nvcc arguments]

Every file is compiled in turn by nvcc, by gpuopt-nvcc that has not seen it ("cold": what is kept per machine, such as
precompiled declarations, is there) and by gpuopt-nvcc once more ("warm"). `$ROOT` in the arguments is the project's
directory. CPU time is that of all processes that are started, adopted orphans too. Memory is the peak of the largest
process: of ours (Python) in the cold run, of nvcc's in nvcc's own. "given up" are units that memory or time ended.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sources import machine, nvcc_version, translation_units

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_LOOK_SECONDS = 0.01


@dataclass(frozen=True)
class Run:
    """One compilation: exit status, standard error, CPU seconds, and the largest process in MB, ours and others."""

    status: int
    said: bytes
    cpu: float
    ours: float
    theirs: float


def descendants(process: int) -> Iterator[int]:
    """All processes below one that are still there."""
    with suppress(OSError, ValueError):
        for task in [path.name for path in Path(f"/proc/{process}/task").iterdir()]:
            for child in map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split()):
                yield child
                yield from descendants(child)


def peak_of(process: int) -> tuple[bool, float]:
    """Whether a process is Python, and its peak in MB so far."""
    with suppress(OSError):
        is_python = Path(f"/proc/{process}/exe").readlink().name.startswith("python")
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return is_python, int(line.split()[1]) * 1024 / 1e6
    return False, 0.0


def cpu_of_children() -> float:
    """CPU seconds of all children, and theirs, that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_once(program: str, args: Sequence[str], cwd: Path, env: dict[str, str], output: Path) -> Run:
    """Run a compiler and wait for all that it leaves behind."""
    begin = cpu_of_children()
    peaks = {True: 0.0, False: 0.0}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [program, *args, "-o", str(output)],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
        while process.poll() is None:
            for one in descendants(os.getpid()):
                is_ours, peak = peak_of(one)
                peaks[is_ours] = max(peaks[is_ours], peak)
            time.sleep(_LOOK_SECONDS)
        with suppress(ChildProcessError):
            while True:
                os.wait()
        said.seek(0)
        return Run(process.returncode, said.read(), cpu_of_children() - begin, peaks[True], peaks[False])


def given_up(report: Path) -> str:
    """Why a unit was not analysed, and how many of its findings were applied."""
    units = json.loads(report.read_text())["units"] if report.is_file() else []
    applied = sum(finding["decision"] == "applied" for unit in units for finding in unit["decisions"])
    lost = sorted(
        {finding["message"] for unit in units for finding in unit["decisions"] if finding["code"] == "GPUOPT014"}
    )
    return "; ".join([f"{applied} applied"] * bool(applied) + lost)


def measure(source: Path, options: argparse.Namespace, args: Sequence[str], scratch: Path) -> tuple[float, ...] | None:
    """Compile a file in all ways and print its line; CPU seconds of nvcc, cold and warm."""
    cache = scratch / "cache"
    env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(cache)}
    report = scratch / "report.json"
    command = [*args, "-c", str(source)]
    rows, equal, ours, theirs, warmed = [], [True, True, True], 0.0, 0.0, (0.0, 0.0)
    for _ in range(options.rounds):
        plain = compile_once(options.nvcc, command, options.root, env, scratch / "plain.o")
        for kind in ("memo", "map", "patched"):
            shutil.rmtree(cache / kind, ignore_errors=True)
        cold = compile_once(options.gpuopt_nvcc, command, options.root, env, scratch / "ours.o")
        warm = compile_once(options.gpuopt_nvcc, command, options.root, env, scratch / "ours.o")
        rows.append((plain.cpu, cold.cpu, warm.cpu))
        equal[0] &= plain.status == cold.status == warm.status
        equal[1] &= plain.said == cold.said == warm.said
        ours, theirs = max(ours, cold.ours), max(theirs, plain.theirs)
        warmed = (plain.status, cold.status)
    cpu = tuple(statistics.median(column) for column in zip(*rows, strict=True))
    compile_once(options.gpuopt_nvcc, [f"--gpuopt-report={report}", *command], options.root, env, scratch / "ours.o")
    if options.report:
        options.report.mkdir(parents=True, exist_ok=True)
        if report.is_file():
            shutil.copy(report, options.report / f"{str(source).replace('/', '_')}.json")
    words = ["yes" if one else "NO" for one in equal[:2]]
    note = f"fails ({warmed[0]})" if warmed[0] else given_up(report)
    report.unlink(missing_ok=True)
    print(
        f"| {source} | {words[0]} | {words[1]} | {cpu[0]:.2f} | {cpu[1]:.2f} ({cpu[1] / cpu[0]:.2f}) "
        f"| {cpu[2]:.2f} ({cpu[2] / cpu[0]:.2f}) | {theirs:.0f} | {ours:.0f} | {note} |",
        flush=True,
    )
    return None if warmed[0] else cpu


def main() -> None:
    """Parse the command line, measure, print Markdown."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("files", nargs="*", type=Path, help="relative to the root; all translation units by default")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--report", type=Path, help="keep each file's report in this directory")
    parser.add_argument("--nvcc", default=shutil.which(os.environ.get("GPUOPT_NVCC") or "nvcc"))
    parser.add_argument("--gpuopt-nvcc", default=str(Path(sys.executable).with_name("gpuopt-nvcc")))
    options = parser.parse_args(given[:split])
    options.root = options.root.resolve()
    options.report = options.report and options.report.resolve()
    args = [word.replace("$ROOT", str(options.root)) for word in given[split + 1 :] or ["-arch=sm_90", "-O3"]]
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    print(f"{machine()}; nvcc {nvcc_version(options.nvcc)}; {' '.join(args)}; load {os.getloadavg()[0]:.1f}\n")
    print("| file | status = | stderr = | nvcc s | cold s | warm s | nvcc MB | ours MB | remarks |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "first.cu").write_text("__global__ void k() {}\n")
        env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(scratch / "cache")}
        compile_once(options.gpuopt_nvcc, [*args, "-c", "first.cu"], scratch, env, scratch / "first.o")
        rows = [measure(path, options, args, scratch) for path in options.files or translation_units(options.root)]
    plain, cold, warm = (sum(column) for column in zip(*filter(None, rows), strict=True))
    print(f"\nTogether: nvcc {plain:.1f} s, cold {cold / plain:.2f} times, warm {warm / plain:.2f} times that.")


if __name__ == "__main__":
    main()
