"""All our kernels built by nvcc and by gpuopt-nvcc, run in turn on a GPU: times, speed-up, equal checksums.

    python benchmarks/on_gpu.py build DIR     needs nvcc and gpuopt-nvcc, no GPU
    python benchmarks/on_gpu.py run DIR       needs the GPU only; --last N goes on where --seconds ended

Sets: the examples, and the kernels that the plugins were measured with (vtb, cta, bypass). The examples' sizes fill
--sms multiprocessors (an H200's 132): so many threads per multiprocessor as each line says, a row each. A time is the
median over --runs processes of each build, which take turns; a process gives the median or the best of its launches
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
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS = ("nvcc", "gpuopt")
SETS = {
    "examples": "examples/*.cu",
    "vtb": "benchmarks/vtb/*.cu",
    "cta": "benchmarks/cta/kernels.cu",
    "bypass": "benchmarks/bypass/*.cu",
}
FORMS = (  # what the sets print of a kernel: name, perhaps checksum, milliseconds
    re.compile(r"^\w+: (?P<kernel>\w+) (?P<ms>[\d.]+) ms, ", re.MULTILINE),
    re.compile(r"^(?P<kernel>\w+) (?:\d+ \w+x\w+x\w+ )?[0-9a-f]{16} (?P<ms>[\d.]+)$", re.MULTILINE),
)
CHECKSUM = re.compile(r"\b[0-9a-f]{16}\b")
LAUNCH = re.compile(r"(\w+)(?:<[^>]*>)?<<<.*?>>>: (\w+(?: n=\d+)?)")
COLUMNS = 4096


@dataclass(frozen=True)
class Case:
    """One run: its set, what to call it, and the command line (program first)."""

    group: str
    label: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """Milliseconds by kernel, the checksums, and the version that each kernel's last launch got."""

    times: dict[str, float]
    checksums: tuple[str, ...]
    versions: dict[str, str]
    failed: bool


def cases(sms: int) -> Iterator[Case]:
    """Every run, set by set."""
    full = sms * 2048
    examples = [(f"gesummv, {n} threads/SM", f"gesummv {sms * n} {COLUMNS} 256 10") for n in (256, 512, 1024)]
    examples += [
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
    yield from (Case("examples", label, (*text.split(), "--no-check")) for label, text in examples)
    for text in ("mv --blocks 2112", "sp --blocks 8448", "tp --blocks 16384", "cv --blocks 8192", "mm --blocks 16384"):
        yield Case("vtb", text, (*text.split(), "--time"))
    yield from (Case("vtb", name, (name, "--time")) for name in ("fft", "hg", "lut", "mc", "rd", "sto"))
    for text in (
        *("sgemm 4096", "sgemm 8192", "dgemm 2048", "sgemm_wide 4096", "sgemm_wide 8192", "gemm_tn 4096", "syrk 4096"),
        *("gemm_shared 4096", "distances 8192", "mix_channels 256", "conv_layer 128", "gemm_batched 1024"),
        *("conv2d 4096", "demosaic 8192", "imregionmax 4096", "transpose 4096", "laplace 256", "add_neighbours 8192"),
        "stream 8192",
    ):
        yield Case("cta", text, ("kernels", *text.split()))
    walks = ("broad", "wide", "registers", "stream4", "vector4", "two", "products", "fits", "stream1")
    for text in (f"{name} {blocks}" for name in walks for blocks in (8, 6, 4, 1)):
        yield Case("bypass", f"walks {text}", ("walks", *text.split(), "512", "10", "--no-check"))
    for text in (
        *("64 12288 8", "128 12288 8", "256 24576 4", "256 12288 8", "256 40960 2", "256 40960 5", "64 4096 32"),
        *("1024 49152 2", "512 16384 4", "256 20480 4", "256 65536 1"),
    ):
        yield Case("bypass", f"carveout {text}", ("carveout", *text.split(), "512", "5", "--no-check"))


def build(options: argparse.Namespace) -> int:
    """Every program twice, with the same flags."""
    for group in options.sets:
        for source in sorted(path for path in ROOT.glob(SETS[group]) if " main(" in path.read_text()):
            flags = ["-O3", f"-arch={options.arch}"]
            if source.stem == "atax_fixed":
                flags += [f"-DNX={options.sms * 2048}", f"-DNY={COLUMNS}"]
            for name, driver in zip(BUILDS, (options.nvcc, options.gpuopt_nvcc), strict=True):
                output = options.directory / name / group / source.stem
                output.parent.mkdir(parents=True, exist_ok=True)
                command = [*shlex.split(driver), *flags, "-o", str(output), str(source)]
                if subprocess.run(command, check=False).returncode != 0:
                    print(f"failed: {shlex.join(command)}", file=sys.stderr)
                    return 1
    return 0


def run_once(directory: Path, case: Case, dispatch: str = "") -> Outcome:
    """One process, perhaps told to say which versions it runs."""
    environment = {
        "REPEATS": "4",
        "GPUOPT_LEARN": "off",
        **os.environ,
        **({"GPUOPT_DISPATCH": dispatch} if dispatch else {}),
    }
    program, *arguments = case.command
    done = subprocess.run(
        [str(directory / case.group / program), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    times = {one["kernel"]: float(one["ms"]) for form in FORMS for one in form.finditer(done.stdout)}
    checksums = tuple(CHECKSUM.findall(done.stdout))
    failed = done.returncode != 0 or not times or not checksums
    if failed:
        print(f"{shlex.join(case.command)}: status {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
    return Outcome(times, checksums, dict(LAUNCH.findall(done.stderr)), failed)


def version_of(kernel: str, versions: dict[str, str]) -> str:
    """The version of a kernel that is timed under this name; a program with one kernel may give it another name."""
    if kernel in versions:
        return versions[kernel]
    return " ".join(sorted(set(versions.values()))) or "unpatched"


def rows(case: Case, directory: Path, runs: int) -> tuple[list[str], bool]:
    """The lines of the table for one case, and whether all was well."""
    tried: dict[str, list[Outcome]] = {kind: [] for kind in BUILDS}
    for turn in range(runs):
        for kind in BUILDS:
            tried[kind].append(run_once(directory / kind, case, "trace" if kind == "gpuopt" and turn == 0 else ""))
    outcomes = [one for some in tried.values() for one in some]
    if any(one.failed for one in outcomes):
        return [f"| {case.label} | | | | | | | FAILED |"], False
    same = len({one.checksums for one in outcomes}) == 1
    lines = []
    for kernel in tried["nvcc"][0].times:
        plain, ours = ([one.times[kernel] for one in tried[kind]] for kind in BUILDS)
        spread = 100 * max(max(plain) - min(plain), max(ours) - min(ours)) / statistics.median(plain)
        lines.append(
            f"| {case.label} | {kernel} | {statistics.median(plain):.4f} | {statistics.median(ours):.4f} "
            f"| {statistics.median(plain) / statistics.median(ours):.3f} | {spread:.1f} "
            f"| {version_of(kernel, tried['gpuopt'][0].versions)} | {'same bits' if same else 'WRONG'} |"
        )
    return lines, same


def run(options: argparse.Namespace) -> int:
    """Print the table; returns the exit status."""
    query = [shutil.which("nvidia-smi") or "false", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    print(subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip() or "no nvidia-smi", "\n")
    print("| case | kernel | nvcc ms | gpuopt ms | nvcc / gpuopt | spread % | version | result |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    good, end = True, time.monotonic() + options.seconds
    left = [case for case in cases(options.sms) if case.group in options.sets][-options.last :]
    while left and time.monotonic() < end:
        lines, well = rows(left.pop(0), options.directory, options.runs)
        good = good and well
        print(*lines, sep="\n", flush=True)
    if left:
        print(f"{len(left)} cases left out after {options.seconds:.0f} s, from {left[0].label} on", file=sys.stderr)
    return 0 if good and not left else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line; build or run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("build", "run"))
    parser.add_argument("directory", type=Path, help="where the programs go or are")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="which kernels")
    parser.add_argument("--sms", type=int, default=132, help="multiprocessors to fill")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--gpuopt-nvcc", default="gpuopt-nvcc")
    parser.add_argument("--runs", type=int, default=5, help="processes of each build per case")
    parser.add_argument("--last", type=int, default=0, help="only so many cases from the end (0: all)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no further case after so long")
    options = parser.parse_args(arguments)
    return build(options) if options.step == "build" else run(options)


if __name__ == "__main__":
    sys.exit(main())
