"""How much slower check mode is than fast mode, and what the code for it costs when a program is built.

    python benchmarks/emulator_check.py [--size N] [--rounds N]

Kernels of five kinds, each in both modes of the same program, threads and rounds alike; the best of all rounds counts.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cu")
LINE = re.compile(r"^(\w+) ([\d.eE+-]+) s$", re.MULTILINE)


def build(program: Path, mode: str) -> float:
    """Compile the kernels; `mode` as GPUOPT_EMU_MODE. Returns seconds."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-off", "-O3"]
    subprocess.run(
        [*command, "-o", str(program), str(SOURCE)],
        env={**os.environ, "GPUOPT_EMU_MODE": mode},
        check=True,
    )
    return time.perf_counter() - start


def times(program: Path, mode: str, size: int) -> dict[str, float]:
    """Seconds per kernel."""
    env = {**os.environ, "GPUOPT_EMU_MODE": mode}
    done = subprocess.run([program, str(size)], env=env, capture_output=True, text=True, check=True)
    if mode == "check" and "gpuopt check: 0 errors" not in done.stderr:
        raise SystemExit(f"unexpected findings:\n{done.stderr}")
    return {name: float(seconds) for name, seconds in LINE.findall(done.stdout)}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch, "program")
        build(program, "")  # the runtime is compiled once
        both = min(build(program, "") for _ in range(options.rounds))
        alone = min(build(Path(scratch, "alone"), "fast") for _ in range(options.rounds))
        print(f"{platform.machine()}, {os.cpu_count()} cores, size {options.size}")
        print(f"build: {alone:.2f} s without check code, {both:.2f} s with it")
        fast: dict[str, float] = {}
        check: dict[str, float] = {}
        for _ in range(options.rounds):
            for mode, best in (("", fast), ("check", check)):
                for name, seconds in times(program, mode, options.size).items():
                    best[name] = min(seconds, best.get(name, seconds))
    print("| kernel | fast, ms | check, ms | ratio |\n|---|---|---|---|")
    for name, seconds in fast.items():
        print(f"| {name} | {1e3 * seconds:.2f} | {1e3 * check[name]:.2f} | {check[name] / seconds:.1f} |")


if __name__ == "__main__":
    main()
