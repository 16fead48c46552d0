"""Lanes that go in step where they count on it, in shared memory without barriers; kernels that are left alone."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.random_blocks import program as program_without_races
from tests.emulator.random_steps import Writer, cuda, program
from tests.emulator.support import PROGRAMS, compile_with, run

KERNELS = 14
looks_at_one_program = pytest.mark.xdist_group("random_steps")
_MARK = b"::gpuopt_emu::in_step_at<"


def _kernel(body: str, parameters: str = "int *p, int n") -> bytes:
    head = "__shared__ int s[256], v[256]; const int t = threadIdx.x, lane = t & 31, warp = t >> 5;"
    text = f"__global__ void k({parameters}) {{\n  {head}\n  {body}\n}}\n"
    return rewrite(text.encode()).text


@pytest.mark.parametrize(
    ("marks", "body"),
    [
        (3, "if (t < 32) { s[t] += s[t + 16]; s[t] += s[t + 8]; }"),
        (1, "s[t] = p[t]; __syncthreads(); if (t < 16) s[t] += s[t + 8];"),
        (1, "s[t] = p[t]; p[t] = s[t ^ 1];"),
        (1, "s[t] = p[t]; for (int i = 0; i < 32; ++i) p[t] += s[warp * 32 + i];"),
        (1, "s[p[t]] = s[t];"),
        (1, "if (lane == 0) s[warp] = p[t]; p[t] = s[warp];"),
        (1, "int *q = &s[warp * 32]; q[lane] = n; p[t] = q[31 - lane];"),
        (2, "for (int h = 1; h < 32; h *= 2) if (lane >= h) s[t] += s[t - h];"),
        (2, "while (s[lane] != n) s[(lane + 1) % 32] = p[t];"),
    ],
)
def test_lanes_that_count_on_steps(marks: int, body: str) -> None:
    text = _kernel(body)
    assert text.count(_MARK) == marks, text.decode()


@pytest.mark.parametrize(
    "body",
    [
        "s[t] = p[t]; __syncthreads(); p[t] = s[(t + 1) % n];",
        "s[t] = p[t]; __syncwarp(); p[t] = s[t ^ 1];",
        "s[t] += p[t]; s[t] *= 2; p[t] = s[t];",
        "for (int h = blockDim.x / 2; h > 0; h >>= 1) { if (t < h) s[t] += s[t + h]; __syncthreads(); }",
        "for (int h = 1; h < blockDim.x; h *= 2) { if (t % (2 * h) == 0) s[t] += s[t + h]; __syncthreads(); }",
        "for (int h = 1; h < n; h *= 2) { int i = 2 * h * t; if (i < n) s[i] += s[i + h]; __syncthreads(); }",
        "for (int i = t; i < n; i += blockDim.x) s[i] = p[i]; for (int i = t; i < n; i += blockDim.x) p[i] = s[i] + 1;",
        "for (int i = 0; i < 8; ++i) s[8 * t + i] = i; for (int i = 0; i < 8; ++i) p[t] += s[8 * t + 7 - i];",
        "if (t == 0) { s[0] = n; s[1] = s[0] + 1; }",
        "if (lane == 0) { s[warp] = n; p[warp] = s[warp]; }",
        "s[2 * t] = n; p[t] = s[2 * t + 1];",
        "__shared__ int d[2][64]; for (int i = 0; i < n; ++i) { d[i % 2][t] = i; __syncthreads(); n += d[i % 2][n]; }",
        "__shared__ int d[2][64]; int b = 0; while (n--) { d[b][t] = n; __syncthreads(); p[t] += d[b][n]; b ^= 1; }",
        "__shared__ int d[2][64]; int b = 0; while (n--) { d[b][t] = n; __syncthreads(); p[t] += d[b][n]; b = 1 - b; }",
        "s[t] = n; v[t] = s[t]; p[t] = v[t];",
        "if (t < 64) s[t] += s[t + 64];",
        "s[t + 1] = p[t]; if (t == 0) s[0] = p[-1]; __syncthreads(); p[t] = s[t] + s[t + 2];",
        "atomicAdd(&s[p[t]], 1); atomicAdd(&s[n], 1);",
        "volatile int *q = s; q[t] += q[t + 16];",  # lockstep.py's
        "extern __shared__ int d[]; int *a = d, *b = d + n; a[t] = n; p[t] = b[t + 1];",
        "__shared__ float c[16][17]; int x = threadIdx.x, y = threadIdx.y; c[y][x] = n; c[y][x] += 1; p[t] = c[y][x];",
    ],
)  # fmt: skip
def test_kernels_that_need_no_steps(body: str) -> None:
    assert _MARK not in _kernel(body)


def test_kernels_are_still_split() -> None:
    """Marks at the top level, in loops that all threads share, and in branches of which they can be drawn."""
    for body in (
        "s[t] = p[t]; p[t] = s[t ^ 1];",
        "if (t < 32) { s[t] += s[t + 16]; s[t] += s[t + 8]; }",
        "for (int h = 1; h < 32; h *= 2) if (lane >= h) s[t] += s[t - h];",
        "if (lane < n) { int a = s[t + 1]; if (a) s[t] = a; else p[t] = s[t - 1]; s[t] += 1; }",
    ):
        text = _kernel(body)
        assert b"launch_split" in text, body


def test_steps_are_made_of_simple_statements() -> None:
    """All lanes load before any lane stores, and a branch's marks stand outside of it."""
    text = " ".join(_kernel("if (t < 16) s[t] += s[t + 8] * n;").decode().split())
    assert re.search(
        r"\{const bool (\w+)= ?static_cast<bool> ?\(t < 16\); ?\{const int gpuopt_emu_value= ?!\1\?0:", text
    )
    assert re.search(r"in_step_at<\d+> ?\( ?\); ?if\(gpuopt_emu_if\w+\) ?s ?\[ ?t ?\] ?= ?gpuopt_emu_value; ?\}", text)


def test_lines_keep_their_numbers() -> None:
    text = "__global__ void k(int *p) {\n  __shared__ int s[64];\n  if (threadIdx.x < 8)\n    s[threadIdx.x] +=\n"
    text += "      s[threadIdx.x + 1];\n  p[0] = 1;\n}\nint after;\n"
    lines = rewrite(b'# 1 "x.cu"\n' + text.encode(), fission=False).text.decode().split("\n")
    assert lines[0] == '# 1 "x.cu"'
    assert lines[6].strip().startswith("p[0] = 1;")
    assert lines[8] == "int after;"


def test_programs_without_races_are_left_as_they_are() -> None:
    text, _ = program_without_races(range(200))
    assert b"in_step_at" not in rewrite(text.encode()).text


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> tuple[Path, list[list[int]]]:
    folder = tmp_path_factory.mktemp("steps")
    text, expected = program(range(KERNELS))
    done = rewrite(text.encode())
    assert KERNELS // 3 < done.split < KERNELS  # both ways of running them
    (folder / "steps.cu").write_text(text)
    assert compile_with("steps.cu", "-o", "steps", cwd=folder, check=True, plain=True) == 0
    return folder / "steps", expected


@looks_at_one_program
@pytest.mark.parametrize("mode", ["fast", "check", "model"])
def test_random_kernels(mode: str, steps: tuple[Path, list[list[int]]]) -> None:
    done = run(steps[0], GPUOPT_EMU_MODE=mode)
    assert done.returncode == 0, done.stderr
    for seed, (line, values) in enumerate(zip(done.stdout.splitlines(), steps[1], strict=True)):
        assert list(map(int, line.split())) == values, f"kernel_{seed}"


def test_random_kernels_need_their_steps() -> None:
    """The interpreter's results are not those of threads run one after another."""
    marked = [
        seed
        for seed in range(KERNELS)
        if _MARK in rewrite(cuda("k", Writer(random.Random(seed)).items(2)).encode()).text
    ]
    assert len(marked) > KERNELS * 0.9


def test_older_programs(tmp_path: Path, host_compiler: str) -> None:
    """Reductions, scans, sorting, compaction by lanes in step, in all modes; check mode tells the races."""
    assert compile_with(PROGRAMS / "steps.cu", "-o", "steps", cwd=tmp_path, check=True, plain=True) == 0
    for mode in "fast", "check", "model":
        done = run(tmp_path / "steps", GPUOPT_EMU_MODE=mode)
        assert done.stdout.splitlines()[-1:] == ["ok"], mode + done.stdout + done.stderr
        if mode == "check":
            for kernel in "reduction", "scan", "scan_in_loop", "bitonic_sort", "transpose", "permuted", "diverging":
                assert re.search(rf"race in shared memory.*\n.*\n.*in kernel void {kernel}\(", done.stderr), kernel
