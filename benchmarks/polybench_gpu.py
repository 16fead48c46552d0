"""Hardware counters of PolyBench/GPU's kernels at several sizes and carve-outs, to hold the emulator's model against.

    python benchmarks/polybench_gpu.py sources SUITE DIR   copies with sizes; SUITE: polybenchGpu as published
    python benchmarks/polybench_gpu.py build DIR           needs nvcc
    python benchmarks/polybench_gpu.py collect DIR OUT     needs the GPU, ncu and DIR only
    python benchmarks/model_accuracy.py OUT --suite DIR/sources

Sources are as published but for the sizes. A program with its sizes is a program of its own; rows are as
ground_truth.py writes them.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ground_truth import HERE, Case, collect, counters, described, known_metrics

# By program, sizes that the emulator walks through in a minute, PolyBench's own among them where it is such a one.
SIZES: Mapping[str, Sequence[str]] = {
    "2DCONV": ("NI=1024 NJ=1024", "NI=4096 NJ=4096"),
    "2MM": ("NI=256 NJ=256 NK=256 NL=256", "NI=512 NJ=256 NK=384 NL=512"),
    "3DCONV": ("NI=128 NJ=128 NK=128", "NI=256 NJ=256 NK=256"),
    "3MM": ("NI=256 NJ=256 NK=256 NL=256 NM=256", "NI=384 NJ=384 NK=384 NL=384 NM=384"),
    "ADI": ("N=512 TSTEPS=1", "N=1024 TSTEPS=1"),
    "ATAX": ("NX=1024 NY=1024", "NX=4096 NY=4096"),
    "BICG": ("NX=1024 NY=1024", "NX=1024 NY=4096", "NX=4096 NY=4096"),
    "CORR": ("M=256 N=256", "M=512 N=512"),
    "COVAR": ("M=256 N=256", "M=512 N=512"),
    "FDTD-2D": ("NX=1024 NY=1024 TMAX=2", "NX=2048 NY=2048 TMAX=2"),
    "GEMM": ("NI=256 NJ=256 NK=256", "NI=512 NJ=512 NK=512"),
    "GEMVER": ("N=1024", "N=4096"),
    "GESUMMV": ("N=1024", "N=4096"),
    "GRAMSCHM": ("NI=256 NJ=256", "NI=512 NJ=512"),
    "JACOBI1D": ("N=4096 TSTEPS=2", "N=1048576 TSTEPS=2"),
    "JACOBI2D": ("N=1000 TSTEPS=2", "N=2000 TSTEPS=2"),
    "LU": ("N=512", "N=1024"),
    "MVT": ("N=1024", "N=4096"),
    "SYR2K": ("NI=256 NJ=256", "NI=384 NJ=384"),
    "SYRK": ("NI=256 NJ=256", "NI=512 NJ=512"),
}
LATER_CUDA = ("-DcudaThreadSynchronize=cudaDeviceSynchronize",)  # what CUDA 13 no longer has


@dataclass(frozen=True)
class Sized:
    """A program of the suite with other sizes."""

    program: str
    sizes: str

    @property
    def name(self) -> str:
        """What it is called in files."""
        return "-".join((self.program, *self.sizes.split()))


def sized() -> list[Sized]:
    """Every program with each of its sizes."""
    return [Sized(program, text) for program, sizes in SIZES.items() for text in sizes]


# Programs that use again what L1 held, which a carve-out can change.
CARVED = ("ATAX", "BICG", "GEMVER", "GESUMMV", "MVT", "GEMM", "2MM", "SYRK", "SYR2K")


def cases() -> list[Case]:
    """Every run: first as the driver chooses the carve-out, then some with the most and the least of shared memory."""
    made = [Case(one.name, "plain", "", "") for one in sized()]
    last = [Sized(program, SIZES[program][-1]) for program in CARVED]
    return made + [Case(one.name, "plain", "", carveout) for carveout in ("100", "0") for one in last]


def write_sources(suite: Path, directory: Path) -> int:
    """Copies of the programs with their sizes, where the suite's relative includes find its common files."""
    shutil.copytree(suite / "common", directory / "common", dirs_exist_ok=True)
    for one in sized():
        copy = directory / "sources" / one.name
        shutil.copytree(suite / "CUDA" / one.program, copy, dirs_exist_ok=True)
        values = dict(text.split("=") for text in one.sizes.split())
        for header in copy.glob("*.cuh"):
            text = header.read_text()
            for name, value in values.items():
                text, changed = re.subn(rf"(#\s*define\s+{name}\s+)\d+", rf"\g<1>{value}", text)
                if not changed:
                    raise SystemExit(f"{header}: no size {name}")
            header.write_text(text)
    return 0


def build(directory: Path, jobs: int) -> int:
    """Every program that is not there yet, with carveout.c in front of the shared CUDA runtime."""
    hook = directory / "carveout.o"
    subprocess.run(["gcc", "-O2", "-c", str(HERE / "ground_truth/carveout.c"), "-o", str(hook)], check=True)

    def make(one: Sized) -> None:
        output = directory / one.name
        if not output.exists():
            source = next((directory / "sources" / one.name).glob("*.cu"))
            options = ["-w", "-O3", "-arch=sm_90", "-cudart", "shared", str(hook), "-ldl", *LATER_CUDA]
            subprocess.run(["nvcc", *options, "-o", str(output), str(source)], check=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(make, sized()))
    return 0


def profiled(case: Case, directory: Path, metrics: Sequence[str]) -> Iterable[Mapping[str, str]]:
    """One row per kernel of the case."""
    found = counters([str(directory / case.program)], directory / "ncu.csv", metrics, case, ["--kernel-id", ":::1"])
    return [described(case, row) for row in found]


def main() -> int:
    """Parse the command line; write sources, build or collect."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("sources", "build", "collect"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--jobs", type=int, default=2, help="programs built at once")
    parser.add_argument("--seconds", type=float, default=1800, help="begin no case after so many seconds")
    options = parser.parse_args()
    if len(options.paths) != (1 if options.step == "build" else 2):
        parser.error(f"{options.step}: wrong number of paths")
    directory = options.paths[-1 if options.step == "sources" else 0].resolve()
    if options.step == "sources":
        return write_sources(options.paths[0], directory)
    if options.step == "build":
        return build(directory, options.jobs)
    metrics = known_metrics()
    return collect(cases(), lambda case: profiled(case, directory, metrics), options.paths[1], options.seconds)


if __name__ == "__main__":
    sys.exit(main())
