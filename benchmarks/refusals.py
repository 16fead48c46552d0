"""What CUDA's runtime refuses, and with which error: nvcc's build on this machine's GPU beside the emulator's.

    python benchmarks/refusals.py                       builds both, runs both, prints the cases that differ
    python benchmarks/refusals.py --answers FILE        the GPU's answers are in FILE: no GPU and no nvcc are needed
    python benchmarks/refusals.py --save FILE           keeps the GPU's answers

The cases are those of `refusals/*.h`, a line each; `refusals/refusals.cu` says what is in it. Exit status 1 where one
differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "refusals" / "refusals.cu"
FLAGS = ("-arch=sm_90", "-std=c++17")
EMULATOR = (sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-off")


def answers(text: str) -> dict[str, str]:
    """What each case answered."""
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


def build_and_run(compiler: tuple[str, ...], folder: Path) -> str:
    """What the program prints that this compiler makes."""
    program = folder / "refusals"
    subprocess.run([*compiler, *FLAGS, str(SOURCE), "-o", str(program)], check=True)
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, timeout=120, check=False)
    if done.returncode:
        raise SystemExit(f"{compiler[0]}'s build ended with status {done.returncode}: is there a GPU?")
    return done.stdout


def differences(gpu: dict[str, str], emulator: dict[str, str]) -> list[str]:
    """Two lines for each case that is not the same, or that one of them has not."""
    lines = []
    for name in [*gpu, *(name for name in emulator if name not in gpu)]:
        here, there = gpu.get(name, "no such case"), emulator.get(name, "no such case")
        if here != there:
            lines += [f"{name}:", f"  GPU       {here}", f"  emulator  {there}"]
    return lines


def main() -> int:
    """Build, run and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", default="h200", help="the GPU that the emulator stands for (default: h200)")
    parser.add_argument("--answers", type=Path, help="answers of a GPU, from an earlier run")
    parser.add_argument("--save", type=Path, help="where to keep the GPU's answers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        emulated = build_and_run((*EMULATOR, f"--gpuopt-gpu={options.gpu}"), Path(scratch))
        real = options.answers.read_text() if options.answers else build_and_run(("nvcc",), Path(scratch))
    if options.save:
        options.save.write_text(real)
    gpu, emulator = answers(real), answers(emulated)
    lines = differences(gpu, emulator)
    print("\n".join([*lines, f"{len(gpu)} cases on the GPU, {len(emulator)} emulated, {len(lines) // 3} differ"]))
    return 1 if lines or not gpu else 0


if __name__ == "__main__":
    sys.exit(main())
