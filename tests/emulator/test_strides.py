"""Loops in which each thread takes every so-manieth element: the same results, and only where that is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import PROGRAMS, compile_with, run

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x; int step = blockDim.x * gridDim.x;"


@pytest.mark.parametrize("mode", ["fast", "check"])
def test_threads_see_what_they_would_alone(tmp_path: Path, host_compiler: str, mode: str) -> None:
    binary = tmp_path / "program"
    assert compile_with(PROGRAMS / "strides.cu", "-o", binary, cwd=tmp_path, check=mode == "check", plain=True) == 0
    done = run(binary, GPUOPT_EMU_MODE=mode)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("strided", "body"),
    [
        (True, "for (int k = i; k < n; k += step) p[k] = q[k];"),
        (True, "for (int k = threadIdx.x; k <= n; k += blockDim.x) p[k] = q[k];"),
        (True, "for (; i < n; i += step) p[i] = q[i];"),
        (True, "while (i < n) { p[i] = q[i]; i += step; }"),
        (True, "for (int k = i; k < n; k += step) atomicAdd(p, q[k]);"),
        (True, "__shared__ float s[32]; s[i] = 0; __syncthreads(); for (int k = i; k < n; k += step) s[i] += q[k];"),
        (False, "for (int k = i; k < n; k += i) p[k] = q[k];"),
        (False, "for (int k = i; k < n - i; k += step) p[k] = q[k];"),
        (False, "for (int k = i; k < n && q[k]; k += step) p[k] = 0;"),
        (False, "for (int k = i; k < n; k += step) { p[k] = q[k]; if (q[k]) break; }"),
        (False, "for (int k = i; k < n; k += step) { p[k] = q[k]; ++k; }"),
        (False, "for (int k = i; k < n; k += step) { p[k] = q[k]; ++step; }"),
        (False, "for (int k = i; k < n; k += step) { p[k] = q[k]; n = q[k]; }"),
        (False, "for (int k = i; k < *m; k += step) p[k] = q[k];"),
        (False, "for (float k = i; k < n; k += step) p[(int)k] = 0;"),
        (False, "for (int k = i; k < n; k += step) { if (q[k]) return; }"),
        (False, "int *j = &i; for (; i < n; i += step) p[*j] = 0;"),
        (False, "while (i < n) { i += step; p[i] = q[i]; }"),
        (False, "for (int k = i; k < n; k += step) { p[k] = q[k]" + " + q[k]" * 200 + "; }"),
    ],
)
def test_only_loops_whose_bounds_all_threads_share(strided: bool, body: str) -> None:
    source = f"__global__ void k(float *p, float *q, int *m, int n) {{ {INDEX} {body} }}"
    assert (b"in_a_row" in rewrite(source.encode()).text) is strided
