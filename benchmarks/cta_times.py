"""How long the analysis of reuse between blocks takes on every kernel of a tree of sources, beside nvcc on its file.

    python benchmarks/cta_times.py DIR [--nvcc N] [-- nvcc arguments]

CPU time of the survey (integer sets) and of the search for objections; nvcc (CPU time of all its processes) compiles
the N files whose kernels take longest. nvcc and the parser run with DIR as working directory.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sources import compile_unit, translation_units

from gpuopt_driver.analysis.block_independence import objection
from gpuopt_driver.analysis.block_survey import survey
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy

PLUGINS = ("catt", "vtb", "cache_bypass", "unified_memory", "cta_clustering", "cta_mapping")


def measured(source: str, args: list[str], policy_file: Path) -> list[tuple[float, str, str]]:
    """(seconds, kernel, class) of every kernel of one file."""
    unit = examine(source, args, load_policy([source], explicit=str(policy_file)), "h200").unit
    found = []
    for kernel in unit.kernels:
        begin = time.process_time()
        one = survey(kernel, unit.launches_of(kernel), 128, 32)
        objection(kernel, unit.files[kernel.span.file], one.found, one.grid)
        found.append((time.process_time() - begin, kernel.name, one.kind.value))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--nvcc", type=int, default=5)
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    args = words[split + 1 :]
    root = options.root.resolve()
    os.chdir(root)
    kinds: Counter[str] = Counter()
    files: list[tuple[float, str, str]] = []
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        policy = Path(name) / "toolchain.toml"
        policy.write_text("".join(f"[plugins.{one}]\nenabled = false\n" for one in PLUGINS))
        for source in map(str, translation_units(root)):
            try:
                found = measured(source, args, policy)
            except GpuoptError as error:
                print(f"not parsed: {source}: {error}")
                continue
            seconds += [one[0] for one in found]
            kinds.update(one[2] for one in found)
            if found:
                files.append((sum(one[0] for one in found), source, max(found)[1]))
        print(f"{len(files)} files, {len(seconds)} kernels: {dict(kinds)}")
        print(f"CPU ms of a kernel: median {1e3 * statistics.median(seconds):.1f}, most {1e3 * max(seconds):.0f}")
        for spent, source, kernel in sorted(files, reverse=True)[: options.nvcc]:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = compile_unit("/usr/local/cuda-13.0/bin/nvcc", args, Path(source), Path(name) / "x.o", root)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            verdict = f"{cpu:.2f} s, {spent / cpu:.0%}" if done.ok else "nvcc fails"
            print(f"{source}: all kernels {1e3 * spent:.0f} ms ({kernel} most), nvcc {verdict}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
