"""How fast emulated kernels run beside plain C, and beside HIP-CPU where its headers are given: ratios from one run.

    python benchmarks/emulator_speed.py [--hip-cpu DIR/include] [--also NAME=PROGRAM ...] [--keep DIR] [--rounds 5]

`--also` takes programs that another system made of `speed.cu`, which `--keep` leaves in a folder.
All on one core (GPUOPT_EMU_THREADS=1, CPU time), and the emulator once more on all (wall time). Every figure is the
best of the rounds; the programs take turns, so that all see the same machine. Plain C is compiled twice: with separate
multiplications and additions, and with fused ones, as nvcc and the emulator have them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

KERNELS = r"""
#define N 1024
KERNEL void conv2d(const float *a, float *b, int ni, int nj) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0)
    b[i * nj + j] = 0.2f * a[(i - 1) * nj + (j - 1)] + 0.5f * a[(i - 1) * nj + j] - 0.8f * a[(i - 1) * nj + (j + 1)]
      - 0.3f * a[i * nj + (j - 1)] + 0.6f * a[i * nj + j] - 0.9f * a[i * nj + (j + 1)]
      + 0.4f * a[(i + 1) * nj + (j - 1)] + 0.7f * a[(i + 1) * nj + j] + 0.1f * a[(i + 1) * nj + (j + 1)];
}
KERNEL void gemm(const float *a, const float *b, float *c, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    c[i * n + j] *= 2.0f;
    for (int k = 0; k < n; k++) c[i * n + j] += 3.0f * a[i * n + k] * b[k * n + j];
  }
}
KERNEL void atax(const float *a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
}
KERNEL void saxpy(const float *x, float *y, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = s * x[i] + y[i];
}
"""

BARRIERS = r"""
KERNEL void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    as[ty][tx] = a[row * n + t * 16 + tx];
    bs[ty][tx] = b[(t * 16 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
KERNEL void reduce(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) sum += in[i];
  s[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
KERNEL void barriers(float *out, int rounds) {
  float v = threadIdx.x;
  int r = 0;
  while (r < rounds) { v += r; __syncthreads(); r += 1 + (v < 0); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
DEVICE void meet() { __syncthreads(); }
KERNEL void meetings(float *out, int rounds) {
  float v = threadIdx.x;
  for (int r = 0; r < rounds; ++r) { v += r; meet(); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
DEVICE int meet_then(int r) { __syncthreads(); return r + 1; }
KERNEL void fibers(float *out, int rounds) {  // (a call in a loop's head is not written in place)
  float v = threadIdx.x;
  for (int r = 0; r < rounds; r = meet_then(r)) v += r;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
DEVICE float block_sum(float v, LOCAL(float) s) {
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}
KERNEL void sums(const float *in, float *out, int n) {
  __shared__ float s[256];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) sum += in[i];
  float mean = block_sum(sum, s) / n;
  __syncthreads();
  float far = block_sum((sum - mean) * (sum - mean), s);
  if (threadIdx.x == 0) out[blockIdx.x] = far;
}
"""

TIMING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static clockid_t which = CLOCK_MONOTONIC;
static double now() { timespec t; clock_gettime(which, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
__attribute__((constructor)) static void choose() { if (getenv("SPEED_CPU_TIME")) which = CLOCK_PROCESS_CPUTIME_ID; }
#define TIME(name, ...) do { double best = 1e9; for (int r = 0; r < 3; ++r) { double t = now(); __VA_ARGS__; FINISH; \
  t = now() - t; if (t < best) best = t; } printf("%s %.9f\n", name, best); } while (0)
static float *array(size_t n) {
  float *p = (float *)malloc(n * 4);
  for (size_t i = 0; i < n; ++i) p[i] = i % 7;
  return p;
}
"""

LAUNCHES = r"""
int main() {
  float *a = array(4096 * 4096), *b = array(4096 * 4096), *c = array(1024 * 1024);
  TIME("conv2d", LAUNCH(conv2d, dim3(4096 / 32, 4096 / 8), dim3(32, 8), a, b, 4096, 4096));
  TIME("gemm", LAUNCH(gemm, dim3(256 / 32, 256 / 8), dim3(32, 8), a, b, c, 256));
  TIME("atax", LAUNCH(atax, dim3(4096 / 256), dim3(256), a, b, c, 4096));
  TIME("saxpy", LAUNCH(saxpy, dim3(65536), dim3(256), a, b, 2.0f, 4096 * 4096));
  TIME("tiled gemm", LAUNCH(tiled, dim3(512 / 16, 512 / 16), dim3(16, 16), a, b, c, 512));
  TIME("reduce", LAUNCH(reduce, dim3(2048), dim3(256), a, c, 2048 * 256));
  TIME("reduce twice, in a function", LAUNCH(sums, dim3(2048), dim3(256), a, c, 2048 * 256));
  TIME("256 threads, 1000 barriers", LAUNCH(barriers, dim3(8), dim3(256), c, 1000));
  TIME("1024 threads, 1000 barriers", LAUNCH(barriers, dim3(2), dim3(1024), c, 1000));
  TIME("256 threads, 1000 in a function", LAUNCH(meetings, dim3(8), dim3(256), c, 1000));
  TIME("1024 threads, 1000 in a function", LAUNCH(meetings, dim3(2), dim3(1024), c, 1000));
  TIME("256 threads, 1000 on fibers", LAUNCH(fibers, dim3(8), dim3(256), c, 1000));
  TIME("1024 threads, 1000 on fibers", LAUNCH(fibers, dim3(2), dim3(1024), c, 1000));
}
"""

PLAIN = r"""
#define FINISH asm volatile("" ::: "memory")
static __attribute__((noinline)) void conv2d(const float *a, float *b, int ni, int nj) {
  for (int i = 1; i < ni - 1; ++i)
    for (int j = 1; j < nj - 1; ++j)
      b[i * nj + j] = 0.2f * a[(i - 1) * nj + (j - 1)] + 0.5f * a[(i - 1) * nj + j] - 0.8f * a[(i - 1) * nj + (j + 1)]
        - 0.3f * a[i * nj + (j - 1)] + 0.6f * a[i * nj + j] - 0.9f * a[i * nj + (j + 1)]
        + 0.4f * a[(i + 1) * nj + (j - 1)] + 0.7f * a[(i + 1) * nj + j] + 0.1f * a[(i + 1) * nj + (j + 1)];
}
static __attribute__((noinline)) void gemm(const float *a, const float *b, float *c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      c[i * n + j] *= 2.0f;
      for (int k = 0; k < n; k++) c[i * n + j] += 3.0f * a[i * n + k] * b[k * n + j];
    }
}
static __attribute__((noinline)) void atax(const float *a, const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
}
static __attribute__((noinline)) void saxpy(const float *x, float *y, float s, int n) {
  for (int i = 0; i < n; ++i) y[i] = s * x[i] + y[i];
}
int main() {
  float *a = array(4096 * 4096), *b = array(4096 * 4096), *c = array(1024 * 1024);
  TIME("conv2d", conv2d(a, b, 4096, 4096));
  TIME("gemm", gemm(a, b, c, 256));
  TIME("atax", atax(a, b, c, 4096));
  TIME("saxpy", saxpy(a, b, 2.0f, 4096 * 4096));
}
"""
PER_BARRIER = {
    f"{threads} threads, 1000 {what}": 2048 * 1000
    for threads in (256, 1024)
    for what in ("barriers", "in a function", "on fibers")
}


QUALIFIERS = "#define KERNEL __global__\n#define DEVICE __device__\n#define LOCAL(type) type *\n"


def _build(scratch: Path, hip: str) -> dict[str, Path]:
    """The programs, by name."""
    cuda = (
        "#include <cuda_runtime.h>\n#define KERNEL __global__\n#define DEVICE __device__\n#define LOCAL(type) type *\n"
    )
    cuda += "#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)\n"
    cuda += "#define FINISH cudaDeviceSynchronize()\n" + TIMING + KERNELS + BARRIERS + LAUNCHES
    (scratch / "speed.cu").write_text(cuda)
    (scratch / "plain.cpp").write_text(TIMING + PLAIN)
    program = "from gpuopt_driver.nvcc_main import main; import sys; sys.exit(main())"
    emulate = [sys.executable, "-c", program, "--gpuopt-backend=emulator", "--gpuopt-off"]
    steps = {
        "emulator": [*emulate, "speed.cu", "-o", "emulator"],
        "plain C -O2": ["g++", "-O2", "plain.cpp", "-o", "plain C -O2"],
        "plain C -O2 fused": [
            "g++",
            "-O2",
            "-mfma",
            "-ffp-contract=fast",
            "plain.cpp",
            "-o",
            "plain C -O2 fused",
        ],
    }
    if hip:
        text = "#include <hip/hip_runtime.h>\n" + QUALIFIERS
        text += "#define LAUNCH(k, g, b, ...) hipLaunchKernelGGL(k, g, b, 0, nullptr, __VA_ARGS__)\n"
        text += "#define FINISH hipDeviceSynchronize()\n" + TIMING + KERNELS + BARRIERS + LAUNCHES
        (scratch / "hip.cpp").write_text(text)
        steps["HIP-CPU"] = ["g++", "-O2", "-std=c++17", f"-I{hip}", "hip.cpp", "-o", "HIP-CPU", "-ltbb", "-pthread"]
    for name, step in steps.items():
        subprocess.run(step, cwd=scratch, check=True, env={**os.environ, "GPUOPT_EMU_MODE": "fast"})
        assert (scratch / name).is_file(), name
    return {name: scratch / name for name in steps}


def _times(program: Path, **env: str) -> dict[str, float]:
    if env.get("GPUOPT_EMU_THREADS") == "1":
        env["SPEED_CPU_TIME"] = "1"
    done = subprocess.run(
        ["taskset", "-c", "0", program] if env.get("SPEED_CPU_TIME") else [program],
        env={**os.environ, **env}, capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    return {name: float(time) for name, _, time in (line.rpartition(" ") for line in done.stdout.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hip-cpu", default="", help="the include directory of HIP-CPU")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=PROGRAM", help="measure this one, too")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the sources there, and measure nothing")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.keep:
        _build(options.keep, options.hip_cpu)
        return
    others = {name: Path(program) for name, _, program in (one.partition("=") for one in options.also)}
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        programs = _build(Path(scratch), options.hip_cpu) | others
        for _ in range(options.rounds):
            for name, program in programs.items():
                runs = {name: "1"} | ({"emulator, all cores": str(os.cpu_count())} if name == "emulator" else {})
                for column, threads in runs.items():
                    for kernel, time in _times(program, GPUOPT_EMU_THREADS=threads).items():
                        key = kernel, column
                        best[key] = min(best.get(key, 1e9), time)
    columns = ["emulator", "emulator, all cores", "plain C -O2", "plain C -O2 fused", "HIP-CPU", *others]
    ratios = "".join(f" | {name} / emulator" for name in columns[2:]) + " | ns per thread-barrier |"
    print("| kernel | " + " | ".join(f"{c} ms" for c in columns) + ratios)
    print("|---" * (2 * len(columns)) + "|")
    for kernel in dict.fromkeys(kernel for kernel, _ in best):
        ours = best[kernel, "emulator"]
        cells = [f"{best[kernel, c] * 1e3:.2f}" if (kernel, c) in best else "" for c in columns]
        cells += [f"{best[kernel, c] / ours:.2f}" if (kernel, c) in best else "" for c in columns[2:]]
        cells.append(f"{ours * 1e9 / PER_BARRIER[kernel]:.1f}" if kernel in PER_BARRIER else "")
        print(f"| {kernel} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
