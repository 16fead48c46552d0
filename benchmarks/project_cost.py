"""What gpuopt-nvcc costs for each file of a project beside nvcc, with an empty and a full cache: CPU seconds, memory.

    python benchmarks/project_cost.py ROOT [FILE.cu ...] [--rounds 1] [--report DIR] [-- nvcc arguments]
    python benchmarks/project_cost.py --list PROJECTS.toml [--only NAME ...] [--rounds 1] [--report DIR]

Every file is compiled in turn by nvcc, by gpuopt-nvcc that has not seen it ("cold": what is kept per machine, such as
precompiled declarations, is there) and by gpuopt-nvcc once more ("warm"). `$ROOT` in the arguments is the project's
directory; `project_table.py` says what a list is. CPU time is that of all processes that are started, adopted orphans
too. Memory is the peak of the largest process: of ours (Python) in the cold run, of nvcc's in nvcc's own. Remarks say
why kernels were not analysed (memory or time). With a list, a table with a row per project follows.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from project_table import HEAD, BadListError, FileCost, Project, counts_of, read_list, table_lines, together
from sources import machine, nvcc_version, translation_units

_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_LOOK_SECONDS = 0.01
_FIRST = "__global__ void k(int *a) { a[blockIdx.x] = 1; }\nvoid f(int *a) { k<<<999, 99>>>(a); }\n"  # has versions


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


def measure(project: Project, source: Path, options: argparse.Namespace, scratch: Path) -> FileCost:
    """Compile a file in all ways and look at what is reported of it."""
    cache = scratch / "cache"
    env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(cache)}
    report, command = scratch / "report.json", [*project.arguments, "-c", str(source)]
    rows, equal, ours, theirs, status = [], [True, True], 0.0, 0.0, 0
    for _ in range(options.rounds):
        plain = compile_once(options.nvcc, command, project.root, env, scratch / "plain.o")
        for kind in ("memo", "map", "patched"):
            shutil.rmtree(cache / kind, ignore_errors=True)
        cold = compile_once(options.gpuopt_nvcc, command, project.root, env, scratch / "plain.o")
        warm = compile_once(options.gpuopt_nvcc, command, project.root, env, scratch / "plain.o")
        rows.append((plain.cpu, cold.cpu, warm.cpu))
        equal[0] &= plain.status == cold.status == warm.status
        equal[1] &= plain.said == cold.said == warm.said
        ours, theirs, status = max(ours, cold.ours), max(theirs, plain.theirs), plain.status
        if options.report and not equal[1]:
            for name, run in (("nvcc", plain), ("cold", cold), ("warm", warm)):
                (options.report / f"{project.name}_{str(source).replace('/', '_')}.{name}.txt").write_bytes(run.said)
    cpu = [statistics.median(column) for column in zip(*rows, strict=True)]
    report.unlink(missing_ok=True)
    asking = [f"--gpuopt-report={report}", *command]
    compile_once(options.gpuopt_nvcc, asking, project.root, env, scratch / "plain.o")
    if options.report and report.is_file():
        shutil.copy(report, options.report / f"{project.name}_{str(source).replace('/', '_')}.json")
    told = counts_of(json.loads(report.read_text())["units"] if report.is_file() else [])
    if status:
        told["note"] = f"fails ({status})"
    return FileCost(project.name, source, status, equal[0], equal[1], *cpu, theirs, ours, **told)


def asked(given: Sequence[str]) -> argparse.Namespace:
    """The command line, with the projects that it means."""
    split = list(given).index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path, nargs="?")
    parser.add_argument("files", nargs="*", type=Path, help="relative to the root; all translation units by default")
    parser.add_argument("--list", type=Path, help="a TOML file that names projects, files and arguments")
    parser.add_argument("--only", nargs="*", help="of a list, these projects")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--report", type=Path, help="keep each file's report, and words that differ, in this directory")
    parser.add_argument("--nvcc", default=shutil.which(os.environ.get("GPUOPT_NVCC") or "nvcc"))
    parser.add_argument("--gpuopt-nvcc", default=str(Path(sys.executable).with_name("gpuopt-nvcc")))
    options = parser.parse_args(given[:split])
    if bool(options.root) == bool(options.list):
        parser.error("a directory or --list, one of them")
    if options.list:
        try:
            options.projects = read_list(options.list)
        except BadListError as error:
            parser.error(str(error))
    else:
        root = options.root.resolve()
        options.projects = [Project(root.name, root, options.files, given[split + 1 :] or ["-arch=sm_90", "-O3"])]
    if options.only:
        options.projects = [one for one in options.projects if one.name in options.only]
    if options.report:
        options.report = options.report.resolve()
        options.report.mkdir(parents=True, exist_ok=True)
    return options


def main() -> None:
    """Parse the command line, measure, print Markdown."""
    options = asked(sys.argv[1:])
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    print(f"{machine()}; nvcc {nvcc_version(options.nvcc)}; load {os.getloadavg()[0]:.1f}")
    costs: list[FileCost] = []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "first.cu").write_text(_FIRST)
        env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(scratch / "cache")}
        for project in options.projects:
            print(f"\n{project.name}: `{' '.join(project.args)}`\n\n{HEAD}", flush=True)
            compile_once(
                options.gpuopt_nvcc,
                [*project.arguments, "-c", str(scratch / "first.cu")],
                project.root,
                env,
                scratch / "a.o",
            )
            for source in project.files or translation_units(project.root):
                costs.append(measure(project, source, options, scratch))
                print(costs[-1].line, flush=True)
    print("\n" + "\n".join(table_lines(costs)) + f"\n\nSums: {together(costs)}.")
    if options.report:
        found: Counter[str] = Counter()
        for cost in costs:
            found.update(cost.codes)
        print("Findings: " + ", ".join(f"{code} {number}" for code, number in found.most_common()) + ".")


if __name__ == "__main__":
    main()
