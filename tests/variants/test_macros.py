"""Launches that are written in arguments of macros."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.variants.test_emit import examine, run_program

SOURCE = r"""
#include <cstdio>
#define DISPATCH(TYPE, ...) [&] { switch (TYPE) { \
    CASE(0, float, __VA_ARGS__) CASE(1, double, __VA_ARGS__) \
    default: std::printf("no type %d\n", TYPE); } }()
#define CASE(NUMBER, T, ...) case NUMBER: { using scalar_t = T; __VA_ARGS__(); break; }
#define CHECKED(...) do { __VA_ARGS__; if (cudaGetLastError() != cudaSuccess) std::printf("bad\n"); } while (0)
#define SAID(what) do { what; std::printf("%s\n", #what); } while (0)
#define COUNT(...) COUNTED(__VA_ARGS__, 5, 4, 3, 2, 1)
#define COUNTED(a, b, c, d, e, n, ...) n
#define TWICE(name, ...) void name##_first(int *x) { using namespace a; __VA_ARGS__; } \
    void name##_second(int *x) { using namespace b; __VA_ARGS__; }
#define IN_BODY(kernel, ...) kernel<<<2, 1>>>(__VA_ARGS__)
template <class T, int N> __global__ void typed(T *x)
{
    x[0] += /*step*/1 * N;
}
__global__ void plain(int *x)
{
    x[0] += /*step*/1;
}
__global__ void said(int *x)
{
    x[0] += /*step*/1;
}
namespace a {
__global__ void both(int *x)
{
    x[0] += /*step*/1;
}
}
namespace b {
__global__ void both(int *x)
{
    x[0] += /*step*/1;
}
}
TWICE(run, both<<<2, 1>>>(x))
template <class T> void show(const char *what, T *x)
{
    cudaDeviceSynchronize();
    std::printf("%s %d\n", what, int(*x));
    *x = 0;
}
int main()
{
    int *x;
    cudaMallocManaged(&x, 8);
    *x = 0;
    float *f = (float *)x;
    double *d = (double *)x;
    for (int type = 0; type < 3; ++type) {
        DISPATCH(type, [&] {
            const dim3 grid(2), block(1, 1);
            typed<scalar_t, 3><<<grid, block, 0, 0>>>((scalar_t *)x);
            show("dispatched", (scalar_t *)x);
        });
    }
    CHECKED(plain<<<2, 1>>>(x));
    show("checked", x);
    CHECKED((plain<<<2, 1>>>(x)); CHECKED(plain<<<2, 1>>>(x)));
    show("checked twice", x);
    SAID((said<<<2, 1>>>(x)));
    show("said", x);
    run_first(x);
    run_second(x);
    show("both", x);
    IN_BODY(plain, x);
    show("in body", x);
    std::printf("%d\n", COUNT(plain<<<2, 1>>>(x)));
    show("counted", x);
    (void)f, (void)d;
}
"""
OUTPUT = """\
dispatched 600
dispatched 600
no type 2
checked 200
checked twice 400
(said<<<2, 1>>>(x))
said 2
both 4
in body 2
2
counted 0
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "combined.cu"
    path.write_text(SOURCE)
    return path


def test_launches_in_arguments_of_macros_get_versions(source: Path, host_compiler: str) -> None:
    assert run_program(source.parent, dict(examine(source).patched)).stdout == OUTPUT


def test_why_others_stay_as_they_are(source: Path) -> None:
    said = {item.kernel: item.message for item in examine(source).report.findings}
    assert "launches it in a macro" in said["said"]
    assert "with words that mean several kernels" in said["a::both"]


@pytest.mark.nvcc
def test_nvcc_compiles_them(source: Path, real_nvcc: str) -> None:
    source.write_bytes(examine(source).patched[str(source)])
    words = [real_nvcc, "-arch=sm_90", "-c", "combined.cu", "-o", "combined.o"]
    done = subprocess.run(words, cwd=source.parent, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
