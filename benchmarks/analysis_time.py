"""How long gpuopt looks at a source, beside nvcc's own time for the same file, and how that grows with its length.

    python benchmarks/analysis_time.py [FILE.cu ...] [--kernels 25,50,...] [-- nvcc arguments]

Files default to examples/*.cu. Every figure is CPU time, of a process and those that it starts: the median of --runs
runs, gpuopt and nvcc in turn, each in a new process. "process" is a whole Python process that examines one file,
"analysis" the part of it after the imports. The last table is about files of n different kernels with one loop each,
all of which are patched; its exponent is the slope of log(time) over log(n).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sources import compile_unit, machine, nvcc_version

ROOT = Path(__file__).resolve().parent.parent
KERNEL = """
__global__ void product_{n}(int rows, int columns, const float *A, const float *B, const float *x, float *y, float *z)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {{
        for (int j = 0; j < columns; ++j) {{
            y[i] += A[i * columns + j] * x[j + {n}];
            z[i] += B[i * columns + j] * x[j + {n}];
        }}
    }}
}}

void launch_{n}(int rows, int columns, const float *A, const float *B, const float *x, float *y, float *z)
{{
    product_{n}<<<(rows + 255) / 256, 256>>>(rows, columns, A, B, x, y, z);
}}
"""
ONE = """
import json, sys, time
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
source, gpu, *args = sys.argv[1:]
policy = load_policy([source])
begin = time.process_time()
result = examine(source, args, policy, gpu)
seconds = time.process_time() - begin
applied = sum(finding.decision.value == "applied" for finding in result.report.findings)
print(json.dumps([seconds, len(result.unit.kernels), applied]))
"""


def cpu_seconds() -> float:
    """CPU time of all finished child processes so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def examine_once(source: Path, gpu: str, args: Sequence[str]) -> tuple[float, float, int, int]:
    """Seconds of the process, seconds of the analysis, kernels (versions included), rewrites applied."""
    begin = cpu_seconds()
    done = subprocess.run(
        [sys.executable, "-c", ONE, str(source), gpu, *args], capture_output=True, text=True, check=False
    )
    seconds = cpu_seconds() - begin
    if done.returncode != 0:
        sys.exit(f"{source}: {done.stderr.strip().splitlines()[-1]}")
    analysis, kernels, applied = json.loads(done.stdout)
    return seconds, analysis, kernels, applied


def beside_nvcc(files: Sequence[Path], options: argparse.Namespace, args: Sequence[str], scratch: Path) -> None:
    """The table of analysis time beside nvcc's."""
    print("| file | lines | applied | analysis ms | process ms | nvcc ms | analysis / nvcc |")
    print("|---|---|---|---|---|---|---|")
    ratios, wholes = [], []
    for path in files:
        runs = []
        for _ in range(options.runs):
            begin = cpu_seconds()
            plain = compile_unit(options.nvcc, args, path, scratch / "plain.o", ROOT)
            seconds = cpu_seconds() - begin
            if not plain.ok:
                sys.exit(f"{path}: {plain.message}")
            runs.append((*examine_once(path, options.gpu, args), seconds))
        whole, analysis, _, applied, nvcc = (statistics.median(column) for column in zip(*runs, strict=True))
        ratios.append(analysis / nvcc)
        wholes.append(whole / nvcc)
        lines = path.read_bytes().count(b"\n")
        print(
            f"| {path.name} | {lines} | {applied:.0f} | {analysis * 1e3:.0f} | {whole * 1e3:.0f} | {nvcc * 1e3:.0f} "
            f"| {analysis / nvcc:.2f} |"
        )
    print(
        f"\nMedian ratio to nvcc: analysis {statistics.median(ratios):.2f}, process {statistics.median(wholes):.2f}.\n"
    )


def growth(sizes: Sequence[int], options: argparse.Namespace, args: Sequence[str], scratch: Path) -> None:
    """The table of analysis time over the number of kernels, and the exponent of its growth."""
    print("| kernels | lines | applied | analysis ms | ms per kernel |")
    print("|---|---|---|---|---|")
    points = []
    for size in sizes:
        source = scratch / f"kernels_{size}.cu"
        source.write_text("".join(KERNEL.format(n=n) for n in range(size)))
        runs = [examine_once(source, options.gpu, args) for _ in range(options.runs)]
        seconds, applied = statistics.median(run[1] for run in runs), runs[0][3]
        points.append((math.log(size), math.log(seconds)))
        lines = source.read_bytes().count(b"\n")
        print(f"| {size} | {lines} | {applied} | {seconds * 1e3:.0f} | {seconds / size * 1e3:.2f} |")
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
