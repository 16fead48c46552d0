"""Shapes of the CATT paper on an emulated TITAN V: hit rates before and after, an L1 of 32 KB, schedulers.

    python benchmarks/paper_shapes.py [--work DIR] [--rows N] [--columns N] [--program NAME]...

Programs of examples/ are built with CATT alone and run in model mode: the original kernels under each scheduler, and
the throttled ones, with all of L1 and with the 32 KB that the largest carve-out leaves. PAPER is what the paper prints.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gpuopt_driver.policy.options import ORDER
from gpuopt_driver.report.columns import table

HERE = Path(__file__).resolve().parent
# What follows rows and columns on the command line: threads of a block and repetitions, or clusters before them.
PROGRAMS = {"atax": ("256", "1"), "bicg": ("256", "1"), "mvt": ("256", "1"), "kmeans": ("5", "256", "1")}
PROGRAMS["gesummv"] = ("256", "1")
OTHERS = tuple(name for name in ORDER if name != "catt")
# Settings of the run, and what CATT is told.
L1 = {"max": ({}, ""), "32 KB": ({"GPUOPT_EMU_CARVEOUT": "100"}, "[plugins.catt]\nl1_bytes = 32768\n")}
SCHEDULERS = ("lrr", "two-level", "gto", "ccws")
PAPER = "paper: 1.43x (BFTT 1.31x) with the largest L1, 1.89x (BFTT 1.68x) with 32 KB; geometric means"


def built(name: str, work: Path, l1: str) -> Path:
    """The program with CATT's versions for a TITAN V with so much L1."""
    policy = work / "policy.toml"
    policy.write_text("".join(f"[plugins.{other}]\nenabled = false\n" for other in OTHERS) + L1[l1][1])
    program = work / f"{name}-{l1.replace(' ', '')}"
    if not program.exists():
        env = {**os.environ, "GPUOPT_POLICY": str(policy), "GPUOPT_GPU": "titan-v", "GPUOPT_EMU_MODE": ""}
        command = ["gpuopt-nvcc", "--gpuopt-backend=emulator", "-arch=sm_70"]
        subprocess.run([*command, str(HERE.parent / f"examples/{name}.cu"), "-o", str(program)], env=env, check=True)
    return program


def modelled(program: Path, arguments: list[str], **settings: str) -> tuple[float, int, str]:
    """Hit rate of L1 in percent and cycles of the kernel with most sectors, and its name."""
    report = program.with_suffix(".json")
    env = {**os.environ, "GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": "titan-v", "GPUOPT_EMU_REPORT": str(report)}
    env["GPUOPT_EMU_LAUNCHES"] = "1"  # of each kernel
    command = [str(program), *arguments, "--no-check"]
    subprocess.run(command, env={**env, **settings}, capture_output=True, check=True)
    launches = json.loads(report.read_text("utf-8"))["launches"]
    launch = max(launches, key=lambda item: item["l1_load_sectors"])
    return 100 * launch["l1_load_hit_rate"], launch["cycles"], launch["kernel"]


def main() -> int:
    """Build, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="where programs are kept; default: nowhere")
    parser.add_argument("--rows", default="163840", help="default: as many as a TITAN V has threads")
    parser.add_argument("--columns", default="32")
    parser.add_argument("--program", action="append", choices=PROGRAMS, help="only this one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shapes-") as scratch:
        work = (arguments.work or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        rows = []
        for name in arguments.program or PROGRAMS:
            size = [arguments.rows, arguments.columns, *PROGRAMS[name]]
            for l1, (settings, _) in L1.items():
                program = built(name, work, l1)
                first = 0
                for scheduler in (*SCHEDULERS, "CATT"):
                    catt = scheduler == "CATT"
                    asked = {"GPUOPT_DISPATCH": "trace" if catt else "original"}
                    asked |= {"GPUOPT_EMU_SCHEDULER": "gto" if catt else scheduler, **settings}
                    rate, cycles, kernel = modelled(program, size, **asked)
                    first = first or cycles
                    rows.append([name, l1, scheduler, f"{rate:.2f}", str(cycles), f"{first / cycles:.2f}", kernel])
                    print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    for line in table(("program", "L1", "scheduler", "L1 hits %", "cycles", "lrr / it", "kernel"), rows):
        print(line)
    print(PAPER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
