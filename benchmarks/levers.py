"""Kernels of benchmarks/levers, built by gpuopt-nvcc and run in all ways, on a machine with a GPU.

    python benchmarks/levers.py build DIR [-arch=sm_90]
    python benchmarks/levers.py run DIR [--seconds 200]      # lines of JSON on standard output, a table at the end

Each kernel's time as the original, by each arm, and once learning has settled (the second run with one directory of
choices), with the same bits in all results; `sums` beside the same kernels written with registers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent / "levers"
PROGRAMS = {"sums": (), "programs": ("400",)}
MOST_ARMS = 6
Times = dict[str, tuple[float, str]]


def build(directory: Path, flags: list[str]) -> int:
    """Builds the programs with gpuopt-nvcc; the first status that is not 0."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        command = [
            "gpuopt-nvcc",
            "-O3",
            *(flags or ["-arch=native"]),
            str(HERE / f"{name}.cu"),
            "-o",
            str(directory / name),
        ]
        done = subprocess.run(command, check=False)
        if done.returncode:
            return done.returncode
    return 0


def measured(program: Path, words: tuple[str, ...], environment: dict[str, str]) -> Times:
    """What a program prints: milliseconds and checksum of each kernel (and form)."""
    done = subprocess.run(
        [str(program), *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    lines = [line.rsplit(" ", 2) for line in done.stdout.splitlines()]
    return {name: (float(ms), bits) for name, ms, bits in lines}


def run(directory: Path, seconds: float) -> int:
    """Runs everything; 1 where results differ."""
    end = time.monotonic() + seconds
    different = False
    for name, words in PROGRAMS.items():
        program = directory / name
        with tempfile.TemporaryDirectory() as choices:
            learn = {"GPUOPT_LEARN": "on", "GPUOPT_CHOICES": choices}
            ways: dict[str, dict[str, str]] = {
                "original": {"GPUOPT_DISPATCH": "original"},
                "first": learn,
                "settled": learn,
            }
            ways |= {"model": {"GPUOPT_LEARN": "off"}}
            ways |= {f"arm {n}": {"GPUOPT_DISPATCH": f"arm:{n}"} for n in range(1, MOST_ARMS + 1)}
            plain: Times = {}
            table: dict[str, list[str]] = {}
            for way, environment in ways.items():
                if time.monotonic() > end:
                    break
                times = measured(program, words, environment)
                plain = plain or times
                for kernel, (ms, bits) in times.items():
                    same = bits == plain[kernel][1]
                    different |= not same
                    line = {"program": name, "kernel": kernel, "way": way, "ms": ms, "same_bits": same}
                    print(json.dumps(line), flush=True)
                    table.setdefault(kernel, []).append(
                        f"{way} {plain[kernel][0] / ms:.3f}{'' if same else ' DIFFERS'}"
                    )
        for kernel, parts in table.items():
            print(f"{kernel} ({plain[kernel][0]:.4f} ms): {', '.join(parts)}", file=sys.stderr)
    return int(different)


def main() -> int:
    """What is asked for; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "run"))
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seconds", type=float, default=200)
    options, flags = parser.parse_known_args()
    if options.what == "run":
        return run(options.directory, options.seconds)
    return build(options.directory, flags)


if __name__ == "__main__":
    sys.exit(main())
