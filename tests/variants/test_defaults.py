"""Default arguments mean what they meant where they are written: what of them launch functions repeat."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.hooks import Proposal
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin
from tests.variants.test_emit import build_fast, examine, run_program

SOURCE = """\
#include <cstdio>
static int K = 4;
#define M 3
static int pick(long) { return 3; }
namespace n {
__global__ void names(int *x, int m = K);
[[maybe_unused]] static int K = 9;
__global__ void names(int *x, int m) { *x += /*step*/1 * m; }
}
__global__ void macros(int *x, int m = M);
#undef M
#define M 7
__global__ void macros(int *x, int m) { *x += /*step*/1 * m; }
__global__ void lines(int *x, int m = __LINE__);
__global__ void lines(int *x, int m) { *x += /*step*/1 * m;
}
__global__ void counts(int *x, int m = []{ static int c = 2; return ++c; }()) { *x += /*step*/1 * m; }
__global__ void overloads(int *x, int m = pick(3));
[[maybe_unused]] static int pick(int) { return 8; }
__global__ void overloads(int *x, int m) { *x += /*step*/1 * m; }
__global__ void numbers(int *x, int, int = (-5));
__global__ void numbers(int *x, int n = 0x10, int m) { *x += /*step*/1 * n + m; }
template <int D> __global__ void each(int *x, int m = D, bool b = true) { *x += /*step*/1 * m + b; }
template <class... A> void pass(A... all) { macros<<<1, 1>>>(all...); each<2><<<1, 1>>>(all...); }
__global__ void own(int *x, int m = K + pick(3) * sizeof(K)) { *x += /*step*/1 * m; }
#define RUN(k, ...) k<<<1, 1>>>(__VA_ARGS__)
static void inside(int *x) { __global__ void numbers(int *, int, int = 11); numbers<<<1, 1>>>(x, 3); }
int main()
{
    int *x;
    cudaMallocManaged(&x, 4);
    *x = 0;
    auto show = [=] { cudaDeviceSynchronize(); std::printf("%d ", *x); };
    n::names<<<1, 1>>>(x); show();
    macros<<<1, 1>>>(x); show();
    lines<<<1, 1>>>(x); show();
    counts<<<1, 1>>>(x); RUN(counts, x); counts<<<1, 1>>>(x); show();
    overloads<<<1, 1>>>(x); show();
    numbers<<<1, 1>>>(x); numbers<<<1, 1>>>(x, 2); show();
    inside(x); show();
    each<3><<<1, 1>>>(x); each<4><<<1, 1>>>(x, 9); own<<<1, 1>>>(x); show();
    pass(x); pass(x, 2); show();
    n::names<<<1, 1>>>(x, 2); macros<<<1, 1>>>(x, 2); counts<<<1, 1>>>(x, 2); overloads<<<1, 1>>>(x, 2); show();
}
"""


@pytest.fixture
def patched(tmp_path: Path) -> bytes:
    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        at = context.unit.files[kernel.span.file].data.find(b"/*step*/", kernel.span.start, kernel.span.end) + 8
        made = Variant(kernel.usr, "n", (Edit(kernel.span.file, at, at + 1, b"(1)"),), "return true;")
        return Proposal((finding("count", kernel, Decision.APPLIED),), (), (made,))

    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    ((_, data),) = examine(source, plugin("count", propose)).patched.items()
    return bytes(data)


def test_launches_compute_what_they_computed(tmp_path: Path, patched: bytes, host_compiler: str) -> None:
    build_fast(tmp_path, "combined.cu", "-o", "plain")
    plain = subprocess.run([str(tmp_path / "plain")], capture_output=True, text=True, timeout=60, check=True).stdout
    done = run_program(tmp_path, {"combined.cu": patched}, GPUOPT_DISPATCH="trace")
    assert done.stdout == plain
    told = [line.split("<<<")[0].removeprefix("gpuopt: ") for line in done.stderr.splitlines() if ": n n=" in line]
    assert sorted(set(told)) == ["counts", "each", "macros", "n::names", "numbers", "overloads", "own"]


def test_nvcc_compiles_it(tmp_path: Path, patched: bytes, real_nvcc: str) -> None:
    (tmp_path / "made.cu").write_bytes(patched)
    words = [real_nvcc, "-arch=sm_90", "-Xcompiler=-Wall,-Wextra", "-c", "made.cu"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
