"""How long gpuopt looks at a source, beside nvcc's own time for the same file, and how that grows with its length.

    python benchmarks/analysis_time.py [FILE.cu ...] [--kernels 25,50,...] [-- nvcc arguments]

Files default to examples/*.cu. Every figure is the median of --runs runs, each in a new process, gpuopt and nvcc in
turn. "process" is a whole Python process that examines one file; "analysis" is the part of it after the imports. The
last table is about files of n different kernels with one loop each; its exponent is the slope of log(time) over log(n).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sources import compile_unit, machine, nvcc_version

ROOT = Path(__file__).resolve().parent.parent
KERNEL = """
__global__ void product_{n}(int rows, int columns, const float *A, const float *x, float *y)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {{
        float sum = 0.0f;
        for (int j = 0; j < columns; ++j)
            sum += A[i * columns + j] * x[j + {n}];
        y[i] = sum;
    }}
}}

void launch_{n}(int rows, int columns, const float *A, const float *x, float *y)
{{
    product_{n}<<<(rows + 255) / 256, 256>>>(rows, columns, A, x, y);
}}
"""
ONE = """
import json, sys, time
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
source, gpu, *args = sys.argv[1:]
policy = load_policy([source])
begin = time.perf_counter()
result = examine(source, args, policy, gpu)
seconds = time.perf_counter() - begin
print(json.dumps([seconds, len(result.unit.kernels)]))
"""


def examine_once(source: Path, gpu: str, args: Sequence[str]) -> tuple[float, float, int]:
    """Seconds of the process, seconds of the analysis, kernels."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", ONE, str(source), gpu, *args], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{source}: {done.stderr.strip().splitlines()[-1]}")
    analysis, kernels = json.loads(done.stdout)
    return seconds, analysis, kernels


def beside_nvcc(files: Sequence[Path], options: argparse.Namespace, args: Sequence[str], scratch: Path) -> None:
    """The table of analysis time beside nvcc's."""
    print("| file | lines | kernels | analysis ms | process ms | nvcc ms | analysis / nvcc |")
    print("|---|---|---|---|---|---|---|")
    ratios, wholes = [], []
    for path in files:
        runs = []
        for _ in range(options.runs):
            plain = compile_unit(options.nvcc, args, path, scratch / "plain.o", ROOT)
            if not plain.ok:
                sys.exit(f"{path}: {plain.message}")
            runs.append((*examine_once(path, options.gpu, args), plain.seconds))
        whole, analysis, kernels, nvcc = (statistics.median(column) for column in zip(*runs, strict=True))
        ratios.append(analysis / nvcc)
        wholes.append(whole / nvcc)
        lines = path.read_bytes().count(b"\n")
        print(
            f"| {path.name} | {lines} | {kernels:.0f} | {analysis * 1e3:.0f} | {whole * 1e3:.0f} | {nvcc * 1e3:.0f} "
            f"| {analysis / nvcc:.2f} |"
        )
    print(
        f"\nMedian ratio to nvcc: analysis {statistics.median(ratios):.2f}, process {statistics.median(wholes):.2f}.\n"
    )


def growth(sizes: Sequence[int], options: argparse.Namespace, args: Sequence[str], scratch: Path) -> None:
    """The table of analysis time over the number of kernels, and the exponent of its growth."""
    print("| kernels | lines | analysis ms | ms per kernel |")
    print("|---|---|---|---|")
    points = []
    for size in sizes:
        source = scratch / f"kernels_{size}.cu"
        source.write_text("".join(KERNEL.format(n=n) for n in range(size)))
        seconds = statistics.median(examine_once(source, options.gpu, args)[1] for _ in range(options.runs))
        points.append((math.log(size), math.log(seconds)))
        lines = source.read_bytes().count(b"\n")
        print(f"| {size} | {lines} | {seconds * 1e3:.0f} | {seconds / size * 1e3:.2f} |")
    xs, ys = zip(*points, strict=True)
    slope = statistics.linear_regression(xs, ys).slope
    print(f"\nExponent of the growth over these sizes: {slope:.2f} (1 is linear; a fixed cost makes it smaller).")


def main() -> None:
    """Parse the command line, measure, print Markdown."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--kernels", default="25,50,100,200,400")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--nvcc", default=os.environ.get("GPUOPT_NVCC") or "nvcc")
    options = parser.parse_args(given[:split])
    args = given[split + 1 :] or ["-arch=sm_90"]
    files = [path.resolve() for path in options.files] or sorted((ROOT / "examples").glob("*.cu"))
    print(f"{machine()}; nvcc {nvcc_version(options.nvcc)}; arguments {' '.join(args)}; median of {options.runs}\n")
    with tempfile.TemporaryDirectory() as scratch:
        beside_nvcc(files, options, args, Path(scratch))
        growth([int(size) for size in options.kernels.split(",")], options, args, Path(scratch))


if __name__ == "__main__":
    main()
