"""Floating-point numbers made integers in device code: where the source is rewritten, and what stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import compile_with, run

_BEFORE = '# 1 "a.cu"\n'
_CAST, _INTO = "::gpuopt_emu::Cast<", "::gpuopt_emu::Into<"


def _written(body: str, *, returns: str = "void", before: str = "") -> str:
    text = f"{_BEFORE}{before}\n__device__ {returns} f(float x, int n, int *p, double *d) {{ {body} }}\n"
    return rewrite(text.encode()).text.decode()


@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("p[0] = n + (int)x;", _CAST + "int>)x"),
        ("if (n > (unsigned int)(x * 2)) return;", _CAST + "unsigned int>)(x"),
        ("n = (char)-x;", _CAST + "char>)-x"),
        ("n += (long long)(float)n;", _CAST + "long long>)(float)n"),
        ("n += static_cast<int>(x);", f"static_cast<int>({_INTO}int>() = x"),
        ("n += int(d[0]);", f"int({_INTO}int>() = d[0]"),
        ("int a = n, b = x;", f"b = {_INTO}int>() = x"),
        ("const unsigned char c = 255.0f * n;", f"c = {_INTO}unsigned char>() = 255.0f"),
        ("p[n] = x;", f"p[n] = {_INTO}int>() = x"),
        ("*p = d[1];", f"*p = {_INTO}int>() = d[1]"),
    ],
)
def test_what_may_be_no_integer_is_made_one_as_a_gpu_does(body: str, made: str) -> None:
    assert made in _written(body)


@pytest.mark.parametrize(
    "body",
    [
        "int a = threadIdx.x + n; p[a] = a;",
        "n += (int)sizeof(float) + (int)threadIdx.x + (int)7;",
        "int (*g)(int) = nullptr; (void)g;",
        "struct M { int get(int) const; }; int (M::*g)(int) const = &M::get; (void)g;",
        "auto g = [](int) { return 1; }; n = g(n);",
        "p = (int *)d;",
        "float a = x; a = x * 2; d[0] = a;",
        "{ int v = 1; n += v; } { float v; v = x; d[0] = v; }",
        "constexpr int c = 4; int a[c] = {}; n = a[0];",
    ],
)
def test_what_is_none_stays(body: str) -> None:
    text = _written(body)
    assert _CAST not in text
    assert _INTO not in text


def test_results_and_names_of_types() -> None:
    assert f"return {_INTO}int>() = x" in _written("return x;", returns="int")
    assert _INTO not in _written("return x;", returns="float")
    other = _written("return x;", returns="typename A::type", before="struct A { typedef int type; };")
    assert _INTO not in other
    assert f"a = {_INTO}u8>() = x" in _written("u8 a = x; n = a;", before="typedef unsigned char u8;")
    assert f"a = {_INTO}int>() = y" in _written("real y = x; int a = y; n = a;", before="using real = float;")


def test_host_code_stays() -> None:
    text = f"{_BEFORE}int host(float x) {{ return (int)x; }}\n__global__ void k() {{}}\n"
    assert _CAST not in rewrite(text.encode()).text.decode()


_PROGRAM = """
#include <cstdio>
struct Bits { int low : 5; operator float() { return 3e9f; } };
template <int N> __device__ int count() { int a[(int)2.5f + N] = {}; return sizeof a / sizeof *a; }
__global__ void k(int *o, float x, float none) {
  Bits b = {-3};
  volatile float w = x;
  enum { E = 7 };
  o[0] = (int)x, o[1] = (int)none, o[2] = (int)b.low, o[3] = (int)w, o[4] = count<1>(), o[5] = (int)E;
  o[6] = (int)b, o[7] = (int)(size_t)o != 0;
}
int main() {
  int *o;
  cudaMallocManaged(&o, 32);
  k<<<1, 1>>>(o, 1e10f, 0.0f / *(volatile float *)o);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) printf("%d ", o[i]);
}
"""


@pytest.mark.parametrize("standard", ["-std=c++11", "-std=c++20"])
@pytest.mark.usefixtures("host_compiler")
def test_operands_of_all_kinds(standard: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(_PROGRAM)
    assert compile_with(standard, "a.cu", "-o", "a", cwd=tmp_path) == 0
    assert run(tmp_path / "a").stdout == "2147483647 0 -3 2147483647 3 7 2147483647 1 "
