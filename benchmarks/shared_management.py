"""Dynamic shared memory management on emulated GPUs: speedups of K+1 to K+3 blocks, and of CO-HW.

    python benchmarks/shared_management.py [--work DIR] [--blocks N] [--program NAME]...

Kernels of vtb/ get `__syncthreads(1, &piece, bytes)` before their region of shared memory and `__syncthreads(-1, ...)`
behind it, by hand as in the paper (Yang et al., PACT 2012, section 7.2), loads into registers before the region. MM, TP
and RD are left out as there. The baseline is the kernel as it is, or with these changes under static management where
that is faster (a device compiler moves loads, too). The paper simulated a GTX 285 and says PAPER.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.report.columns import table

HERE = Path(__file__).resolve().parent
BLOCKS = 64  # per multiprocessor: a launch takes 6000 cycles beyond them
PAPER = (
    "paper (GTX285): HW 1.53x on average, 2.34x at most; CO-HW (MC, STO, HG) 1.42x, 1.88x; "
    "K+1 is too few, K+2 and K+3 are alike, FFT and MC want more, HG and MV do not"
)
GPUS = {"gtx285": ("gtx285", ""), "gtx480-16K": ("gtx480", "30"), "gtx480-48K": ("gtx480", "100")}
# Device compilers unroll small loops of known length (CUDA C Programming Guide 4.0, #pragma unroll); g++ must be told.
UNROLLED = ("-fpeel-loops", "--param=max-completely-peeled-insns=4000", "--param=max-completely-peel-times=64")
TAKE, GIVE = "__syncthreads(1, &piece, TAKEN);", "__syncthreads(-1, &piece, TAKEN);"
PARTS = """    if (const char *own = getenv("SMM_OWN"))
        gpuopt_emu_shared_parts((const void *)KERNEL, atoi(own), TAKEN);
"""


@dataclass(frozen=True)
class Program:
    """A kernel of vtb/ and what is changed in it. `split`: own bytes and further changes for CO-HW."""

    kernel: str
    bytes: int  # shared memory of a block, table 1 of the paper
    edits: Sequence[tuple[str, str]]
    own: int = 0
    split: Sequence[tuple[str, str]] = ()


PROGRAMS: Mapping[str, Program] = {
    "mv": Program(
        "mv",
        4268,
        [
            ("int row = ", "unsigned piece; float part[32]; int row = "),
            ("tile[i * 33 + t] = a[", "part[i] = a["),
            ("+ m + t];\n", "+ m + t];\n" + TAKE + " for (int i = 0; i < 32; ++i) tile[i * 33 + t] = part[i];\n"),
            ("x[m + k];\n        __syncthreads();", "x[m + k];\n        " + GIVE),
        ],
    ),
    "fft": Program(
        "fft",
        8736,
        [
            ("complex r[16];", "complex r[16]; unsigned piece;"),
            ("step(r, bits, t);", "step(r, bits, t); " + TAKE),
            ("im[j]};\n        }\n        __syncthreads();", "im[j]};\n        }\n        " + GIVE),
        ],
    ),
    "mc": Program(
        "generate",
        9324,
        [
            ("float corner[8];", "unsigned piece; float corner[8];"),
            ("for (int e = 0; e < 24; ++e) {", TAKE + " for (int e = 0; e < 24; ++e) {"),
            ("sum.w = cube;", GIVE + " sum.w = cube;"),
        ],
        own=6144,
        split=[
            (TAKE + " for (int e = 0; e < 24; ++e) {", "for (int e = 0; e < 24; ++e) { if (e == 16) " + TAKE),
        ],
    ),
    "sto": Program(
        "store",
        16304,
        [
            ("int t = threadIdx.x, i", "unsigned piece; int t = threadIdx.x, i"),
            ("for (int w = 0; w < WORDS; ++w) chunk", TAKE + " for (int w = 0; w < WORDS; ++w) chunk"),
            ("digests[i] = h ^ other;", GIVE + " digests[i] = h ^ other;"),
        ],
    ),
    "sp": Program(
        "scalar",
        4144,
        [
            (
                "size_t base = (size_t)v * ELEMENTS;",
                "size_t base = v * (size_t)ELEMENTS; unsigned piece; float part[16];",
            ),
            (
                "sums[i] = sum;\n        }",
                "part[i / 64] = sum;\n        }\n"
                + TAKE
                + " for (int i = threadIdx.x; i < 1024; i += 64) sums[i] = part[i / 64];",
            ),
            ("c[v] = sums[0];\n        __syncthreads();", "c[v] = sums[0];\n        " + GIVE),
        ],
    ),
    "hg": Program(
        "histogram",
        8224,
        [
            ("int t = threadIdx.x;", "unsigned piece, kept[32]; int t = threadIdx.x;"),
            (
                "    for (int b = 0; b < 128; ++b) mine",
                "    for (int i = 0; i < 32; ++i) kept[i] = bins[i * step];\n    "
                + TAKE
                + " for (int b = 0; b < 128; ++b) mine",
            ),
            ("w = bins[i * step]", "w = i < 32 ? kept[i] : bins[i * step]"),
            *((f"= bins[(i + {n}) * step]", f"= i < 32 ? kept[i + {n}] : bins[(i + {n}) * step]") for n in (1, 2, 3)),
            ("+ b] = sum;\n    }", "+ b] = sum;\n    } " + GIVE),
        ],
        own=4096,
        split=[
            (TAKE + " for (int b = 0; b < 128; ++b)", "for (int b = 0; b < 128; ++b) { if (b == 64) " + TAKE),
            ("mine[b * 64 + t] = 0;", "mine[b * 64 + t] = 0; }"),
        ],
    ),
    "cv": Program(
        "columns",
        8300,
        [
            ("int x = threadIdx.x, y", "unsigned piece; float part[RESULTS], above, below; int x = threadIdx.x, y"),
            ("line[x * 129 + 8 + i * 8 + y] = from[i", "part[i] = from[i"),
            ("line[x * 129 + y] = first", "above = first"),
            ("line[x * 129 + 120 + y] = first", "below = first"),
            (
                "from[RESULTS * 8 * width] : 0;",
                "from[RESULTS * 8 * width] : 0;\n    "
                + TAKE
                + " for (int i = 0; i < RESULTS; ++i) line[x * 129 + 8 + i * 8 + y] = part[i];"
                + " line[x * 129 + y] = above; line[x * 129 + 120 + y] = below;",
            ),
            ("+ column] = sum;\n    }", "+ column] = sum;\n    } " + GIVE),
        ],
    ),
}

# The other three of table 1, only to see for how long they use shared memory (figure 1).
OTHERS: Mapping[str, Program] = {
    "mm": Program(
        "product",
        2084,
        [
            ("float sum = 0;\n    for (int m", "unsigned piece; float sum = 0;\n    for (int m"),
            ("as[y][x] = a[row * n + m + x];", "float one = a[row * n + m + x];"),
            (
                "bs[y][x] = b[(m + y) * n + col];",
                "float other = b[(m + y) * n + col];\n" + TAKE + " as[y][x] = one; bs[y][x] = other;",
            ),
            ("bs[k][x];\n        __syncthreads();", "bs[k][x];\n        " + GIVE),
        ],
    ),
    "tp": Program(
        "transpose",
        4260,
        [
            ("int x = threadIdx.x, y", "unsigned piece; float part[8]; int x = threadIdx.x, y"),
            (
                "tile[(y + 4 * i) * 33 + x] = in[(size_t)(by + y + 4 * i) * n + bx + x];",
                "part[i] = in[(size_t)(by + y + 4 * i) * n + bx + x];\n    "
                + TAKE
                + " for (int i = 0; i < 8; ++i) tile[(y + 4 * i) * 33 + x] = part[i];",
            ),
            ("tile[x * 33 + y + 4 * i];", "tile[x * 33 + y + 4 * i];\n    " + GIVE),
        ],
    ),
    "rd": Program(
        "reduce",
        540,
        [
            ("int t = threadIdx.x, sum", "unsigned piece; int t = threadIdx.x, sum"),
            ("    s[t] = sum;", "    " + TAKE + " s[t] = sum;"),
            ("out[blockIdx.x] = s[0];", "out[blockIdx.x] = s[0];\n    " + GIVE),
        ],
    ),
}

# Barriers alone, as section 3 of the paper has them: in front of the first statement that writes shared memory, behind
# the last one that reads it, so with all that these load. Kernels that are not here have nothing else above.
AROUND: Mapping[str, Sequence[tuple[str, str]]] = {
    "mv": [
        ("int row = ", "unsigned piece; int row = "),
        ("for (int i = 0; i < 32; ++i) tile", TAKE + " for (int i = 0; i < 32; ++i) tile"),
        ("x[m + k];\n        __syncthreads();", "x[m + k];\n        " + GIVE),
    ],
    "sp": [
        ("size_t base = (size_t)v * ELEMENTS;", "size_t base = v * (size_t)ELEMENTS; unsigned piece;\n" + TAKE),
        ("c[v] = sums[0];\n        __syncthreads();", "c[v] = sums[0];\n        " + GIVE),
    ],
    "hg": [
        ("int t = threadIdx.x;", "unsigned piece; int t = threadIdx.x;"),
        ("for (int b = 0; b < 128; ++b) mine", TAKE + " for (int b = 0; b < 128; ++b) mine"),
        ("+ b] = sum;\n    }", "+ b] = sum;\n    } " + GIVE),
    ],
    "cv": [
        ("int x = threadIdx.x, y", "unsigned piece; int x = threadIdx.x, y"),
        ("for (int i = 0; i < RESULTS; ++i) line", TAKE + " for (int i = 0; i < RESULTS; ++i) line"),
        ("+ column] = sum;\n    }", "+ column] = sum;\n    } " + GIVE),
    ],
    "mm": [
        ("float sum = 0;\n    for (int m", "unsigned piece; float sum = 0;\n    for (int m"),
        ("as[y][x] = a[", TAKE + " as[y][x] = a["),
        ("bs[k][x];\n        __syncthreads();", "bs[k][x];\n        " + GIVE),
    ],
    "tp": [
        ("int x = threadIdx.x, y", "unsigned piece; int x = threadIdx.x, y"),
        ("for (int i = 0; i < 8; ++i) tile", TAKE + " for (int i = 0; i < 8; ++i) tile"),
        ("tile[x * 33 + y + 4 * i];", "tile[x * 33 + y + 4 * i];\n    " + GIVE),
    ],
}


def built(name: str, work: Path, edits: Sequence[tuple[str, str]], taken: int, kind: str = "") -> Path:
    """The program with these changes."""
    text = (HERE / f"vtb/{name}.cu").read_text("utf-8")
    for before, after in edits:
        if text.count(before) != 1:
            raise SystemExit(f"{name}.cu: {before!r} is there {text.count(before)} times, expected once")
        text = text.replace(before, after)
    said = 'extern "C" void gpuopt_emu_shared_parts(const void *, unsigned, unsigned) __attribute__((weak));\n'
    text = text.replace('#include "bench.h"\n', '#include "bench.h"\n' + said, 1)
    parts = PARTS.replace("KERNEL", {**PROGRAMS, **OTHERS}[name].kernel)
    text = text.replace("    read_arguments(argc, argv);\n", "    read_arguments(argc, argv);\n" + parts, 1)
    source = work / f"{name}-{taken}{kind}.cu"
    if source.with_suffix("").exists():
        return source.with_suffix("")
    source.write_text(text.replace("TAKEN", str(taken)), "utf-8")
    program = source.with_suffix("")
    command = ["gpuopt-nvcc", "--gpuopt-off", "--gpuopt-backend=emulator", "-DPAPER", f"-I{HERE / 'vtb'}"]
    command += ["-std=c++17", *(f"-Xcompiler={word}" for word in UNROLLED), str(source)]
    subprocess.run([*command, "-o", str(program)], env={**os.environ, "GPUOPT_EMU_MODE": ""}, check=True)
    return program


def cycles(program: Path, blocks: int, gpu: str, more: int | None, own: int = 0) -> tuple[int, str]:
    """Modelled cycles of the first launch, and what the program printed. `more` None: static management."""
    name, carveout = GPUS[gpu]
    report = program.with_suffix(".json")
    settings = {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": name, "GPUOPT_EMU_REPORT": str(report)}
    settings |= {"GPUOPT_EMU_CARVEOUT": carveout, "GPUOPT_EMU_L2": "cold"}
    if more is not None:
        settings |= {"SMM_OWN": str(own), "GPUOPT_EMU_SMM": str(more)}
    command = [str(program), "--blocks", str(blocks)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    return int(json.loads(report.read_text("utf-8"))["launches"][0]["cycles"]), done.stdout


def speedups(name: str, work: Path, blocks: int, gpu: str) -> dict[str, float]:
    """Against static management: K+1, K+2, K+3, and CO-HW (K+2) where the paper has it."""
    program = PROGRAMS[name]
    count = blocks or BLOCKS * load_arch(GPUS[gpu][0]).sms
    plain, said = cycles(built(name, work, (), 0), count, gpu, None)
    managed = built(name, work, program.edits, program.bytes)
    plain = min(plain, cycles(managed, count, gpu, 0)[0])
    found = {}
    for more in (1, 2, 3):
        taken, output = cycles(managed, count, gpu, more)
        if output != said:
            raise SystemExit(f"{name}: other results with dynamic shared memory")
        found[f"K+{more}"] = plain / taken
    if program.own:
        size = program.bytes - program.own
        split = built(name, work, [*program.edits, *program.split], size)
        taken, output = cycles(split, count, gpu, 2, program.own)
        if output != said:
            raise SystemExit(f"{name}: other results with CO-HW")
        found["CO-HW"] = plain / taken
    return found


def held(name: str, work: Path, gpu: str, *, around: bool = False) -> float:
    """The part of blocks' time between first definition and last use, over all regions, under static management.

    `around`: with what the statements of these load (AROUND), else loads into registers come before.
    """
    program = {**PROGRAMS, **OTHERS}[name]
    edits = AROUND.get(name, program.edits) if around else program.edits
    managed = built(name, work, edits, program.bytes, "-around" if around and name in AROUND else "")
    cycles(managed, BLOCKS * load_arch(GPUS[gpu][0]).sms, gpu, 0)
    launch = json.loads(managed.with_suffix(".json").read_text("utf-8"))["launches"][0]
    return float(launch["shared_held"])


def main() -> int:
    """Build, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="where programs are kept; default: nowhere")
    parser.add_argument(
        "--blocks", type=int, default=0, help=f"blocks of each launch; default: {BLOCKS} per multiprocessor"
    )
    parser.add_argument("--program", action="append", choices=PROGRAMS, help="only this one")
    arguments = parser.parse_args()
    kinds = ("K+1", "K+2", "K+3", "CO-HW")
    with tempfile.TemporaryDirectory(prefix="smm-") as scratch:
        work = (arguments.work or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        for gpu in GPUS:
            found = {name: speedups(name, work, arguments.blocks, gpu) for name in arguments.program or PROGRAMS}
            rows = []
            for name, each in found.items():
                rows.append([name, *(f"{each[kind]:.2f}" if kind in each else "" for kind in kinds)])
            means = []
            for kind in kinds:
                known = [each[kind] for each in found.values() if kind in each]
                means.append(f"{math.exp(sum(map(math.log, known)) / len(known)):.2f}" if known else "")
            print(f"{gpu}: times as fast as static shared memory")
            for line in table(("program", *kinds), [*rows, ["geometric mean", *means]]):
                print(line, flush=True)
    print(PAPER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
