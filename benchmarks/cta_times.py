"""What `cta_clustering` and `cta_mapping` cost on every file of a tree of sources, beside nvcc on the same file.

    python benchmarks/cta_times.py DIR... [--jobs N] [--policy FILE] [-- nvcc arguments]

CPU time of both plugins' hooks (analysis by integer sets, objections, decision; the first of them does what the other
finds done), and of all of nvcc's processes. A file's shared work, parsing above all, is not theirs. One line for each
file, the dearest first, then the ratios. {root} in an argument is the DIR, where nvcc and the parser run.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sources import compile_unit, machine, nvcc_version, translation_units

from gpuopt_driver import isolate
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.options import ORDER

T = TypeVar("T")
OURS = ("cta_clustering", "cta_mapping")
OTHERS = tuple(name for name in ORDER if name not in OURS)
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


@dataclass(frozen=True)
class Cost:
    """A file: CPU seconds of the plugins and of nvcc (0: it fails), kernels, their classes, those without a finding."""

    source: str
    plugins: float
    nvcc: float
    kernels: int
    classes: tuple[str, ...]
    silent: tuple[str, ...]
    failed: str = ""


def measured(root: Path, source: str, args: list[str], policy: str) -> Cost:
    """The cost of one file."""
    os.chdir(root)
    spent = 0.0
    usual = isolate.call

    def timed(function: Callable[[], T], seconds: float) -> isolate.Result[T]:
        nonlocal spent
        begin = time.process_time()
        try:
            return usual(function, seconds)
        finally:
            spent += time.process_time() - begin

    isolate.call = timed
    try:
        found = examine(source, args, load_policy([source], explicit=policy), "h200")
    except GpuoptError as error:
        return Cost(source, 0, 0, 0, (), (), str(error))
    finally:
        isolate.call = usual
    said = [one for one in found.report.findings if one.plugin in OURS]
    names = {kernel.qualified for kernel in found.unit.kernels} if found.unit else set()
    silent = {f"{plugin} {name}" for plugin in OURS for name in names} - {f"{one.plugin} {one.kernel}" for one in said}
    classes = tuple(str(one.figures.get("class", "none")) for one in said if one.plugin == "cta_mapping")
    with tempfile.TemporaryDirectory() as name:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = compile_unit(NVCC, args, Path(source), Path(name) / "x.o", root)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(source, spent, cpu if done.ok else 0.0, len(names), classes, tuple(sorted(silent)))


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", type=Path, nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--policy", type=Path, help="another policy than these two plugins' defaults")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    print(f"{machine()}, nvcc {nvcc_version(NVCC)}")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(options.jobs) as pool:
        policy = options.policy or Path(name) / "toolchain.toml"
        if not options.policy:
            policy.write_text("".join(f"[plugins.{one}]\nenabled = false\n" for one in OTHERS))
        for root in (one.resolve() for one in options.roots):
            args = [word.replace("{root}", str(root)) for word in words[split + 1 :]]
            sources = map(str, translation_units(root))
            waiting = [pool.submit(measured, root, source, args, str(policy.resolve())) for source in sources]
            summary(root, [one.result() for one in waiting])
    return 0


def summary(root: Path, costs: list[Cost]) -> None:
    """The lines of one tree."""
    for one in costs:
        if one.failed:
            print(f"not parsed: {one.failed}")
    for one in (one for one in costs if one.silent):
        print(f"without a finding: {one.source}: {', '.join(one.silent)}")
    with_kernels = [one for one in costs if one.kernels]
    compiled = [one for one in with_kernels if one.nvcc]
    kernels = sum(one.kernels for one in with_kernels)
    classes = dict(Counter(kind for one in with_kernels for kind in one.classes))
    print(f"{root.name}: {len(with_kernels)} files with {kernels} kernels, {len(compiled)} compile; {classes}")
    if not compiled:
        return
    for one in sorted(compiled, key=lambda one: -one.plugins / one.nvcc)[:8]:
        ratio = f"{one.plugins / one.nvcc:.1%}"
        print(f"  {one.source}: {one.kernels} kernels, {1e3 * one.plugins:.0f} ms, nvcc {one.nvcc:.2f} s, {ratio}")
    ratios = [one.plugins / one.nvcc for one in compiled]
    print(f"  ratio: median {statistics.median(ratios):.1%}, most {max(ratios):.1%}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
