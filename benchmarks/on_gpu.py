"""The examples built by nvcc and by gpuopt-nvcc, run in turn on a GPU: times, speed-up, equal checksums.

    python benchmarks/on_gpu.py build DIR     needs nvcc and gpuopt-nvcc, no GPU
    python benchmarks/on_gpu.py run DIR       needs the GPU only

The sizes fill --sms multiprocessors (an H200's 132): so many threads per multiprocessor as each line says, a row each.
A time is the median over five processes of each build, which take turns; a process gives the median of its repetitions
between CUDA events, after a warm-up. Exit status 1 when a checksum differs or a program fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS = ("nvcc", "gpuopt")
TIME = re.compile(r"^\w+: (\w+) ([\d.]+) ms, ", re.MULTILINE)
CHECKSUM = re.compile(r"checksum (\w+)")
COLUMNS = 4096


def cases(sms: int) -> list[tuple[str, list[str]]]:
    """Label and command line of every run."""
    full = sms * 2048
    texts = [
        (f"gesummv, {per_sm} threads/SM", f"gesummv {sms * per_sm} {COLUMNS} 256 10") for per_sm in (256, 512, 1024)
    ]
    texts += [
        ("gesummv, 2048 threads/SM", f"gesummv {full} {COLUMNS} 256 10"),
        ("gesummv, 2048 threads/SM, blocks of 1024", f"gesummv {full} {COLUMNS} 1024 10"),
        ("atax, 2048 threads/SM", f"atax {full} {COLUMNS} 256 5"),
        ("atax, 512 threads/SM", f"atax {sms * 512} {COLUMNS} 256 5"),
        ("atax_fixed, 2048 threads/SM", "atax_fixed 5"),
        ("bicg, 2048 threads/SM", f"bicg {full} {COLUMNS} 256 5"),
        ("mvt, 2048 threads/SM", f"mvt {full} {COLUMNS} 256 5"),
        ("mvt, 256 threads/SM", f"mvt {sms * 256} {COLUMNS} 256 5"),
        ("syr2k, 1024 x 2048", "syr2k 1024 2048 32 8 5"),
        ("gemm, 4096 x 4096 x 4096", "gemm 4096 4096 4096 32 8 5"),
        ("conv2d, 8192 x 8192", "conv2d 8192 8192 32 8 10"),
        ("kmeans, 2048 threads/SM", f"kmeans {full} 34 5 256 5"),
        ("reduce, 2^26 elements", f"reduce {1 << 26} {sms * 8} 256 10"),
    ]
    return [(label, [*text.split(), "--no-check"]) for label, text in texts]


def build(options: argparse.Namespace) -> int:
    """Every example twice, with the same flags."""
    for source in sorted((ROOT / "examples").glob("*.cu")):
        flags = ["-O3", f"-arch={options.arch}"]
        if source.stem == "atax_fixed":
            flags += [f"-DNX={options.sms * 2048}", f"-DNY={COLUMNS}"]
        for name, driver in zip(BUILDS, (options.nvcc, options.gpuopt_nvcc), strict=True):
            output = options.directory / name / source.stem
            output.parent.mkdir(parents=True, exist_ok=True)
            command = [*shlex.split(driver), *flags, "-o", str(output), str(source)]
            if subprocess.run(command, check=False).returncode != 0:
                print(f"failed: {shlex.join(command)}", file=sys.stderr)
                return 1
    return 0


def run_once(program: Path, arguments: Sequence[str], dispatch: str = "") -> tuple[dict[str, float], str, str]:
    """Milliseconds by kernel, the checksum ("" if the program failed) and what it wrote to stderr."""
    environment = {**os.environ, **({"GPUOPT_DISPATCH": dispatch} if dispatch else {})}
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, env=environment, check=False)
    found = CHECKSUM.search(done.stdout)
    times = {kernel: float(milliseconds) for kernel, milliseconds in TIME.findall(done.stdout)}
    return times, found.group(1) if found and done.returncode == 0 else "", done.stderr


def run(options: argparse.Namespace) -> int:
    """Print the table; returns the exit status."""
    query = [shutil.which("nvidia-smi") or "false", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    print(subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip() or "no nvidia-smi", "\n")
    print("| case | kernel | nvcc ms | gpuopt ms | nvcc / gpuopt | spread % | version | result |")
    print("|---|---|---|---|---|---|---|---|")
    bad = 0
    for label, (name, *arguments) in cases(options.sms):
        times: dict[str, dict[str, list[float]]] = {kind: {} for kind in BUILDS}
        checksums = set()
        for _ in range(options.runs):
            for kind in BUILDS:
                kernels, checksum, _ = run_once(options.directory / kind / name, arguments)
                checksums.add(checksum)
                for kernel, milliseconds in kernels.items():
                    times[kind].setdefault(kernel, []).append(milliseconds)
        same = len(checksums) == 1 and "" not in checksums
        bad += not same
        trace = run_once(options.directory / "gpuopt" / name, arguments, "trace")[2]
        for kernel, plain in times["nvcc"].items():
            ours = times["gpuopt"].get(kernel, [float("nan")])
            chosen = re.search(rf"{kernel}<<<[^>]*>>>: (\w+ n=\d+)", trace)
            spread = 100 * max(max(plain) - min(plain), max(ours) - min(ours)) / statistics.median(plain)
            print(
                f"| {label} | {kernel} | {statistics.median(plain):.3f} | {statistics.median(ours):.3f} "
                f"| {statistics.median(plain) / statistics.median(ours):.3f} | {spread:.1f} "
                f"| {chosen.group(1) if chosen else 'unpatched'} | {'same bits' if same else 'WRONG'} |",
                flush=True,
            )
        if not times["nvcc"]:
            print(f"| {label} | | | | | | | FAILED |", flush=True)
    return 1 if bad else 0


def main() -> int:
    """Parse the command line; build or run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("build", "run"))
    parser.add_argument("directory", type=Path, help="where the programs go or are")
    parser.add_argument("--sms", type=int, default=132, help="multiprocessors to fill")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--gpuopt-nvcc", default="gpuopt-nvcc")
    parser.add_argument("--runs", type=int, default=5, help="processes of each build per case")
    options = parser.parse_args()
    return build(options) if options.step == "build" else run(options)


if __name__ == "__main__":
    sys.exit(main())
