"""What a launch evaluates: the configuration first, then the arguments in the compiler's order, as nvcc has it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.changes import changes
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin
from tests.variants.test_emit import build_fast, examine, run_program

SOURCE = """\
#include <cstdio>
static int turn = 1;
static int next(const char *what) { std::printf("%s%d ", what, turn); return turn++; }
struct Said {
    int n;
    Said(int of) : n(of) { std::printf("+%d ", n); }
    ~Said() { std::printf("-%d ", n); }
    operator int() const { return n; }
};
__global__ void add(int *x, int v, int w) { x[blockIdx.x] += /*step*/1 * v + w; }
template <class T> __global__ void each(T *x, T v) { x[blockIdx.x] += /*step*/1 * v; }
namespace of { __global__ void none() { (void)/*step*/1; } }
static int inner(int *x) { add<<<next("ig"), next("ib")>>>(x, next("iv"), 0); return 1; }
static int thrown(bool yes) { if (yes) throw 1; return 1; }
template <class T> void through(T *x, int n) { each<T><<<n++, 1>>>(x, n); std::printf("%d\\n", n); }
int main()
{
    int *x, host[64];
    cudaMalloc(&x, sizeof host);
    cudaMemset(x, 0, sizeof host);
    for (int again = 0; again < 2; ++again) {
        add<<<next("g"), next("b")>>>(x, next("v"), next("w"));
        each
            <int>
            <<<next("g"), 1>>> (x, next("v"));
        of::none<<<next("g"), 1>>>();
        add<<<next("g"), 1>>>(x, inner(x), next("w"));
        try { add<<<next("g"), 1>>>(x, thrown(again), inner(x)); } catch (int) { std::printf("thrown "); }
        dim3 grid(3);
        auto set = [&](unsigned n) { grid.x = n; return 1; };
        add<<<grid, 1>>>(x, set(1), set(2));
        int n = 1;
        again ? (add<<<n++, n>>>(x, n, n++), 0) : 1;
        const Said said(7);
        each<<<(int)Said(2), 1>>>(x, (int)Said(3));
        each<<<1, 1>>>(x, (int)said);
        through(x, 4);
        turn = 1;
    }
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; ++i) std::printf("%d ", host[i]);
    std::printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
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
    assert data.count(b"::gpuopt_rt::taken()") > 8
    return bytes(data)


def test_all_is_evaluated_as_without_versions(tmp_path: Path, patched: bytes, host_compiler: str) -> None:
    build_fast(tmp_path, "combined.cu", "-o", "plain")
    plain = subprocess.run([str(tmp_path / "plain")], capture_output=True, text=True, timeout=60, check=True).stdout
    assert plain.endswith("cudaSuccess\n")
    done = run_program(tmp_path, {"combined.cu": patched}, GPUOPT_DISPATCH="trace")
    assert done.stdout == plain
    assert done.stderr.count(">>>: n n=") == done.stderr.count("gpuopt: ") > 8


def test_launches_are_shown_as_they_were(patched: bytes) -> None:
    lines = changes("combined.cu", SOURCE.encode(), patched).splitlines()
    assert lines[-1].startswith("# not shown: 11 launches that may get a version, ")
    assert not any(re.search(r"__gpuopt_launch|gpuopt_rt::(?:first|ordered|taken|config)", line) for line in lines)
    assert [line for line in lines if line[0] in "+-" and "<<<" in line] == []


def test_nvcc_compiles_it_without_a_word(tmp_path: Path, patched: bytes, real_nvcc: str) -> None:
    (tmp_path / "made.cu").write_bytes(patched)
    warnings = "-Xcompiler=-Wall,-Wextra,-Wshadow,-Weffc++,-Wno-sequence-point"
    words = [real_nvcc, "-arch=sm_90", "-std=c++14", warnings, "-c", "made.cu"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("launch", "acts"),
    [
        ("k<<<n / 256 + 1, dim3(32, 8), 4 * sizeof(int), s>>>(p + n, q->n, -n, a[n], n > 1 ? 2 : 3)", False),
        ("k<<<(unsigned)n, static_cast<int>(f), 0, nullptr>>>(p, (int)f, (n), M, 0)", False),
        ("k<<<size(), 1>>>(p, n, n, n, n)", True),
        ("k<<<1, 1>>>(p, n, size(), n, n)", False),
        ("k<<<n, 1>>>(p, n, size(), n, n)", True),
        ("k<<<B / 2, dim3(E, sizeof(int))>>>(p, n, size(), n, n)", False),
        ("k<<<size(), 1>>>(nullptr, 1, B, E, 2)", False),
        ("k<<<V, 1>>>(p, size(), 1, 1, 1)", True),
        ("k<<<n++, 1>>>(p, n, n, n, n)", True),
        ("k<<<n, 1>>>(p, n, n = 2, n, n)", True),
        ("k<<<n, 1>>>(p, n, n += 2, n, n)", True),
        ("k<<<n, 1>>>(p, n, (n, 2), n, n)", True),
        ("k<<<q->n, 1>>>(p, n, own, n, n)", True),
        ("k<<<own + 0, 1>>>(p, n, n, n, n)", True),
        ("k<<<a[0], 1>>>(p, [] { return 1; }(), n, n, n)", True),
        ("k<<<*a, 1>>>(new int, n, n, n, n)", True),
        ("k<<<n, 1>>>(p, n, n, n, ACTS)", True),
        ("k<<<1, 1>>>(p, n, n, n)", True),
    ],
)
def test_which_launches_do_more_than_compute(tmp_path: Path, launch: str, acts: bool) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        "#define M 4\nconst int B = 8; enum { E = 2 }; extern const volatile int V;\n"
        "#define ACTS n--\nstruct Q { int n; }; struct Own { operator int() const; };\nint size();\n"
        "__global__ void k(int *x, int a, int b, int c, int d = size()) { x[a] = b + c + d; }\n"
        f"void f(int *p, Q *q, int n, float f, int *a, cudaStream_t s, Own own) {{ {launch}; }}\n"
    )
    (found,) = parse_unit(str(source), ParseOptions()).launches
    assert found.acts is acts
