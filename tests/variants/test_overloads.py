"""Versions of kernels whose names other functions have, too."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from tests.variants.test_emit import examine, run_program, versions

SOURCE = """
#include <cstdio>
__global__ void over(int *, int);
__global__ void over(int *x, const float4 *__restrict__ y, int (*z)[3], int n)
{
    x[0] += /*step*/1 * n;
}
static int over(char c) { return c; }
template <class T> void generic(T);
template <class T, int N> __global__ void generic(T *x)
{
    x[0] += /*step*/1;
}
__global__ void alone(int *x)
{
    x[0] += /*step*/1;
}
int main()
{
    int *x;
    cudaMallocManaged(&x, 4);
    *x = 0;
    over<<<2, 1>>>(x, nullptr, nullptr, 2);
    cudaDeviceSynchronize();
    generic<int, 3><<<2, 1>>>(x);
    alone<<<2, 1>>>(x);
    cudaDeviceSynchronize();
    std::printf("%d\\n", *x + over('\\0'));
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "combined.cu"
    path.write_text(SOURCE, "utf-8")
    return path


def test_the_unit_says_which_names_are_overloaded(source: Path) -> None:
    found = {kernel.name: kernel.overloaded for kernel in parse_unit(str(source), ParseOptions()).kernels}
    assert found == {"over": True, "generic": True, "alone": False}


def test_a_kernel_of_an_overloaded_name_has_versions(source: Path, host_compiler: str) -> None:
    result = examine(source, versions())
    assert {item.kernel: item.code for item in result.report.findings if item.code.startswith("GPUOPT")} == {}
    text = result.patched[str(source)].decode()
    assert "static_cast<void (*)(int *x, const float4 *__restrict__ y, int (*z)[3], int n)>(over)" in text
    assert "static_cast<void (*)(::gpuopt_rt::plan, int *x, " in text
    assert run_program(source.parent, dict(result.patched)).stdout == "800\n"
    assert run_program(source.parent, {}, GPUOPT_DISPATCH="original").stdout == "8\n"


@pytest.mark.nvcc
def test_nvcc_compiles_it(source: Path, real_nvcc: str) -> None:
    source.write_bytes(examine(source, versions()).patched[str(source)])
    words = [real_nvcc, "-arch=sm_90", "-c", "combined.cu", "-o", "combined.o"]
    done = subprocess.run(words, cwd=source.parent, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
