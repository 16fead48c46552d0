"""Kernels without barriers whose threads go through loops abreast: the same results, and only where that is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import PROGRAMS, compile_with, run

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def test_threads_abreast_compute_what_single_threads_do(tmp_path: Path, host_compiler: str) -> None:
    binary = tmp_path / "program"
    assert compile_with(PROGRAMS / "abreast.cu", "-o", binary, cwd=tmp_path, soon=False) == 0
    done = run(binary)
    assert done.returncode == 0, done.stdout


def test_types_that_a_kernel_declares_for_itself(
    tmp_path: Path, host_compiler: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is said of them outside of the kernel stands behind their declarations; no other kernel pays for it."""
    body = f"{INDEX} using T = Sum; T s = q[i]; for (int k = 0; k < n; ++k) s += q[k]; p[i] = s;"
    own = "struct Sum { float value; __device__ void operator+=(const Sum &o) { value += o.value; } };"
    text = f"{own}\n__global__ void k(Sum *p, const Sum *q, int n) {{ {body} }}\n"
    assert b"launch_abreast<" in rewrite(text.encode()).text
    (tmp_path / "own.cu").write_text(text)
    assert compile_with("-c", "own.cu", cwd=tmp_path) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("abreast", "body"),
    [
        (True, "for (int k = 0; k < n; ++k) p[i] += q[k];"),
        (True, "if (i >= n) return; float s = 0; for (int k = 0; k < n; ++k) s += q[k]; p[i] = s;"),
        (True, "for (int k = 0; k < n; ++k) { auto &&r = p[i]; r += q[k]; }"),
        (False, "for (int k = 0; k < n; ++k) p[i] = q[k];"),  # nothing is added up
        (False, "for (int k = 0; k < i; ++k) p[i] += q[k];"),  # threads leave it one after the other
        (False, "for (int k = 0; k < n; ++k) { if (q[i] > k) p[i] += q[k]; }"),
        (False, "for (int k = 0; k < n; ++k) { p[i] += q[k]; if (k == i) break; }"),
        (False, "for (int k = 0; k < n; ++k) atomicAdd(p, q[k] += 1);"),
        (False, "for (int k = 0; k < n; ++k) { p[i] += q[k]; } if (i > n) return; p[i] = 0;"),
        (False, "for (int k = 0; k < n; k += q[i]) p[i] += q[k];"),
    ],
)
def test_only_loops_of_all_threads(abreast: bool, body: str) -> None:
    text = rewrite(f"__global__ void k(float *p, float *q, int n) {{ {INDEX} {body} }}".encode()).text
    assert (b"launch_abreast<" in text) is abreast
