"""Kernels without barriers of many kinds beside plain C: what they cost on one core, ratios from one run.

    python benchmarks/emulator_kernels.py [--rounds 3]

Each kernel is written once: for the emulator with a guard in front (its threads are 256 to a block), for plain C, with
-O2 and separate or fused multiplications and additions, as the body of a loop. One core (GPUOPT_EMU_THREADS=1), CPU
time, best of five launches and of the rounds, in which the programs take turns.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Name, parameters, what is launched (`in`, `out`: arrays of 8 MB), how many threads, what one of them does.
KERNELS = (
    ("float to int", "const float *a, int *b", "real, out", "N", "b[I] = (int)(a[I] * 3);"),
    ("float to byte", "const float *a, unsigned char *b", "real, out", "N",
     "b[I] = (unsigned char)(a[I] * 30 + 0.5f);"),
    ("grey of colours", "const unsigned char *a, unsigned char *b", "real, out", "N",
     "b[I] = (77 * a[3 * I] + 150 * a[3 * I + 1] + 29 * a[3 * I + 2]) >> 8;"),
    ("integer hash", "const unsigned *a, unsigned *b", "real, out", "N",
     "unsigned x = a[I]; for (int r = 0; r < 8; ++r) {"
     " x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; } b[I] = x;"),
    ("mandelbrot", "const float *a, int *b", "real, out", "N / 4",
     "float cx = (I % 512) / 256.0f - 1.5f, cy = (I / 512 % 512) / 256.0f - 1.0f, x = 0, y = 0; int k = 0;"
     " while (k < 100 && x * x + y * y < 4) {"
     " float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; ++k; } b[I] = k;"),
    ("root", "const float *a, float *b", "real, out", "N", "float x = a[I] + 1; b[I] = 1.0f / sqrtf(x * x + 3);"),
    ("bodies", "const float *a, float *b", "real, out", "N / 16",
     "float s = 0, x = a[I]; for (int j = 0; j < 256; ++j) {"
     " float d = a[j] - x, r = d * d + 0.01f; s += d / (r * sqrtf(r)); } b[I] = s;"),
    ("bodies, rsqrtf", "const float *a, float *b", "real, out", "N / 16",
     "float s = 0, x = a[I]; for (int j = 0; j < 256; ++j) {"
     " float d = a[j] - x, r = RSQRT(d * d + 0.01f); s += d * (r * r * r); } b[I] = s;"),
    ("expf", "const float *a, float *b", "real, out", "N", "b[I] = expf(-a[I]);"),
    ("logf", "const float *a, float *b", "real, out", "N", "b[I] = logf(a[I] + 1.5f);"),
    ("powf", "const float *a, float *b", "real, out", "N", "b[I] = powf(a[I] + 1, 1.7f);"),
    ("sinf and cosf", "const float *a, float *b", "real, out", "N", "b[I] = sinf(a[I]) * cosf(a[I]);"),
    ("exp", "const float *a, double *b", "real, out", "N", "b[I] = exp(-(double)a[I]);"),
    ("log", "const float *a, double *b", "real, out", "N", "b[I] = log((double)a[I] + 1.5);"),
    ("division", "const float *a, float *b", "real, out", "N", "b[I] = a[I] / (a[n - 1 - I] + 1);"),
    ("population count", "const unsigned *a, int *b", "real, out", "N", "b[I] = POPC(a[I] ^ a[0]);"),
    ("transpose", "const float *a, float *b", "real, out", "N",
     "int x = I & 1023, y = (I >> 10) & 1023; b[x * 1024 + y] = a[y * 1024 + x];"),
    ("sums of doubles", "const double *a, double *b", "wide, out", "N / 8",
     "double s = 0; const double *p = a + (I & 1023) * 64;"
     " for (int j = 0; j < 64; ++j) s += p[j] * p[j]; b[I & 1023] = s;"),
    ("heat in doubles", "const double *a, double *b", "wide, out", "N",
     "int x = I & 1023, y = I >> 10; if (x > 0 && x < 1023 && y > 0 && y < 1022)"
     " b[I] = a[I] + 0.1 * (a[I - 1] + a[I + 1] + a[I - 1024] + a[I + 1024] - 4 * a[I]);"),
    ("gather", "const int *a, int *b", "whole, out", "N", "b[I] = a[(I * 7919u) % n];"),
    ("atomic histogram", "const int *a, int *b", "whole, out", "N", "ADD(&b[a[I] & 255], 1);"),
    ("the same, C atomic", "const int *a, int *b", "whole, out", "N", "ATOMIC_ADD(&b[a[I] & 255], 1);"),
    ("median of 16", "const int *a, int *b", "whole, out", "N / 8",
     "int t[16]; for (int k = 0; k < 16; ++k) t[k] = a[(I + k) % n];"
     " for (int i = 0; i < 15; ++i) for (int j = 0; j < 15 - i; ++j)"
     " if (t[j] > t[j + 1]) { int u = t[j]; t[j] = t[j + 1]; t[j + 1] = u; } b[I] = t[8];"),
    ("branches", "const int *a, int *b", "whole, out", "N",
     "int x = a[I], r = 0; if (x & 1) r = x * 3; else if (x & 2) r = x >> 1; else r = -x; b[I] = r;"),
    ("binary search", "const int *a, int *b", "whole, out", "N / 4",
     "int lo = 0, hi = n; unsigned key = (I * 2654435761u) % n;"
     " while (lo < hi) { int m = (lo + hi) / 2; if ((unsigned)m < key) lo = m + 1; else hi = m; } b[I] = lo;"),
)  # fmt: skip

PROGRAM = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define N (1 << 20)
static double now() { timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
#define TIME(name, ...) do { double best = 1e9; for (int r = 0; r < 5; ++r) { double t = now(); __VA_ARGS__; \
  t = now() - t; if (t < best) best = t; } printf("%s=%.9f\n", name, best); } while (0)
KERNELS
int main() {
  float *real = (float *)malloc(8 * N + 64);
  int *whole = (int *)malloc(4 * N + 64);
  double *wide = (double *)malloc(8 * N + 64);
  void *out = calloc(N, 8);
  for (int i = 0; i < N; ++i) real[i] = rand() % 1000 / 100.0f, whole[i] = rand(), wide[i] = rand() % 1000 / 7.0;
LAUNCHES
}
"""


def _program(head: str, kernel: str, launch: str) -> str:
    kernels, launches = [], []
    for name, parameters, arguments, count, body in KERNELS:
        function = "k_" + re.sub(r"\W", "_", name)
        types = [re.sub(r"\w+$", "", one).strip() for one in parameters.split(",")]
        given = ", ".join(f"({kind}){one.strip()}" for kind, one in zip(types, arguments.split(","), strict=True))
        kernels.append(kernel % (function, parameters, body))
        launches.append(f'  TIME("{name}", {launch.format(function=function, count=count, given=given)});')
    return head + PROGRAM.replace("KERNELS", "\n".join(kernels)).replace("LAUNCHES", "\n".join(launches))


def _build(scratch: Path) -> dict[str, Path]:
    """The programs, by name."""
    (scratch / "kernels.cu").write_text(
        _program(
            "#define ADD atomicAdd\n#define ATOMIC_ADD atomicAdd\n#define POPC __popc\n#define RSQRT rsqrtf\n",
            "__global__ void %s(%s, int n) { int I = blockIdx.x * blockDim.x + threadIdx.x; if (I < n) { %s } }",
            "{function}<<<({count}) / 256, 256>>>({given}, {count}); cudaDeviceSynchronize()",
        )
    )
    (scratch / "plain.cpp").write_text(
        _program(
            "#define ADD(p, v) (*(p) += (v))\n#define ATOMIC_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)\n"
            "#define POPC __builtin_popcount\n#define RSQRT(x) (1.0f / sqrtf(x))\n",
            "__attribute__((noipa)) void %s(%s, int n) { for (int I = 0; I < n; ++I) { %s } }",
            "{function}({given}, {count})",
        )
    )  # fmt: skip
    program = "from gpuopt_driver.nvcc_main import main; import sys; sys.exit(main())"
    emulate = [sys.executable, "-c", program, "--gpuopt-backend=emulator", "--gpuopt-off"]
    steps = {
        "emulator": [*emulate, "kernels.cu", "-o", "emulator"],
        "plain": ["g++", "-O2", "plain.cpp", "-o", "plain"],
        "fused": ["g++", "-O2", "-mfma", "-ffp-contract=fast", "plain.cpp", "-o", "fused"],
    }
    for step in steps.values():
        subprocess.run(step, cwd=scratch, check=True, env={**os.environ, "GPUOPT_EMU_MODE": "fast"})
    return {name: scratch / name for name in steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        programs = _build(Path(scratch))
        for _ in range(options.rounds):
            for name, program in programs.items():
                done = subprocess.run(
                    ["taskset", "-c", "0", program], env={**os.environ, "GPUOPT_EMU_THREADS": "1"},
                    capture_output=True, text=True, check=True, timeout=600,
                )  # fmt: skip
                for line in done.stdout.splitlines():
                    kernel, _, time = line.partition("=")
                    best[kernel, name] = min(best.get((kernel, name), 1e9), float(time))
    print("| kernel | emulator ms | plain C -O2 ms | the same, fused | plain C / emulator | fused / emulator |")
    print("|---|---|---|---|---|---|")
    for kernel, *_ in KERNELS:
        own, plain, fused = (best[kernel, name] for name in programs)
        times = " | ".join(f"{1e3 * time:.2f}" for time in (own, plain, fused))
        print(f"| {kernel} | {times} | {plain / own:.2f} | {fused / own:.2f} |")


if __name__ == "__main__":
    main()
