"""Time every kernel of a program as it is, whatever launches it, and join the times of versions to their kernels.

    python benchmarks/kernel_times.py build LIBRARY            # kernel_times.cpp by g++ with CUPTI (no GPU needed)
    python benchmarks/kernel_times.py run LIBRARY -- ./app ... # on a GPU: the program, then its table
    python benchmarks/kernel_times.py show FILE [FILE]         # the table of a file, or of two beside each other

CUPTI is looked for below $CUDA, $CUDA_HOME, $CUDA_PATH, the toolkit of the nvcc in PATH, and /usr/local/cuda (in it
or in extras/CUPTI). Any program can be timed by hand: CUDA_INJECTION64_PATH=LIBRARY KERNEL_TIMES=FILE ./app. A version
that gpuopt-nvcc made of a kernel K is `K__gpuopt_NAME`; its launches count as K's. Two runs of one build agree within
1 %, but for kernels of a few microseconds and those with contended atomics: time the plain build twice to see it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cpp")
VERSION = re.compile(r"__gpuopt_(\w+)")
FIELDS = 11


@dataclass(frozen=True)
class Row:
    """What the library wrote of a kernel, device, grid and block."""

    name: str
    device: int
    grid: str
    block: str
    dynamic_bytes: int
    static_bytes: int
    registers: int
    launches: int
    sum_ns: float
    median_ns: int
    least_ns: int

    @property
    def kernel(self) -> str:
        """The kernel that this is, or is a version of: qualified, with template arguments, without parameters."""
        return without_parameters(VERSION.sub("", self.name))

    @property
    def version(self) -> str:
        """Whose version this is, names joined by `_`, or `original`."""
        found = VERSION.search(self.name)
        return found.group(1) if found else "original"


@dataclass
class Kernel:
    """All launches of a kernel, its versions among them: how many there were, and their nanoseconds."""

    launches: int = 0
    sum_ns: float = 0.0
    versions: dict[str, tuple[int, float]] = field(default_factory=dict)

    @property
    def mean_ns(self) -> float:
        return self.sum_ns / self.launches


def without_parameters(name: str) -> str:
    """A demangled function's name without its result and its parameters: versions may have more of these."""
    text = re.sub(r" \[clone [^]]*\]", "", name).removeprefix("void ")
    if not text.endswith(")"):
        return text
    depth = 0
    for at in range(len(text) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return text[:at]
    return text


def read(path: Path) -> list[Row]:
    """The rows of a file; a line that is none is an error that names it."""
    rows = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if line.startswith("#"):
            print(f"{path}: {line[2:]}", file=sys.stderr)
            continue
        cells = line.rsplit("\t", FIELDS - 1)
        try:
            name, device, grid, block, dynamic, static, registers, launches, total, median, least = cells
            row = Row(name, int(device), grid, block, int(dynamic), int(static), int(registers), int(launches),
                      float(total), int(median), int(least))  # fmt: skip
        except ValueError:
            raise SystemExit(f"{path}:{number}: not a line of {SOURCE.name}'s: {line[:80]!r}") from None
        rows.append(row)
    return rows


def joined(rows: Iterable[Row]) -> dict[str, Kernel]:
    """Launches and time of each kernel, with those of its versions."""
    kernels: dict[str, Kernel] = {}
    for row in rows:
        kernel = kernels.setdefault(row.kernel, Kernel())
        kernel.launches += row.launches
        kernel.sum_ns += row.sum_ns
        launches, total = kernel.versions.get(row.version, (0, 0.0))
        kernel.versions[row.version] = launches + row.launches, total + row.sum_ns
    return kernels


def speed_ups(before: Mapping[str, Kernel], after: Mapping[str, Kernel]) -> dict[str, float]:
    """How many times as fast a launch of each kernel became, where both launch it as often."""
    return {
        name: old.mean_ns / new.mean_ns
        for name, old in before.items()
        if (new := after.get(name)) and new.launches == old.launches and new.sum_ns > 0
    }


def toolkits() -> Iterator[Path]:
    """Where CUDA may be."""
    for name in ("CUDA", "CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name])
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parent.parent
    yield Path("/usr/local/cuda")


def cupti() -> tuple[list[Path], Path]:
    """The directories of headers and the library's file."""
    for toolkit in toolkits():
        for place in (toolkit, toolkit / "extras" / "CUPTI", toolkit / "targets" / "x86_64-linux"):
            libraries = (one for folder in ("lib64", "lib") for one in sorted((place / folder).glob("libcupti.so*")))
            library = next(libraries, None)
            if library and (place / "include" / "cupti.h").exists():
                return [place / "include", *(one / "include" for one in toolkits())], library
    raise SystemExit("CUPTI (cupti.h and libcupti.so) is in none of: " + ", ".join(map(str, toolkits())))


def build(library: Path) -> Path:
    """Compile the library; its absolute path."""
    headers, found = cupti()
    compiler = os.environ.get("CXX") or "g++"
    library.parent.mkdir(parents=True, exist_ok=True)
    command = [
        compiler,
        "-O2",
        "-fPIC",
        "-shared",
        "-std=c++17",
        str(SOURCE),
        "-o",
        str(library),
        str(found),
        "-lpthread",
    ]
    command += [*(f"-I{one}" for one in headers), f"-Wl,-rpath,{found.parent}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{compiler} does not compile {SOURCE.name}: {done.stderr.strip()[-500:]}")
    return library.resolve()


def environment(library: Path, output: Path) -> dict[str, str]:
    """What a program's environment needs so that its kernels are timed."""
    return {"CUDA_INJECTION64_PATH": str(library), "KERNEL_TIMES": str(output)}


def table(kernels: Mapping[str, Kernel], other: Mapping[str, Kernel] | None = None) -> Iterator[str]:
    """A line for each kernel, the longest first."""
    ratios = speed_ups(kernels, other) if other is not None else {}
    yield f"{'launches':>9} {'sum ms':>10} {'mean us':>10}  {'speed-up':>8}  kernel: launches of each version"
    for name, one in sorted(kernels.items(), key=lambda item: -item[1].sum_ns):
        shown = other.get(name, one) if other is not None else one
        versions = ", ".join(f"{version} {count}" for version, (count, _) in sorted(shown.versions.items()))
        ratio = f"{ratios[name]:8.3f}" if name in ratios else " " * 8
        yield f"{one.launches:9} {one.sum_ns / 1e6:10.3f} {one.mean_ns / 1e3:10.2f}  {ratio}  {name[:100]}: {versions}"


def run(library: Path, command: Sequence[str]) -> int:
    """Run a program, and print its table."""
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "times"
        done = subprocess.run(command, env={**os.environ, **environment(library.resolve(), output)}, check=False)
        if not output.exists():
            print(f"{command[0]}: no kernel was timed: is there a GPU, and does the program use it?", file=sys.stderr)
            return done.returncode or 1
        print(*table(joined(read(output))), sep="\n")
    return done.returncode


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("build", "run", "show"))
    parser.add_argument("paths", nargs="+", type=Path)
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    if options.step == "build":
        print(build(options.paths[0]))
    elif options.step == "run":
        if not words[split + 1 :]:
            parser.error("run LIBRARY -- PROGRAM ARGUMENTS: no program is named")
        return run(options.paths[0], words[split + 1 :])
    else:
        tables = [joined(read(path)) for path in options.paths[:2]]
        print(*table(*tables), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
