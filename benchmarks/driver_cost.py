"""What gpuopt-nvcc costs beside nvcc: wall time, CPU time and memory, over the sources of whole trees.

    python benchmarks/driver_cost.py ROOT [ROOT ...] [--files 40] [--rounds 3] [-- nvcc arguments]

Every source is compiled in turn by nvcc, by gpuopt-nvcc that has not seen it ("cold": no remembered outcomes; what is
kept per machine, such as precompiled declarations, is there) and by gpuopt-nvcc once more ("warm"), --rounds times in
one list of processes; a ratio is that of neighbours. Sources are taken evenly from those that nvcc compiles: --files
with kernels or launches in them (or in what they include), and as many without (.cu and .cpp). Arguments come after
those of each tree, which are read from `ROOT.args` if there is such a file. CPU time is that of the process and all
that it waits for. Memory is the peak of our own processes, with an nvcc that does nothing in its place, over all.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sources import compile_unit, machine, nvcc_version, translation_units

from gpuopt_driver.nvcc.scan import may_have_kernels

PLAIN = {".cpp", ".cc", ".cxx"}
GOALS = {(False, "cold"): 1.03, (False, "warm"): 1.03, (True, "cold"): 1.10, (True, "warm"): 1.04}
MEMORY_GOAL_MB = 200


@dataclass(frozen=True)
class Source:
    """One file of a tree, with the tree's arguments."""

    root: Path
    path: Path
    args: tuple[str, ...]
    kernels: bool

    def command(self, output: Path) -> list[str]:
        """The arguments that compile it."""
        return [*self.args, "-c", str(self.path), "-o", str(output)]


@dataclass(frozen=True)
class Cost:
    """Of one process and what it waited for: seconds, and the largest process's memory in MiB."""

    wall: float
    cpu: float
    peak: float


def sources_of(root: Path, args: Sequence[str]) -> Iterator[Source]:
    """The translation units of a tree, CUDA and C++."""
    extra = Path(f"{root}.args")
    own = shlex.split(extra.read_text()) if extra.is_file() else []
    mine = tuple(word.replace("$ROOT", str(root)) for word in (*own, *args))
    include = [str(root / word[2:]) for word in mine if word.startswith("-I")]
    plain = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.suffix in PLAIN and path.is_file()]
    for path in (*translation_units(root), *plain):
        kernels = path.suffix == ".cu" and may_have_kernels(str(root / path), include)
        yield Source(root, path, mine, kernels)


def evenly(items: Sequence[Source], count: int) -> list[Source]:
    """All of them, in an order whose every beginning is spread evenly over the list."""
    step = max(1, len(items) // max(1, count))
    return [item for start in range(step) for item in items[start::step]]


def compiled(items: Sequence[Source], count: int, nvcc: str, scratch: Path) -> list[Source]:
    """The first `count` that nvcc compiles."""
    found: list[Source] = []
    for item in evenly(items, count):
        if len(found) == count:
            break
        if compile_unit(nvcc, item.args, item.path, scratch / "probe.o", item.root).ok:
            found.append(item)
    return found


def cost_of(program: str, item: Source, scratch: Path, env: dict[str, str]) -> Cost:
    """One compilation."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [program, *item.command(scratch / "out.o")],
        cwd=item.root,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{item.path}: {program} ended with {process.returncode}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def quartiles(values: Sequence[float]) -> str:
    """First quartile, median, third quartile."""
    return " / ".join(f"{value:.3f}" for value in statistics.quantiles(values, n=4))


def paired(items: Sequence[Source], options: argparse.Namespace, scratch: Path, env: dict[str, str]) -> None:
    """The table of ratios."""
    cache = Path(env["GPUOPT_CACHE_DIR"])
    rows: dict[tuple[bool, str], list[tuple[float, float, float]]] = {}
    for number in range(options.rounds):
        for item in items:
            shutil.rmtree(cache / "memo", ignore_errors=True)
            plain = cost_of(options.nvcc, item, scratch, env)
            for name in ("cold", "warm"):
                ours = cost_of(options.gpuopt_nvcc, item, scratch, env)
                rows.setdefault((item.kernels, name), []).append(
                    (ours.wall / plain.wall, ours.cpu / plain.cpu, (ours.cpu - plain.cpu) * 1e3)
                )
        print(f"<!-- round {number + 1}: load {os.getloadavg()[0]:.1f} -->", flush=True)
    print("| sources | run | pairs | wall, quartiles | CPU, quartiles | more CPU, ms (median) | goal (median wall) |")
    print("|---|---|---|---|---|---|---|")
    for (kernels, name), found in sorted(rows.items()):
        walls, cpus, more = zip(*found, strict=True)
        print(
            f"| {'with' if kernels else 'without'} kernels | {name} | {len(found)} | {quartiles(walls)} "
            f"| {quartiles(cpus)} | {statistics.median(more):.0f} | {GOALS[kernels, name]:.2f} |"
        )


def stand_in(nvcc: str, directory: Path) -> str:
    """A program in nvcc's place that answers questions about itself and compiles nothing."""
    path = directory / "bin" / "nvcc"
    path.parent.mkdir()
    path.write_text(
        f'#!/bin/sh\ncase "$1" in --version|--dryrun|--list*) exec {shlex.quote(nvcc)} "$@";; esac\nexit 0\n'
    )
    path.chmod(0o755)
    return str(path)


def memory(items: Sequence[Source], options: argparse.Namespace, scratch: Path, env: dict[str, str]) -> None:
    """The peak of our own processes, over all sources, whether nvcc can compile them or not."""
    quiet = {**env, "GPUOPT_NVCC": stand_in(options.nvcc, scratch)}
    peaks = []
    for item in items:
        shutil.rmtree(Path(env["GPUOPT_CACHE_DIR"]) / "memo", ignore_errors=True)
        cost = cost_of(options.gpuopt_nvcc, item, scratch, quiet)
        peaks.append((cost.peak, cost.cpu, str(item.path)))
    peaks.sort(reverse=True)
    over = sum(peak > MEMORY_GOAL_MB for peak, _, _ in peaks)
    print(
        f"\nPeak memory of our processes over {len(peaks)} sources: median {statistics.median(p[0] for p in peaks):.0f}"
        f" MiB, largest {peaks[0][0]:.0f} MiB ({peaks[0][2]}); above {MEMORY_GOAL_MB} MiB: {over}. CPU time of an "
        f"analysis, start included: median {statistics.median(p[1] for p in peaks):.2f} s, "
        f"largest {max(p[1] for p in peaks):.2f} s ({max(peaks, key=lambda p: p[1])[2]})."
    )
    for peak, cpu, name in peaks[: options.show]:
        print(f"- {peak:.0f} MiB, {cpu:.2f} s: {name}")


def main() -> None:
    """Parse the command line, measure, print Markdown."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--show", type=int, default=0, help="name this many of the largest")
    parser.add_argument("--memory-only", action="store_true")
    parser.add_argument("--nvcc", default=os.environ.get("GPUOPT_NVCC") or "nvcc")
    parser.add_argument("--gpuopt-nvcc", default=str(Path(sys.executable).with_name("gpuopt-nvcc")))
    options = parser.parse_args(given[:split])
    args = given[split + 1 :] or ["-arch=sm_90"]
    every = [item for root in options.roots for item in sources_of(root.resolve(), args)]
    print(f"{machine()}; nvcc {nvcc_version(options.nvcc)}; {' '.join(args)}; load {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        env = {**os.environ, "GPUOPT_NVCC": options.nvcc, "GPUOPT_CACHE_DIR": str(scratch / "cache")}
        with_kernels = [item for item in every if item.kernels]
        if not options.memory_only:
            without = [item for item in every if not item.kernels]
            chosen = [
                item
                for part in (with_kernels, without)
                for item in compiled(part, options.files, options.nvcc, scratch)
            ]
            first = cost_of(options.gpuopt_nvcc, chosen[0], scratch, env)
            print(f"The very first compilation with an empty cache: {first.wall:.1f} s, CPU {first.cpu:.1f} s.\n")
            paired(chosen, options, scratch, env)
        memory(with_kernels, options, scratch, env)


if __name__ == "__main__":
    main()
