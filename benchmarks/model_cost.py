"""How much slower model mode is than fast mode, and what memory it takes: CPU time inside of kernels of examples/.

    python benchmarks/model_cost.py [--work DIR] [--rounds N] [--gpu NAME] [--memory]

Each program runs in both modes on one OS thread, GPUOPT_EMU_TIMES says what its launches take; the least of all rounds
counts for each kernel. The model plays all launches, with an empty L2 at each. `--memory`: the largest resident set of
one kernel whose loop gets longer and longer, less its data, which must not grow.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from gpuopt_driver.report.columns import table

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PROGRAMS = {
    "gemm": "384 384 384 32 8",
    "conv2d": "1536 1536 32 8",
    "atax": "4096 1024 256",
    "bicg": "4096 1024 256",
    "syr2k": "256 256 32 8",
    "reduce": "4194304 1056 256",
}
COLUMNS = (32, 64, 128, 256)
ROWS = 33792
LAUNCHES = {"fast": 5, "model": 2}


def built(name: str, work: Path, gpu: str) -> Path:
    """The emulated program, without plugins."""
    program = work / name
    if not program.exists():
        command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-off", "-O3"]
        command += [f"--gpuopt-gpu={gpu}", "-w", str(EXAMPLES / f"{name}.cu"), "-o", str(program)]
        subprocess.run(command, check=True)
    return program


def seconds(program: Path, arguments: str, mode: str, gpu: str) -> dict[str, float]:
    """CPU seconds of a launch of each kernel."""
    times = program.with_suffix(".times")
    times.unlink(missing_ok=True)
    settings = {"GPUOPT_EMU_MODE": mode, "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_THREADS": "1", "GPUOPT_EMU_L2": "cold"}
    command = [str(program), *arguments.split(), str(LAUNCHES[mode]), "--no-check"]
    environment = {**os.environ, **settings, "GPUOPT_EMU_TIMES": str(times)}
    subprocess.run(command, env=environment, capture_output=True, check=True)
    rows = (line.split("\t") for line in times.read_text().splitlines())
    return {name.split("(")[0].split()[-1]: float(spent) / int(count) for name, count, spent in rows}


def resident(program: Path, columns: int, gpu: str) -> float:
    """MB of the largest resident set of a modelled run, less its matrices."""
    settings = {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_THREADS": "1"}
    command = [str(program), str(ROWS), str(columns), "256", "1", "--no-check"]
    child = subprocess.Popen(
        command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    usage: resource.struct_rusage = os.wait4(child.pid, 0)[2]
    return (usage.ru_maxrss * 1024 - 2 * ROWS * columns * 4) / 1e6


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="where programs are kept; default: nowhere")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--memory", action="store_true", help="only what memory it takes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="model-cost-") as scratch:
        work = (options.work or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        if options.memory:
            program = built("gesummv", work, options.gpu)
            found = [(str(columns), f"{resident(program, columns, options.gpu):.1f}") for columns in COLUMNS]
            print("\n".join(table(("columns of gesummv", "MB without its data"), found)))
            return 0
        rows = []
        for name, arguments in PROGRAMS.items():
            program = built(name, work, options.gpu)
            best: dict[tuple[str, str], float] = {}
            for _ in range(options.rounds):
                for mode in LAUNCHES:
                    for kernel, spent in seconds(program, arguments, mode, options.gpu).items():
                        best[kernel, mode] = min(spent, best.get((kernel, mode), spent))
            for kernel in sorted({kernel for kernel, _ in best} - {"fill"}):
                fast, model = best[kernel, "fast"], best[kernel, "model"]
                rows.append((name, arguments, kernel, f"{1e3 * fast:.1f}", f"{1e3 * model:.0f}", f"{model / fast:.1f}"))
                print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
        print("\n".join(table(("program", "arguments", "kernel", "fast, ms", "model, ms", "times"), rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
